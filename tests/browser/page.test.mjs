// The page's promises, one test each, in a real browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, open, scenes, textOf, write } from "./setup.mjs";
import { linkOf } from "./texts.mjs";

const house = scenes();
const { scene } = house;
const vertices = (page) => page.locator(".vertex");
const status = (page) => page.locator(".transport .status");

scene("the first visit shows a program and its resource graph, without any problem", async (page) => {
  await vertices(page).first().waitFor();
  assert.equal(await vertices(page).count(), 3);
  await page.getByText("No problems").waitFor();
});

scene("a mistake gets a squiggle and an entry, and both disappear when it is fixed", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'print "x" {\n\tmsg => $nothing,\n}\n');
  await page.locator(".cm-lintRange-error").first().waitFor();
  await page.locator(".problems li.bad").first().waitFor();
  await write(page, 'print "x" {\n\tmsg => "something",\n}\n');
  await page.getByText("No problems").waitFor();
  await page.locator(".cm-lintRange-error").first().waitFor({ state: "detached" });
});

scene("a program that was opened is said to be checked until there is an answer", async (page) => {
  await vertices(page).first().waitFor();
  await page.getByText("No problems").waitFor();
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
      if (!message.Check) return post.call(this, message);
      Worker.prototype.postMessage = post;
      globalThis.check = () => post.call(this, message);
    };
  });
  await page.evaluate((hash) => { location.hash = hash; }, linkOf('print "x" {\n\tmsg => $nothing,\n}\n'));
  await page.locator(".problems").getByText("Checking…").waitFor();
  assert.equal(await page.getByText("No problems").count(), 0);
  await page.waitForFunction(() => globalThis.check);
  await page.evaluate(() => globalThis.check());
  await page.locator(".problems li.bad").first().waitFor();
});

scene("the line that is being written stays in sight when the list of problems opens", async (page) => {
  await vertices(page).first().waitFor();
  const text = Array.from({ length: 60 }, (_, n) => `file "/srv/f${n}" { state => "exists", }\n`).join("");
  await write(page, text);
  await page.getByText("No problems").waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("=");
  await page.locator(".problems li.bad").first().waitFor();
  await page.locator(".cm-lintRange-error").first().waitFor();
  await page.waitForFunction(() => {
    const editor = document.querySelector(".editor").shadowRoot;
    const [line, sight] = [".cm-activeLine", ".cm-scroller"].map((name) => editor.querySelector(name)?.getBoundingClientRect());
    return line && line.bottom <= sight.bottom + 1;
  });
});

scene("several mistakes are listed at once, and a code is explained", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'print "x" {\n\tmsg => $nothing,\n}\nprint "y" {\n\tmsg => $neither,\n}\n');
  await page.locator(".problems li.bad").nth(1).waitFor();
  await page.locator(".problems .code").first().click();
  await page.locator("dialog .prose h3").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
});

for (const [width, height] of [[390, 844], [1280, 720]]) {
  scene(`the ways to open one's own program are in sight at ${width} by ${height}`, async (page) => {
    await vertices(page).first().waitFor();
    await page.locator("[aria-controls='examples']").click();
    const seen = await page.locator("#examples").evaluate((list) => {
      const { top, bottom, right } = list.getBoundingClientRect();
      const inside = ({ y, height }) => y >= top && y + height <= bottom && right <= innerWidth;
      const items = [...list.querySelectorAll(".menu-item")];
      return items.filter((item) => inside(item.getBoundingClientRect())).map((item) => item.querySelector("strong").textContent);
    });
    assert.deepEqual(seen.slice(0, 3), ["Files…", "A folder…", "A link…"]);
    assert.ok(seen.length > 6, `the examples are out of sight: ${seen}`);
    await accessible(page, `the menu of programs at ${width} by ${height}`);
    await page.keyboard.press("ArrowDown");
    const first = page.locator("#examples .menu-item").first();
    assert.ok(await first.evaluate((item) => item === document.activeElement), "the first key goes elsewhere");
  }, { viewport: { width, height } });
}

scene("the simulated host converges, and repairs what is broken", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'file "/srv/kept" {\n\tstate => $const.res.file.state.exists,\n\tcontent => "as it was\\n",\n}\n');
  await page.locator(".vertex.good[data-name*='/srv/kept']").waitFor();
  await status(page).getByText("Converged").waitFor();
  await page.locator(".vertex[data-name*='/srv/kept']").click();
  await page.getByRole("button", { name: "delete it" }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log").getByText("someone removed /srv/kept").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
});

