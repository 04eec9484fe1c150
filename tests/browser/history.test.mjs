// Local history: versions over the edits of one program, to which one can go back; and the way back to the program that
// another one took the place of.
import assert from "node:assert/strict";
import { accessible, reads, scenes, write } from "./setup.mjs";

const { scene } = scenes();

/** Pauses of half a minute and longer take a moment. */
const hasten = () => {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms >= 30_000 ? 50 : ms, ...rest);
};

/** Waits until a version with these words is kept. */
const kept = (page, words) => page.waitForFunction((words) => localStorage["mclive.versions"]?.includes(words), words);

scene("an earlier version of the program is restored", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "one" {}\n');
  await kept(page, "one");
  await write(page, 'print "two" {}\nprint "three" {}\n');
  await kept(page, "three");
  await page.locator("[aria-controls='examples']").click();
  const versions = page.locator(".menu-item.version");
  await versions.nth(1).waitFor();
  assert.equal(await versions.count(), 2);
  assert.match(await versions.first().innerText(), /^\d{4}-\d\d-\d\d \d\d:\d\d: 2 lines added, 1 removed\n/);
  await accessible(page, "local history");
  await versions.nth(1).click();
  await reads(page, (text) => /one/.test(text) && !/two/.test(text));
  await page.locator(".vertex[data-name*='print[one]']").waitFor();
  await page.getByRole("button", { name: "Previous program", exact: true }).click();
  await reads(page, (text) => /three/.test(text));
}, { prepare: (page) => page.addInitScript(hasten) });

scene("earlier work is deleted when that is asked for twice", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "one" {}\n');
  await kept(page, "one");
  await page.evaluate(() => {
    localStorage["mclive.earlier"] = JSON.stringify([{ file: "main.mcl", text: 'print "old" {}\n', beside: [], binary: [] }]);
  });
  const menu = page.locator("[aria-controls='examples']");
  const forget = page.getByRole("button", { name: /^Delete (all|everything)/ });
  await menu.click();
  await forget.click();
  await forget.filter({ hasText: "Press again" }).waitFor();
  await accessible(page, "the question");
  await page.keyboard.press("Escape");
  await forget.waitFor({ state: "detached" });
  await menu.click();
  await forget.filter({ hasText: "Delete all…" }).click();
  assert.equal(await page.locator(".menu-item.earlier").count(), 1, "nothing is deleted yet");
  await forget.click();
  await forget.waitFor({ state: "detached" });
  await menu.click();
  await page.locator("#examples").waitFor();
  assert.equal(await page.locator(".menu-item:is(.earlier, .version)").count(), 0);
  await reads(page, (text) => /one/.test(text));
}, { prepare: (page) => page.addInitScript(hasten) });

scene("a version that is restored says so", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "one" {}\n');
  await page.evaluate(() => {
    const program = { file: "main.mcl", text: 'print "kept" {}\n', beside: [], binary: [] };
    localStorage["mclive.versions"] = JSON.stringify([{ at_ms: 0, change: { n_added: 1, n_removed: 0 }, program }]);
  });
  await page.locator("[aria-controls='examples']").click();
  await page.locator(".menu-item.version").click();
  await reads(page, (text) => /kept/.test(text));
  await page.locator(".notice.good").filter({ hasText: /Restored the version from \d{4}-\d\d-\d\d \d\d:\d\d\./ }).waitFor();
  await accessible(page, "a restored version");
});

scene("work is one click away from a link, and another tab says what it restores", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "my own work" {}\n');
  await page.waitForFunction(() => sessionStorage["mclive.text"]?.includes("my own work"));
  await page.evaluate(() => { location.hash = "#example=hello"; });
  await reads(page, (text) => !/my own work/.test(text));
  await page.getByRole("button", { name: "Previous program", exact: true }).click();
  await reads(page, (text) => /my own work/.test(text));
  await page.waitForFunction(() => location.hash === "");
  await page.reload();
  await reads(page, (text) => /my own work/.test(text));
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator(".notice.good").filter({ hasText: "Restored the program of your last visit." }).waitFor();
  await reads(other, (text) => /my own work/.test(text));
});

for (const [what, fragment] of [["another program", "#example=hello"], ["a lesson", "#learn"]]) {
  scene(`text that was typed just before ${what} is opened is kept`, async (page) => {
    await page.locator(".vertex").first().waitFor();
    await write(page, 'print "typed last" {}\n');
    // Typing does not pause.
    await page.evaluate((fragment) => { location.hash = fragment; }, fragment);
    await reads(page, (text) => !/typed last/.test(text));
    await page.waitForFunction(() => localStorage["mclive.text"]?.includes("typed last"));
  });
}
