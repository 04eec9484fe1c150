// The page in Firefox: the first steps of a visitor, also with the keyboard, in both themes, on a
// wide and a narrow screen. (All that the page promises is tried in Chromium; hostile texts in both: `texts.test.mjs`.)
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { placeOf, reads, root, scenes, sharesByHand, suggests, textOf, write } from "./setup.mjs";
import { linkOf } from "./texts.mjs";

const house = scenes("firefox");
const { scene } = house;
const vertices = (page) => page.locator(".vertex");

const dist = join(root, "www/dist");
const course = JSON.parse(readFileSync(join(dist, readdirSync(dist).find((name) => /^lessons-.*\.json$/.test(name))), "utf8"));
const first = course.chapters[0].lessons[0];

scene("the first program runs, and its effect is seen", async (page) => {
  await page.locator(".vertex.good").nth(2).waitFor();
  assert.equal(await vertices(page).count(), 3);
  await page.getByText("No problems").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value.length > 0);
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").first().waitFor();
});

scene("both graphs are drawn", async (page) => {
  const drawn = async () => {
    await vertices(page).first().waitFor();
    const boxes = await vertices(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    assert.ok(boxes.every(({ width, height }) => width > 10 && height > 5), JSON.stringify(boxes));
    assert.ok(await page.locator(".edges path").first().evaluate((path) => path.getTotalLength() > 5), "edges have a length");
    return boxes.length;
  };
  await write(page, 'import "fmt"\nimport "datetime"\nfile "/srv/a" {\n\tstate => "exists",\n\tcontent => fmt.printf("%d", datetime.now()),\n}\nprint "b" {}\nFile["/srv/a"] -> Print["b"]\n');
  await page.locator(".vertex.good[data-name*='/srv/a']").waitFor();
  assert.equal(await drawn(), 2);
  await page.getByRole("tab", { name: /Functions/ }).click();
  await page.locator(".vertex[data-name^='datetime.now']").waitFor();
  assert.ok(await drawn() >= 2);
});

scene("an edit with a mistake gets a diagnostic with its place", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'print "x" {\n\tmsg => "y",\n}\n');
  await page.locator(".vertex[data-name*='print[x]']").waitFor();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type('print "z" {\nmsg => $nothing,');
  const problem = page.locator(".problems li.bad").filter({ hasText: "$nothing" });
  await problem.locator(".at", { hasText: /^5:\d+$/ }).waitFor();
  await page.locator(".cm-lintRange-error", { hasText: "$nothing" }).waitFor();
  await page.keyboard.press("ControlOrMeta+Home");
  await problem.locator(".problem").click();
  await page.locator(".cm-activeLine", { hasText: "$nothing" }).waitFor();
  const { x, y } = await placeOf(page, "$nothing");
  await page.mouse.move(x + 200, y);
  await page.mouse.move(x, y);
  await page.locator(".cm-tooltip-lint, .mcl-hover").filter({ hasText: "$nothing" }).waitFor();
});

scene("the editor is typed into: brackets, completion, undo", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, "");
  await page.keyboard.type('import "strings"\n$up = strings.to_u');
  await suggests(page, "to_upper");
  // The editor ignores keys for a list that has just appeared.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await reads(page, (text) => text.includes("strings.to_upper"));
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => !text.includes("to_upper"));
  await write(page, "");
  await page.keyboard.type('file "/srv/x" {\nstate => "exists",');
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.press("Enter");
  await page.locator(".vertex.good[data-name*='/srv/x']").waitFor();
  assert.match(await textOf(page), /^file "\/srv\/x" \{\n\s*state => "exists",\n\}/);
});

scene("a lesson opens and is done", async (page) => {
  await page.locator(".learn").click();
  await page.locator(".lesson-text h2").filter({ hasText: first.title }).waitFor();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.locator(".outcome").getByText("Not yet.").waitFor();
  await write(page, first.solution);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.locator(".outcome").getByText("Correct!").waitFor();
  await page.locator(".outcome").getByRole("link", { name: "Next lesson" }).click();
  await page.locator(".lesson-text h2").filter({ hasText: course.chapters[0].lessons[1].title }).waitFor();
});

scene("a link is really copied, and pasted", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'print "copied" {}\n');
  await page.locator(".vertex[data-name*='print[copied]']").waitFor();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Copy the long link", exact: true }).click();
  await page.locator(".notice, [role=status]").filter({ hasText: /copied/i }).first().waitFor();
  const link = await page.getByLabel("long link", { exact: true }).inputValue();
  await page.keyboard.press("Escape");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
  await reads(page, (text) => text.includes(link));
});

scene("without access to the clipboard, the link can be selected, and the page continues", async (page) => {
  await vertices(page).first().waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("The request is not allowed", "NotAllowedError"));
    document.execCommand = () => false;
  });
  await sharesByHand(page);
});

