// What a stranger's program, a second tab, a plain address and a broken server may do to the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { open, reads, says, scenes, sharesByHand, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;
const vertices = (page) => page.locator(".vertex");
const ready = (page) => page.waitForFunction(() => document.querySelector(".vertex"));

const dense = (size) => `import "iter"
import "fmt"
$l = iter.map(iter.range(${size}), func($i) { fmt.printf("/srv/n%d", $i) })
$m = iter.map(iter.range(${size}), func($i) { fmt.printf("/srv/m%d", $i) })
file $l { state => "exists", }
file $m { state => "exists", }
File[$l] -> File[$m]
`;

for (const size of [150, 300]) {
  scene(`edges without end are bounded, told, and cost few elements: ${size} names to ${size}`, async (page) => {
    await ready(page);
    await write(page, dense(size));
    await page.getByText(`5000 edges shown, ${size * size - 5_000} more hidden`).waitFor();
    assert.ok(await page.locator(".edges path").count() <= 4);
    // Many small boxes may cover one another.
    await page.locator(".vertex[data-name*='file[/srv/n7]']").dispatchEvent("click");
    await page.locator(".edge.near").waitFor({ state: "attached" });
  });
}

scene("a program of more than a megabyte is refused once, with a reason", async (page) => {
  await ready(page);
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    globalThis.n_asked = 0;
    Worker.prototype.postMessage = function (message) {
      globalThis.n_asked += "Check" in message || "Draw" in message ? 1 : 0;
      return post.call(this, message);
    };
  });
  await write(page, "# long\n".repeat(160_000));
  await page.locator(".problems li.bad").getByText("the playground allows at most 1048576").waitFor();
  // What was under way ends, and then nothing more is asked.
  await page.waitForFunction(() => new Promise((resolve) => {
    const before = globalThis.n_asked;
    setTimeout(() => resolve(globalThis.n_asked === before), 1_000);
  }));
  await write(page, 'print "short" {}\n');
  await page.locator(".vertex[data-name*='print[short]']").waitFor();
});

scene("the parameters of a call in thousands of calls hold nothing up", async (page) => {
  await ready(page);
  await write(page, `$x = ${"f(".repeat(20_000)}`);
  await page.locator(".problems li.bad").first().waitFor();
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("(");
  await write(page, 'print "goes on" {}\n');
  await page.locator(".vertex[data-name*='goes on']").waitFor();
  assert.equal(await page.locator(".stopped, .notice.bad").count(), 0);
});

scene("a long line is wrapped", async (page) => {
  await ready(page);
  await write(page, `print "${"long ".repeat(200)}" {}\n`);
  await page.locator(".vertex[data-name*='print[long']").waitFor();
  const beyond = await page.evaluate(() => {
    const scroller = document.querySelector(".editor").shadowRoot.querySelector(".cm-scroller");
    return scroller.scrollWidth - scroller.clientWidth;
  });
  assert.ok(beyond <= 0, `${beyond} px are cut off`);
});

scene("a file is shown whatever its name ends with", async (page) => {
  await ready(page);
  await write(page, '-- main.mcl --\nprint "beside" {}\n-- a.constructor --\nfirst\n-- b.toString --\nsecond\n');
  await page.locator(".vertex[data-name*='print[beside]']").waitFor();
  for (const [name, text] of [["a.constructor", "first"], ["b.toString", "second"], ["main.mcl", "beside"]]) {
    await page.getByRole("tablist", { name: "Files of the program" }).getByRole("tab", { name }).click();
    await reads(page, (shown) => shown.includes(text));
  }
});

scene("the first entry of the menu can be clicked, above the editor's own bars", async (page) => {
  await ready(page);
  await page.locator("[aria-controls='examples']").click();
  const first = page.locator("#examples .menu-item").first();
  await first.waitFor();
  const hit = await first.evaluate((item) => {
    const box = item.getBoundingClientRect();
    return item.contains(document.elementFromPoint(box.x + 20, box.y + box.height / 2));
  });
  assert.ok(hit, "something lies over it");
}, { viewport: { width: 800, height: 800 } });

