// The lessons, in a real browser: done by the keyboard alone, and remembered. (Hostile ones: `texts.test.mjs`.)
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { PATIENCE_MS, accessible, open, reads, root, scenes, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;

const dist = join(root, "www/dist");
const asset = readdirSync(dist).find((name) => /^lessons-.*\.json$/.test(name));
const course = JSON.parse(readFileSync(join(dist, asset), "utf8"));
const lessons = course.chapters.flatMap((chapter) => chapter.lessons);

const title = (page) => page.locator(".lesson-text h2");
const outcome = (page) => page.locator(".outcome");
/** Two programs that differ in nothing but empty lines, which the editor's text has more of. */
const same = (one, other) => {
  const lines = (text) => text.split("\n").map((line) => line.trimEnd()).filter(Boolean).join("\n");
  return lines(one) === lines(other);
};
const small = (page) => page.viewportSize().width < 700;

/** Presses Tab until the element has the focus. */
async function tabTo(page, what, { back = false, most = 60 } = {}) {
  const wanted = await what.elementHandle();
  for (let press = 0; press < most; press += 1) {
    // Where the focus is inside the editor's shadow root too.
    const there = await wanted.evaluate((element) => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return active === element;
    });
    if (there) return;
    // In the editor Tab indents, unless Escape was pressed.
    if (await page.evaluate(() => document.activeElement?.className === "editor")) await page.keyboard.press("Escape");
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
  }
  assert.fail(`Tab does not lead to ${what}`);
}

/** Goes to a tab of the small page, by the keyboard. */
async function showTab(page, name) {
  const wanted = page.getByRole("tab", { name });
  if ((await wanted.getAttribute("aria-selected")) === "true") return;
  await tabTo(page, page.locator("[role=tab][aria-selected=true]"));
  for (let press = 0; press < 8 && (await wanted.getAttribute("aria-selected")) !== "true"; press += 1) {
    await page.keyboard.press("ArrowRight");
  }
  await page.locator("[role=tab][aria-selected=true]").filter({ hasText: name }).waitFor();
}

/** Replaces the program, by the keyboard. */
async function type(page, text) {
  if (small(page)) await showTab(page, "Program");
  await tabTo(page, page.locator(".cm-content"));
  await page.keyboard.press("ControlOrMeta+a");
  // What is put over a selection by the browser itself takes on its style.
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
  await reads(page, (now) => same(now, text));
}

/** The lesson that an address names. */
const openLesson = async (page, name) => {
  await page.evaluate((name) => { location.hash = `#lesson=${name}`; }, name);
  await title(page).filter({ hasText: lessons.find((lesson) => lesson.name === name).title }).waitFor();
};

for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
  scene(`five lessons by the keyboard alone: ${width} px, ${colorScheme}`, async (page) => {
    await page.locator(".learn").waitFor();
    await tabTo(page, page.locator(".learn"));
    await page.keyboard.press("Enter");
    for (const [number, lesson] of lessons.slice(0, 5).entries()) {
      await title(page).filter({ hasText: lesson.title }).waitFor();
      await page.waitForFunction((name) => location.hash === `#lesson=${name}`, lesson.name);
      await accessible(page, lesson.name);
      // As it begins it is not done, and the check says what is missing.
      await page.keyboard.press("Control+Shift+Enter");
      await outcome(page).getByText("Not yet.").waitFor();
      await type(page, lesson.solution);
      await page.keyboard.press("Control+Shift+Enter");
      await outcome(page).getByText("Correct!").waitFor();
      await accessible(page, `${lesson.name}, done`);
      assert.equal(await page.locator(".course-done").getAttribute("value"), String(number + 1));
      await tabTo(page, outcome(page).getByRole("link", { name: "Next lesson" }));
      await page.keyboard.press("Enter");
    }
    await title(page).filter({ hasText: lessons[5].title }).waitFor();
    // The list of all lessons, too.
    await tabTo(page, page.locator(".where"));
    await page.keyboard.press("Enter");
    await page.locator(".contents a.done").nth(4).waitFor({ state: "attached" });
    assert.equal(await page.locator(".contents a.done").count(), 5);
    await accessible(page, "all lessons");
    await tabTo(page, page.locator(".contents a").nth(1), { most: 120 });
    await page.keyboard.press("Enter");
    await title(page).filter({ hasText: lessons[1].title }).waitFor();
    if (small(page)) await showTab(page, "Program");
    await reads(page, (text) => same(text, lessons[1].solution));
  }, { viewport: { width, height: 844 }, colorScheme, timeout: 500_000 });
}