/** A file of many lines, each of which changes each second. */
const TICKING = `import "datetime"
import "fmt"
$now = datetime.now()
file "/srv/long" {
	state => "exists",
	content => fmt.printf("${"%d\\n".repeat(30)}", ${Array(30).fill("$now").join(", ")}),
}
`;

scene("the log follows rows that are taller than it, stays where it is read, and counts what repeats", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, TICKING);
  await page.locator(".vertex[data-name*='/srv/long']").waitFor();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.getByRole("button", { name: "Start over with an empty host" }).click();
  const tall = page.locator(".log pre");
  await tall.first().waitFor({ state: "detached" });
  // Each event comes while the log is open: the file is written, and then written again.
  const about = page.locator(".log li").filter({ hasText: "/srv/long" });
  while (await about.count() < 3 || await tall.count() === 0) {
    const moment = (track) => track.getAttribute("aria-valuenow") + track.getAttribute("aria-valuetext");
    const before = await page.locator(".track").evaluate(moment);
    await page.getByRole("button", { name: "Step to the next event" }).click();
    await page.waitForFunction((before) => {
      const track = document.querySelector(".track");
      return track.getAttribute("aria-valuenow") + track.getAttribute("aria-valuetext") !== before;
    }, before);
  }
  const atEnd = () => {
    const log = document.querySelector(".log");
    return log.scrollHeight > 1.3 * log.clientHeight && log.scrollHeight - log.scrollTop - log.clientHeight < 2;
  };
  await page.waitForFunction(atEnd);
  // A reader at the beginning stays there, whatever comes.
  await page.locator(".log").evaluate((log) => log.scrollTo(0, 0));
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const counts = (most) => page.waitForFunction(
    (most) => [...document.querySelectorAll(".log .badge")].some((badge) => Number(badge.textContent.slice(1)) >= most), most);
  await counts(3);
  const n = await page.locator(".log li").count();
  await counts(6);
  assert.ok(await page.locator(".log li").count() <= n + 1, "what repeats is one row");
  assert.equal(await page.locator(".log").evaluate((log) => log.scrollTop), 0);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".log-bar").getByRole("button", { name: "Save", exact: true }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "log.txt");
}, { viewport: { width: 1280, height: 500 } });

test("a shared link opens the same program", { timeout: 300_000 }, async () => {
  const first = await open(house.browser, house.url);
  await vertices(first.page).first().waitFor();
  await write(first.page, '# a shared program ✓\nprint "shared" {}\n');
  await first.page.getByRole("button", { name: "Share", exact: true }).click();
  await first.page.waitForFunction(() => location.hash.startsWith("#c="));
  const link = first.page.url();
  await first.close();
  const second = await open(house.browser, link);
  await second.page.locator(".vertex[data-name*='print[shared]']").waitFor();
  assert.match(await textOf(second.page), /a shared program ✓/);
  await second.close();
});

// One link of each version that was ever given out. None may go, and none may change.
for (const link of [
  "ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA",
  "BLn00uErKMrMK1FQyk4tKFFIyy9SSC1LLVJSqK7lAgA",
]) {
  scene(`an old link opens: ${link.slice(0, 4)}`, async (page) => {
    await page.locator(".vertex[data-name*='print[kept for ever]']").waitFor();
  }, { path: `#c=${link}` });
}

test("a page that crashes says so once, and puts together a report", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  try {
    await vertices(page).first().waitFor();
    await page.evaluate(() => {
      globalThis.copied = [];
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => globalThis.copied.push(text) } });
      for (let n = 0; n < 2; n += 1) setTimeout(() => { throw new WebAssembly.RuntimeError("unreachable"); });
    });
    const notice = page.getByRole("dialog").filter({ hasText: "The page crashed" });
    await notice.getByRole("button", { name: "Copy report" }).click();
    await notice.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await notice.count(), 1);
    const [report] = await page.evaluate(() => globalThis.copied);
    for (const part of ["unreachable", "$now = datetime.now()"]) assert.ok(report.includes(part), report);
    await notice.getByRole("button", { name: "Reload" }).click();
    await notice.waitFor({ state: "detached" });
    await vertices(page).first().waitFor();
  } finally {
    await close();
  }
});