scene("the last entry of the menu is in reach, however low the window is", async (page) => {
  await ready(page);
  await page.evaluate(() => {
    const program = (n) => ({ file: "main.mcl", text: `print "${n}" {}\n`, beside: [], binary: [] });
    localStorage["mclive.earlier"] = JSON.stringify(Array.from({ length: 20 }, (_, n) => program(n)));
  });
  await page.setViewportSize({ width: 1000, height: 150 });
  await page.locator("[aria-controls='examples']").click();
  await page.locator("#examples .menu-item.earlier").nth(19).waitFor();
  // Only the menu scrolls: the page has the height of the window.
  const { bottom } = await page.locator("#examples").evaluate((list) => list.getBoundingClientRect().toJSON());
  assert.ok(bottom <= 150, `the menu ends at ${bottom}`);
  await page.keyboard.press("End");
  const last = page.locator("#examples .menu-item").last();
  assert.ok(await last.evaluate((item) => item === document.activeElement));
  const box = await last.boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 150, JSON.stringify(box));
});

scene("at 768 pixels every tab and the status are in sight", async (page) => {
  await ready(page);
  const cut = await page.evaluate(() => {
    const inside = (element) => element.getBoundingClientRect().right <= innerWidth + 1;
    const whole = (element) => element.scrollWidth <= element.clientWidth;
    const [parts, words] = [".tab, .transport .status", ".transport .status span"].map((one) => [...document.querySelectorAll(one)]);
    return [...parts.filter((one) => one.offsetParent && !inside(one)), ...words.filter((one) => !whole(one))].map((one) => one.textContent);
  });
  assert.deepEqual(cut, []);
}, { viewport: { width: 768, height: 900 } });

scene("a click on a vertex moves nothing that is in sight, and its mark goes with the selection", async (page) => {
  await ready(page);
  const top = () => page.evaluate(() => document.querySelector(".editor").shadowRoot.querySelector(".cm-scroller").scrollTop);
  const before = await top();
  await vertices(page).first().click();
  await page.locator(".mcl-shown").first().waitFor();
  assert.equal(await top(), before);
  await page.keyboard.press("Escape");
  await page.locator(".mcl-shown").first().waitFor({ state: "detached" });
});

scene("a press that begins beside the graph and ends on it keeps the selection", async (page) => {
  await ready(page);
  await vertices(page).first().click();
  const title = page.locator(".inspector h2");
  await title.hover();
  await page.mouse.down();
  /** Goes to a corner of the graph without a vertex, which is elsewhere when the inspector shows more. */
  const toCorner = async () => {
    const { x, y } = await page.locator(".canvas").evaluate((canvas) => {
      const { left, bottom } = canvas.getBoundingClientRect();
      return { x: left + 4, y: bottom - 4 };
    });
    await page.mouse.move(x, y);
  };
  await toCorner();
  await page.mouse.up();
  await page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));
  await title.waitFor();
  // A press on the graph alone clears it.
  await toCorner();
  await page.mouse.down();
  await page.mouse.up();
  await title.waitFor({ state: "detached" });
});

scene("a program with mistakes has no graph of the one before it", async (page) => {
  await ready(page);
  await page.goto(`${house.url}#example=errors`);
  await page.locator(".problems li.bad").first().waitFor();
  await page.getByText("The program has errors").waitFor();
  assert.equal(await vertices(page).count(), 0);
});