for (const [width, colorScheme] of [[1280, "dark"], [390, "light"]]) {
  scene(`no accessibility fault in a lesson: ${width} px, ${colorScheme}`, async (page) => {
    await title(page).waitFor();
    await accessible(page, "a lesson");
    await page.getByRole("button", { name: "Hint" }).click();
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await outcome(page).getByText("Not yet.").waitFor();
    await outcome(page).locator("summary").click();
    await accessible(page, "a miss");
    await page.locator(".where").click();
    await accessible(page, "all lessons");
  }, { path: `#lesson=${lessons[0].name}`, viewport: { width, height: 844 }, colorScheme });
}

scene("on a phone the check, and what it said, stand below the program", async (page) => {
  await title(page).waitFor();
  const program = page.getByRole("tab", { name: "Program" });
  await program.click();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("Not yet.").waitFor();
  await program.click();
  await page.locator(".cm-content").waitFor();
  await outcome(page).getByText("Not yet.").waitFor();
  assert.equal(await page.locator(".lesson-text").isVisible(), false);
  await accessible(page, "the program of a lesson");
}, { path: `#lesson=${lessons[0].name}`, viewport: { width: 390, height: 844 } });

scene("a near miss gets its own hint, hints come one by one, and the solution can be taken back", async (page) => {
  await title(page).waitFor();
  const near = 'file "/srv/hello" {\n\tstate => "exists",\n\tcontent => "hello",\n}\n';
  await write(page, near);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("does not contain the line hello").waitFor();
  await outcome(page).getByText(/^2 of [4-9] checks passed/).waitFor();
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".hints li").first().waitFor();
  assert.equal(await page.locator(".hints li").count(), 1);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".hints li").nth(1).waitFor();
  assert.equal(await page.locator(".hints li").count(), 2);
  await page.getByRole("button", { name: "Solution", exact: true }).click();
  await reads(page, (text) => same(text, lessons[0].solution));
  await page.getByRole("button", { name: "My program", exact: true }).click();
  await reads(page, (text) => same(text, near));
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await reads(page, (text) => same(text, lessons[0].start));
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => same(text, near));
}, { path: `#lesson=${lessons[0].name}` });

scene("a check that another program passes in another way is passed", async (page) => {
  await title(page).waitFor();
  await write(page, '$word = "hello"\nfile "/srv/hello" { state => "exists", content => "${word}\\n", }\n');
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("Correct!").waitFor();
}, { path: `#lesson=${lessons[0].name}` });

test("progress and programs are there after a reload, and the playground's own program is kept apart", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "my own" {}\n');
  await page.locator(".vertex[data-name*='print[my own]']").waitFor();
  await page.locator(".learn").click();
  await title(page).filter({ hasText: lessons[0].title }).waitFor();
  await write(page, lessons[0].solution);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("Correct!").waitFor();
  await openLesson(page, lessons[1].name);
  await write(page, "# half done\n");
  // The program is kept when typing pauses.
  await page.waitForFunction((name) => localStorage[`mclive.lesson.${name}`]?.startsWith("# half done"), lessons[1].name);
  await page.reload();
  await title(page).filter({ hasText: lessons[1].title }).waitFor();
  await reads(page, (text) => text.trim() === "# half done");
  assert.equal(await page.locator(".course-done").getAttribute("value"), "1");
  await page.getByRole("button", { name: "Back to the playground" }).click();
  await reads(page, (text) => text.includes("my own"));
  assert.equal(await page.evaluate(() => location.hash), "");
  // Start over forgets all of it.
  await page.locator(".learn").click();
  await page.locator(".where").click();
  await page.getByRole("button", { name: "Start over…" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await reads(page, (text) => same(text, lessons[1].start));
  assert.equal(await page.locator(".course-done").getAttribute("value"), "0");
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("mclive.lesson."))), []);
  await close();
});

scene("each lesson has an address; back and forward lead from one to the other", async (page) => {
  await page.locator(".learn").click();
  await title(page).filter({ hasText: lessons[0].title }).waitFor();
  await page.getByRole("link", { name: /^Next lesson/ }).click();
  await title(page).filter({ hasText: lessons[1].title }).waitFor();
  await page.keyboard.press("Alt+PageDown");
  await title(page).filter({ hasText: lessons[2].title }).waitFor();
  assert.equal(await page.evaluate(() => location.hash), `#lesson=${lessons[2].name}`);
  await page.goBack();
  await title(page).filter({ hasText: lessons[1].title }).waitFor();
  await reads(page, (text) => same(text, lessons[1].start));
  await page.goBack();
  await title(page).filter({ hasText: lessons[0].title }).waitFor();
  await page.goForward();
  await title(page).filter({ hasText: lessons[1].title }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator(".lesson").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => location.hash), "");
});