scene("a link in the fragment opens, and so does the next one", async (page) => {
  await page.locator(".vertex[data-name*='print[by a link]']").waitFor();
  await page.evaluate((hash) => { location.hash = hash; }, linkOf('print "and another" {}\n'));
  await page.locator(".vertex[data-name*='print[and another]']").waitFor();
  assert.match(await textOf(page), /and another/);
  await page.reload();
  await page.locator(".vertex[data-name*='print[and another]']").waitFor();
}, { path: linkOf('print "by a link" {}\n') });

scene("the keyboard alone reaches the editor and leaves it, and reaches a vertex", async (page) => {
  await vertices(page).first().waitFor();
  const inEditor = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.matches(".cm-content") ?? false);
  for (let press = 0; press < 40 && !(await inEditor()); press += 1) await page.keyboard.press("Tab");
  assert.ok(await inEditor(), "Tab reaches the editor");
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# by keys\n");
  assert.match(await textOf(page), /^# by keys/);
  await page.keyboard.press("Tab");
  assert.ok(await inEditor(), "Tab indents");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await inEditor(), false, "after Escape Tab leaves the editor");
  await page.keyboard.press("Shift+Tab");
  assert.ok(await inEditor(), "and the way back");
  await page.keyboard.press("Escape");
  const onVertex = () => page.evaluate(() => document.activeElement?.classList.contains("vertex"));
  for (let press = 0; press < 40 && !(await onVertex()); press += 1) await page.keyboard.press("Tab");
  assert.ok(await onVertex(), "Tab reaches a vertex");
  await page.keyboard.press("Enter");
  await page.locator(".inspector").waitFor();
});

/** What does not fit: the page itself, a control that is out of sight, a text that is cut off without a sign. */
const misfits = (page) => page.evaluate(() => {
  const found = [];
  const told = (one) => `${one.tagName.toLowerCase()}.${one.getAttribute("class") ?? ""} "${one.textContent.trim().slice(0, 40)}"`;
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} px wide`);
  const scrolls = (one) => {
    for (let box = one.parentElement; box; box = box.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return true;
    }
    return false;
  };
  for (const one of document.querySelectorAll("button, a, input, select, h1, h2, h3, p, [role=tab], [role=status]")) {
    const { left, right, width, height } = one.getBoundingClientRect();
    if (!one.checkVisibility({ visibilityProperty: true }) || width * height < 4 || one.closest(".sr, svg")) continue;
    const { overflowX, textOverflow } = getComputedStyle(one);
    if ((left < -1 || right > innerWidth + 1) && !scrolls(one)) found.push(`${told(one)} reaches from ${left} to ${right} px`);
    if (one.scrollWidth > one.clientWidth + 1 && overflowX !== "visible" && textOverflow !== "ellipsis" && !one.matches("input, select")) {
      found.push(`${told(one)} is cut off`);
    }
  }
  return found;
});

/** What scrolls with a bar in the colours of the desktop, which may be white beside a dark page. */
const foreignBars = (page) => page.evaluate(() => {
  const roots = [document, document.querySelector(".editor").shadowRoot];
  const scrolling = roots.flatMap((root) => [...root.querySelectorAll("*")]).filter((one) => one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY));
  return scrolling.filter((one) => getComputedStyle(one).scrollbarColor === "auto").map((one) => one.className);
});

/** The lightness of the page's ground, from 0 to 255. */
const ground = (page) => page.evaluate(() => {
  const channels = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).slice(0, 3).map(Number);
  return channels.reduce((sum, one) => sum + one, 0) / 3;
});

for (const theme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    scene(`everything fits: ${theme}, ${width} px`, async (page) => {
      await page.locator(".vertex.good").first().waitFor();
      const fits = async (what) => assert.deepEqual(await misfits(page), [], what);
      const button = page.getByRole("button", { name: /theme/i });
      const wanted = async () => (await ground(page)) < 128 === (theme === "dark");
      for (let press = 0; press < 3 && !(await wanted()); press += 1) await button.click();
      assert.ok(await wanted(), `the page is ${theme}`);
      for (const view of ["Resources", "Functions", "Host", "Log", ...(width < 700 ? ["Program"] : [])]) {
        await page.getByRole("tab", { name: new RegExp(view) }).click();
        await page.locator("[role=tab][aria-selected=true]").filter({ hasText: view }).waitFor();
        await fits(view);
      }
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByRole("dialog", { name: "Share" }).waitFor();
      await fits("links");
      await page.keyboard.press("Escape");
      await page.locator(".learn").click();
      await page.locator(".lesson-text h2").waitFor();
      await fits("lesson");
      assert.deepEqual(await foreignBars(page), []);
    }, { viewport: { width, height: 844 } });
  }
}