test("a second tab runs, and neither takes the other's program", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  try {
    await ready(page);
    await write(page, 'print "first tab" {}\n');
    await page.locator(".vertex[data-name*='first tab']").waitFor();
    // In the middle of a run.
    await page.evaluate(() => sessionStorage.setItem("mclive.running", "1"));
    const other = await page.context().newPage();
    await other.goto(house.url);
    await other.locator(".vertex.good[data-name*='first tab']").waitFor();
    await write(other, 'print "second tab" {}\n');
    await other.locator(".vertex[data-name*='second tab']").waitFor();
    await page.waitForTimeout(300);
    await page.reload();
    await reads(page, (text) => text.includes("first tab"));
  } finally {
    await close();
  }
});

for (const [after, outcome] of [[5_000, "runs"], [20_000, "opens paused"]]) {
  scene(`a page that was left ${after} ms into a request ${outcome} the next time`, async (page) => {
    await ready(page);
    // No answer comes. The request seems to begin as long ago as the time that passes then. One that is under way is another one.
    await page.evaluate((passed) => {
      Worker.prototype.postMessage = () => {};
      sessionStorage.removeItem("mclive.running");
      const { now } = Date;
      Date.now = () => now() - passed;
    }, after);
    await write(page, 'print "left" {}\n');
    await page.waitForFunction(() => "mclive.running" in sessionStorage);
    // It is left at this very moment, however long this machine takes.
    await page.evaluate((passed) => {
      const began = Number(sessionStorage.getItem("mclive.running"));
      Date.now = () => began + passed;
    }, after);
    await page.goto("about:blank");
    await page.goto(house.url);
    await page.locator(outcome === "runs" ? ".vertex.good" : ".stopped").first().waitFor();
  });
}

test("a link opens beside the program that somebody works on", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  try {
    await ready(page);
    await write(page, '# my own work\nprint "mine" {}\n');
    await page.locator(".vertex[data-name*='print[mine]']").waitFor();
    await page.goto(`${house.url}#c=ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA`);
    await page.locator(".vertex[data-name*='print[kept for ever]']").waitFor();
    const fresh = await page.context().newPage();
    await fresh.goto(house.url);
    await fresh.locator(".vertex[data-name*='print[mine]']").waitFor();
    await fresh.close();
    await write(page, 'print "changed" {}\n');
    await page.locator(".vertex[data-name*='print[changed]']").waitFor();
    // The program is kept when typing pauses, and the one before it is an earlier one from then on.
    await page.waitForFunction(() => Object.values({ ...sessionStorage, ...localStorage }).some((value) => /print \\?"changed/.test(value)));
    await page.locator("[aria-controls='examples']").click();
    await page.locator(".menu-item.earlier", { hasText: "# my own work" }).click();
    await page.locator(".vertex[data-name*='print[mine]']").waitFor();
  } finally {
    await close();
  }
});

test("a page that opens paused checks what is written, and runs on a word alone", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  try {
    await ready(page);
    await page.addInitScript(() => sessionStorage.setItem("mclive.running", "1"));
    await page.goto(`${house.url}?again#c=ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA`);
    await page.locator(".stopped").waitFor();
    await page.waitForFunction(() => document.querySelector(".editor")?.shadowRoot?.textContent.includes("kept for ever"));
    await page.waitForTimeout(500);
    assert.equal(await page.locator(".vertex.good").count(), 0);
    await write(page, 'print "x" {\n\tmsg => $nothing,\n}\n');
    await page.locator(".problems li.bad").first().waitFor();
    await write(page, 'print "x" {}\n');
    await page.getByText("No problems").waitFor();
    assert.equal(await page.locator(".vertex.good").count(), 0);
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.locator(".vertex.good").first().waitFor();
  } finally {
    await close();
  }
});

test("a compiler that cannot be loaded is asked for a few times, not for ever", { timeout: 300_000 }, async () => {
  const context = await house.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  let asked = 0;
  await page.route(/compiler.*\.wasm$|worker.*\.wasm$/, (route) => {
    asked += 1;
    return route.fulfill({ status: 404, body: "gone" });
  });
  await page.goto(house.url);
  // After 1, 2 and 4 seconds; a look that comes late finds a longer pause, and some more questions.
  await page.getByText(/Cannot load the compiler; retrying in (8|16|32|60) s/).waitFor();
  assert.ok(asked >= 1 && asked <= 8, `asked ${asked} times`);
  await page.unrouteAll();
  await ready(page);
  await page.getByText("Cannot load the compiler").waitFor({ state: "detached" });
  await context.close();
});