scene("a lesson's host is as its check has it, and what is broken there is repaired", async (page) => {
  // The host of this lesson has a file that the program says nothing of.
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "backup.key" }).click();
  await openLesson(page, lessons[0].name);
  await page.getByRole("tab", { name: /Host/ }).click();
  // Until the program runs, the host of the lesson before is shown.
  await page.locator(".tree").getByRole("button", { name: "backup.key" }).waitFor({ state: "detached" });
  await page.locator(".tree").getByRole("button", { name: "motd" }).click();
  await page.getByRole("button", { name: "delete it" }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log").getByText("someone removed /etc/motd").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "motd" }).waitFor();
  assert.equal(await page.locator(".tree").getByRole("button", { name: "backup.key" }).count(), 0, "another lesson has another host");
}, { path: "#lesson=first-steps/what-you-leave-out" });

scene("an address that changes while the page still opens the one before it wins", async (page) => {
  // The page reads the address and then listens to it: here it changes in between.
  await page.addInitScript((name) => {
    const listen = window.addEventListener;
    window.addEventListener = function (kind, ...rest) {
      listen.call(this, kind, ...rest);
      if (kind === "hashchange") location.hash = `#lesson=${name}`;
    };
  }, lessons[2].name);
  await page.reload();
  await title(page).filter({ hasText: lessons[2].title }).waitFor();
  assert.equal(await page.evaluate(() => location.hash), `#lesson=${lessons[2].name}`);
}, { path: `#lesson=${lessons[0].name}` });

scene("a lesson with a module beside its program is checked with it", async (page) => {
  const lesson = lessons.find((lesson) => lesson.files.length > 0);
  await openLesson(page, lesson.name);
  await write(page, lesson.solution);
  await page.getByText("No problems").waitFor();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("Correct!").waitFor();
}, { path: `#lesson=${lessons[0].name}` });

scene("a program that never ends is stopped, and the page goes on", async (page) => {
  await title(page).waitFor();
  const doubling = Array.from({ length: 40 }, (_, n) => `func f${n + 1}($x) {\n\tf${n}($x) + f${n}($x)\n}\n`).join("");
  await write(page, `func f0($x) {\n\t$x\n}\n${doubling}print "x" {\n\tmsg => "\${f40(1)}",\n}\n`);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).locator(".said.bad").waitFor();
  await write(page, lessons[0].solution);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("Correct!").waitFor();
}, { path: `#lesson=${lessons[0].name}` });

test("the worker of the checks gets more time after each time that it loads too slowly", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url, { prepare: (page) => page.addInitScript(() => {
    // Deadlines are counted in seconds, which pass quickly from some moment on.
    const wait = globalThis.setTimeout;
    globalThis.setTimeout = (act, ms, ...given) => wait(act, globalThis.isQuick && ms === 1_000 ? 20 : ms, ...given);
  }) });
  try {
    await page.locator(".vertex.good").first().waitFor();
    await page.route("**/compiler-*.wasm", () => {});
    await page.evaluate((name) => { location.hash = `#lesson=${name}`; }, lessons[0].name);
    await title(page).waitFor();
    await page.evaluate(() => { globalThis.isQuick = true; });
    // The one that starts with the lesson has 90 seconds.
    for (const seconds of [180, 360]) {
      await page.getByRole("button", { name: "Check", exact: true }).first().click();
      await outcome(page).getByText(`it did not arrive within ${seconds} seconds`).waitFor();
    }
  } finally {
    await close();
  }
});

test("closed storage, a missing asset and a file of progress", { timeout: 300_000 }, async () => {
  let lost = true;
  const { page, faults, close } = await open(house.browser, `${house.url}#learn`, { prepare: async (page) => {
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", { get: () => { throw new DOMException("closed", "SecurityError"); } });
    });
    await page.route(/lessons-.*\.json$/, (route) => (lost ? route.fulfill({ status: 503 }) : route.continue()));
  } });
  await page.getByText("Cannot load the lessons").waitFor();
  lost = false;
  await page.getByRole("button", { name: "Try again", exact: true }).click();
  await title(page).filter({ hasText: lessons[0].title }).waitFor();
  await write(page, lessons[0].solution);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await outcome(page).getByText("Correct!").waitFor();
  await page.locator(".where").click();
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export", exact: true }).click()]);
  const progress = JSON.parse(readFileSync(await saved.path(), "utf8"));
  assert.deepEqual([progress["mclive-progress"], progress.done, progress.last], [1, [lessons[0].name], lessons[0].name]);
  assert.equal(progress.drafts[lessons[0].name].trim(), lessons[0].solution.trim());
  progress.done.push(lessons[1].name);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import…", exact: true }).click()]);
  await chooser.setFiles({ name: "p.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(progress)) });
  await page.waitForFunction(() => document.querySelector(".course-done").value === 2);
  assert.deepEqual(faults.filter((fault) => !fault.includes("503")), []);
  await close();
});

