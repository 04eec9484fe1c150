// All tabs share the progress of lessons: no tab reverts that of another one.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open, reads, root, scenes, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;

const dist = join(root, "www/dist");
const asset = readdirSync(dist).find((name) => /^lessons-.*\.json$/.test(name));
const lessons = JSON.parse(readFileSync(join(dist, asset), "utf8")).chapters.flatMap((chapter) => chapter.lessons);

const title = (page) => page.locator(".lesson-text h2");
const nDone = (page, number) => page.waitForFunction((number) => document.querySelector(".course-done")?.value === number, number);

/** Opens a lesson by its address. */
async function study(page, lesson) {
  await page.evaluate((name) => { location.hash = `#lesson=${name}`; }, lesson.name);
  await title(page).filter({ hasText: lesson.title }).waitFor();
}

async function solve(page, lesson) {
  await study(page, lesson);
  await write(page, lesson.solution);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.locator(".outcome").getByText("Correct!").waitFor();
}

test("lessons completed and programs written in one tab are in the other one, and there after a reload", { timeout: 300_000 }, async () => {
  const { page: first, close } = await open(house.browser, `${house.url}#lesson=${lessons[2].name}`);
  const second = await first.context().newPage();
  await second.goto(`${house.url}#lesson=${lessons[1].name}`);
  for (const page of [first, second]) await title(page).waitFor();
  await solve(first, lessons[0]);
  await nDone(second, 1);
  // A tab that takes over progress does not store its own lesson as the last one.
  assert.equal(await first.evaluate(() => localStorage["mclive.learn.last"]), lessons[0].name);
  await solve(second, lessons[1]);
  await nDone(first, 2);
  assert.deepEqual(await first.evaluate(() => localStorage["mclive.learn.done"].split(" ").toSorted()), [lessons[0].name, lessons[1].name].toSorted());
  // A program that is written in one tab is not replaced by the initial one in the other.
  await study(first, lessons[2]);
  await second.evaluate(() => {
    globalThis.told = new Promise((resolve) => addEventListener("storage", ({ newValue }) => newValue?.startsWith("# half done") && resolve()));
  });
  await write(first, "# half done\n");
  await second.evaluate(() => globalThis.told);
  await study(second, lessons[2]);
  await reads(second, (text) => text.trim() === "# half done");
  await first.reload();
  await title(first).waitFor();
  await nDone(first, 2);
  // Starting over applies to all tabs.
  await second.locator(".where").click();
  await second.getByRole("button", { name: "Start over…" }).click();
  await second.getByRole("button", { name: "Delete", exact: true }).click();
  await nDone(second, 0);
  await nDone(first, 0);
  await close();
});

test("a lesson that is edited in two tabs loses none of the programs", { timeout: 300_000 }, async () => {
  const { page: first, close } = await open(house.browser, `${house.url}#lesson=${lessons[0].name}`);
  const second = await first.context().newPage();
  await second.goto(`${house.url}#lesson=${lessons[0].name}`);
  for (const page of [first, second]) await title(page).waitFor();
  const stored = (page, text) => page.waitForFunction(([name, text]) => localStorage[`mclive.lesson.${name}`]?.trim() === text, [lessons[0].name, text]);
  const earlier = (page) => page.evaluate(() => JSON.parse(localStorage["mclive.earlier"] ?? "[]").map((program) => program.text.trim()));
  const told = (page) => page.locator(".notice").filter({ hasText: "Another tab has changed the program of this lesson" });
  await write(first, "# first\n");
  await stored(second, "# first");
  assert.deepEqual(await earlier(first), [], "the initial program is not kept");
  // The other tab shows the initial program, and does not know this one.
  await write(second, "# second\n");
  await told(second).waitFor();
  assert.deepEqual(await earlier(second), ["# first"]);
  await stored(first, "# second");
  await reads(first, (text) => text.trim() === "# first");
  await write(first, "# first again\n");
  await told(first).waitFor();
  assert.deepEqual(await earlier(first), ["# second", "# first"]);
  // A program that has not changed since it was stored does not replace that of another tab.
  await stored(second, "# first again");
  await second.getByRole("button", { name: "Solution", exact: true }).click();
  await reads(second, (text) => text.trim() !== "# second");
  await stored(second, "# first again");
  assert.deepEqual(await earlier(second), ["# second", "# first"]);
  // Changes of the same tab replace each other.
  await write(first, "# first, finished\n");
  await stored(first, "# first, finished");
  assert.deepEqual(await earlier(first), ["# second", "# first"]);
  await second.close();
  await first.locator("[aria-controls='examples']").click();
  await first.locator(".menu-item.earlier").filter({ hasText: "# second" }).click();
  await reads(first, (text) => text.trim() === "# second");
  await stored(first, "# first, finished");
  await close();
});

scene("progress from a file that is opened in the playground is shown and kept", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const progress = { "mclive-progress": 1, done: [lessons[0].name], last: lessons[0].name, drafts: { [lessons[1].name]: "# half done\n" } };
  await page.locator("[aria-controls='examples']").click();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: /^Files…/ }).click()]);
  await chooser.setFiles({ name: "p.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(progress)) });
  await title(page).filter({ hasText: lessons[1].title }).waitFor();
  await reads(page, (text) => text.trim() === "# half done");
  await page.waitForFunction((name) => localStorage["mclive.learn.done"] === name, lessons[0].name);
  await page.reload();
  await title(page).filter({ hasText: lessons[1].title }).waitFor();
  await nDone(page, 1);
  await reads(page, (text) => text.trim() === "# half done");
});