scene("without the clipboard, the page marks a text itself and has the browser copy it", async (page) => {
  await ready(page);
  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = (command) => {
      const { activeElement: field } = document;
      globalThis.copied = command === "copy" && field.matches("textarea") ? field.value.slice(field.selectionStart, field.selectionEnd) : "";
      return true;
    };
  });
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const copy = page.getByRole("button", { name: "Copy the long link", exact: true });
  await copy.click();
  await says(page, "Copied the long link");
  assert.equal(await page.evaluate(() => globalThis.copied), await page.getByLabel("long link", { exact: true }).inputValue());
  assert.ok(await copy.evaluate((button) => button === document.activeElement), "the focus is where it was");
});

test("without the clipboard a link can be marked by hand, and the page goes on", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await open(house.browser, house.url);
  try {
    await ready(page);
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    });
    await sharesByHand(page);
    // The server of these tests stores no programs, and says so.
    assert.deepEqual(faults.filter((fault) => !fault.includes("404")), []);
  } finally {
    await close();
  }
});

test("messages about the previous program disappear with it", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  try {
    await ready(page);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("button", { name: "Copy the long link", exact: true }).click();
    await page.locator(".notice").waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${house.url}#example=hello`);
    await page.locator(".notice").waitFor({ state: "detached" });
  } finally {
    await close();
  }
});

scene("a crash offers a report with what happened and the program", async (page) => {
  await ready(page);
  await page.evaluate(() => {
    globalThis.copied = "";
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (globalThis.copied = text) } });
    // The next check ends in a fault.
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
      if (!("Check" in message)) return post.call(this, message);
      Worker.prototype.postMessage = post;
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { broken: "unreachable executed" } })));
    };
  });
  await write(page, 'print "over this" {}\n');
  await page.getByText("The compiler crashed").waitFor();
  await page.getByRole("button", { name: "Copy report", exact: true }).click();
  await says(page, "Report copied");
  const report = await page.evaluate(() => globalThis.copied);
  assert.match(report, /^mclive [\d.]+, playground\nBrowser: .+\nMessage: unreachable executed\n/);
  assert.match(report, /print "over this"/);
  // If nothing can be copied, it is downloaded as a file.
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("refused", "NotAllowedError"));
    document.execCommand = () => false;
  });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Copy report", exact: true }).click(),
  ]);
  assert.equal(readFileSync(await download.path(), "utf8"), report);
  await says(page, "so the report was downloaded");
});

scene("on paper there is the program and its graph, without the bars", async (page) => {
  await ready(page);
  await page.emulateMedia({ media: "print" });
  await page.locator(".bar").waitFor({ state: "hidden" });
  await page.locator(".transport").waitFor({ state: "hidden" });
  await page.locator(".graph").waitFor();
});

scene("a sheet as narrow as a phone has the program, dark letters, and all of the graph", async (page) => {
  await ready(page);
  await page.getByRole("button", { name: "Use the dark theme" }).click();
  const screen = await page.locator(".stage .canvas").evaluate((canvas) => canvas.getBoundingClientRect().width);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.locator(".program .cm-content").waitFor();
  await page.locator(".stage .graph").waitFor();
  const isDark = await page.locator("body").evaluate((body) => getComputedStyle(body).color.match(/\d+/g).every((part) => Number(part) < 80));
  assert.ok(isDark, "light letters on white paper");
  const [, , width] = (await page.locator(".stage .canvas").getAttribute("viewBox")).split(" ").map(Number);
  assert.equal(width, screen);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.locator(".stage .canvas").getAttribute("viewBox"), null);
}, { colorScheme: "light" });