/** What the effect of the first program must leave free, and how far it keeps from it. Units: pixels. */
const FREE = [[".vertex", 0], [".zoom", 4], [".save > .button", 4]];

for (const [width, height] of [[1280, 800], [768, 1024], [390, 844]]) {
  scene(`the effect of the first program covers nothing: ${width} px`, async (page) => {
    await page.getByRole("tab", { name: /Resources/ }).click();
    await page.locator(".effect p").filter({ hasText: /\/srv\/clock\/mood\s*(awake|asleep)/ }).waitFor();
    await page.locator(".vertex").first().waitFor();
    await page.locator(".save > .button").waitFor();
    const boxes = () => page.evaluate((free) => {
      const box = (element) => element.getBoundingClientRect().toJSON();
      const graph = box(document.querySelector(".stage .graph"));
      // What leaves the graph is cut off.
      const seen = ({ left, right, top, bottom }) => ({
        left: Math.max(left, graph.left), right: Math.min(right, graph.right), top: Math.max(top, graph.top), bottom: Math.min(bottom, graph.bottom),
      });
      const of = ([selector, apart]) => [...document.querySelectorAll(`.stage ${selector}`)].map((one) => ({ selector, apart, ...seen(box(one)) }));
      return { strip: box(document.querySelector(".effect p")), others: free.flatMap(of) };
    }, FREE);
    const touchedBy = (strip) => ({ apart, left, right, top, bottom }) => right + apart > strip.left && left - apart < strip.right
      && bottom + apart > strip.top && top - apart < strip.bottom;
    const deadline = Date.now() + PATIENCE_MS;
    // The graph is fitted into its room by a later frame.
    for (;;) {
      const { strip, others } = await boxes();
      const touched = others.filter(touchedBy(strip));
      if (others.length >= 5 && touched.length === 0) {
        assert.ok(strip.left >= 0 && strip.right <= width && strip.bottom <= height, JSON.stringify(strip));
        break;
      }
      assert.ok(Date.now() < deadline, JSON.stringify({ strip, others, touched }));
      await page.waitForTimeout(50);
    }
    await accessible(page, "the effect of the first program");
  }, { viewport: { width, height } });
}

scene("the first program shows its effect beside the graph, and what the greeting says to try has one", async (page) => {
  const effect = page.locator(".effect p");
  await effect.filter({ hasText: /\/srv\/clock\/mood\s*(awake|asleep)/ }).waitFor();
  // The inspector shows more about the selection.
  await page.locator(".vertex[data-name*='/srv/clock/mood']").click();
  await effect.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.locator(".welcome").getByText(/Change 10 to 4 in the program/).waitFor();
  await write(page, readFileSync(join(root, "playground/examples/clock.mcl"), "utf8").replace("math.mod($now, 10)", "math.mod($now, 4)"));
  await effect.waitFor({ state: "detached" });
  await page.locator(".welcome").getByText(/Change 10 to 4/).waitFor({ state: "detached" });
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "mood", exact: true }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "awake\n");
});

scene("the first visit says what this is, breaks a file, and leads to the first lesson", async (page) => {
  await page.locator(".welcome").waitFor();
  await page.locator(".welcome button:not(.only-icon):not(:disabled)").click();
  await page.locator(".log").getByText(/someone removed \//).first().waitFor();
  await accessible(page, "the greeting");
  await page.locator(".welcome .primary").click();
  await title(page).filter({ hasText: lessons[0].title }).waitFor();
  await page.getByRole("button", { name: "Back to the playground" }).click();
  await page.locator(".lesson").waitFor({ state: "detached" });
  assert.equal(await page.locator(".welcome").count(), 0, "nobody is greeted twice");
});

test("lessons are not loaded until they are opened", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  await page.locator(".vertex").first().waitFor();
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
  assert.ok(loaded.length > 3 && !loaded.some((name) => name.includes("lessons")), loaded.join("\n"));
  assert.ok(brotliCompressSync(readFileSync(join(dist, asset))).length < 60_000, "what a learner waits for");
  await close();
});