test("a cut-off, a damaged and an exploding link give one clear error and leave the text", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  await vertices(page).first().waitFor();
  await write(page, 'print "mine" {}\n');
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.waitForFunction(() => location.hash.startsWith("#c="));
  const whole = await page.evaluate(() => location.hash);
  // Of version 1, which has no checksum.
  const bomb = await page.evaluate(async () => {
    const deflated = await globalThis.mclive.deflateText("# ".repeat(2_000_000));
    return btoa(String.fromCharCode(1, ...deflated)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  });
  const swapped = whole[20] === "A" ? "B" : "A";
  for (const [bad, words] of [
    [whole.split("&")[0].slice(0, -6), /truncated or modified/],
    [whole.slice(0, 20) + swapped + whole.slice(21), /truncated or modified/],
    ["#c=!!!", /damaged/],
    ["#c=CQAA", /newer version/],
    [`#c=${bomb}`, /more than a megabyte/],
  ]) {
    await page.evaluate((hash) => { location.hash = hash; }, bad);
    await page.locator(".notice.bad").filter({ hasText: words }).waitFor();
    assert.match(await textOf(page), /"mine"/);
  }
  await close();
});

scene("a program that explodes leaves the page usable", async (page) => {
  await vertices(page).first().waitFor();
  const doubling = Array.from({ length: 40 }, (_, n) => `func f${n + 1}($x) {\n\tf${n}($x) + f${n}($x)\n}\n`).join("");
  for (const text of ["$x = " + "[".repeat(100_000) + "\n", `func f0($x) {\n\t$x\n}\n${doubling}print "x" {\n\tmsg => "\${f40(1)}",\n}\n`]) {
    await write(page, text);
    await page.locator(".problems li.bad, .stopped").first().waitFor();
  }
  await write(page, 'print "after" {}\n');
  await page.locator(".vertex[data-name*='print[after]']").waitFor();
});

scene("the keyboard alone reaches a vertex and leaves the editor", async (page) => {
  await vertices(page).first().waitFor();
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement?.className), "editor");
  await page.locator(".vertex[tabindex='0']").focus();
  await page.keyboard.press("Enter");
  await page.locator(".inspector").waitFor();
  await page.locator(".inspector").getByRole("button", { name: "Close", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".inspector").waitFor({ state: "detached" });
  assert.ok(await page.evaluate(() => document.activeElement?.matches(".vertex")), "the focus is lost");
});

scene("keys lead through the tabs that are there, and one is open at any width", async (page) => {
  await vertices(page).first().waitFor();
  const open = () => page.locator(".tabs [role=tab][aria-selected=true]").innerText();
  const visited = async (keys) => {
    const names = [];
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForFunction(() => document.activeElement?.matches(".tabs [aria-selected=true]"));
      names.push((await open()).match(/\w+/)[0]);
    }
    return names;
  };
  await page.getByRole("tab", { name: /Resources/ }).focus();
  assert.deepEqual(await visited(["ArrowLeft", "ArrowRight", "ArrowRight", "End", "Home"]), ["Log", "Resources", "Functions", "Log", "Resources"]);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await visited(["Home"]), ["Program"]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator(".stage .graph").waitFor();
  assert.match(await open(), /Resources/);
});

scene("the theme button follows the system's theme while the page is open", async (page) => {
  await vertices(page).first().waitFor();
  const offers = (name) => page.getByRole("button", { name: `Use the ${name} theme`, exact: true }).waitFor();
  await offers("dark");
  await page.emulateMedia({ colorScheme: "dark" });
  await offers("light");
  await page.emulateMedia({ colorScheme: "light" });
  await offers("dark");
}, { colorScheme: "light" });

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    scene(`no accessibility fault: ${colorScheme}, ${width} px`, async (page) => {
      await vertices(page).first().waitFor();
      for (const view of ["Resources", "Functions", "Host", "Log", ...(width < 700 ? ["Program"] : [])]) {
        await page.getByRole("tab", { name: new RegExp(view) }).click();
        await accessible(page, view);
      }
    }, { colorScheme, viewport: { width, height: 844 } });
  }
}
