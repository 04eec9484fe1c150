// Time that goes both ways.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const KEPT = 'file "/srv/kept" {\n\tstate => "exists",\n\tcontent => "as it was\\n",\n}\n';
const track = (page) => page.getByRole("slider", { name: "Moments" });
const words = (page) => page.locator(".moment-words");

async function start(page) {
  await page.locator(".vertex").first().waitFor();
  await write(page, KEPT);
  await page.locator(".vertex.good[data-name*='/srv/kept']").waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
}

/** Another content for the file on the host, behind the program's back. */
async function drift(page, text) {
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.locator(".file textarea").fill(text);
  await page.getByRole("button", { name: "Save file", exact: true }).click();
}

scene("back to a moment, and on from there with another future", async (page) => {
  await start(page);
  await drift(page, "somebody's\n");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  await page.getByRole("tab", { name: /Log/ }).click();
  // The moment at which it was changed: the host is as it was then, and stays so.
  const line = page.locator(".log li").filter({ hasText: "someone wrote /srv/kept" });
  await line.locator("button.moment").click();
  await page.getByRole("button", { name: "Latest", exact: true }).waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "somebody's\n");
  // On by keys: it is repaired again; back by keys.
  await track(page).focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => !document.querySelector(".tree")?.textContent.includes("kept"));
  const marks = Number(await track(page).getAttribute("aria-valuemax"));
  assert.ok(marks >= 4, `${marks} marks`);
  // A change in the past: what came after it is another course of events.
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "someone" }).first().waitFor({ state: "detached" });
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "hostname" }).click();
  await page.getByRole("button", { name: "delete it" }).click();
  await page.getByRole("button", { name: "Latest", exact: true }).waitFor({ state: "detached" });
  await words(page).getByText("someone removed /etc/hostname").waitFor();
});

scene("an event of one's own happens at another moment, with other consequences", async (page) => {
  await start(page);
  await drift(page, "somebody's\n");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "someone wrote /srv/kept" }).locator("button.moment").click();
  await page.getByRole("button", { name: "Latest", exact: true }).waitFor();
  const mine = words(page).filter({ hasText: "someone wrote /srv/kept" });
  await mine.waitFor();
  const before = await mine.innerText();
  // With Alt, the browser goes back.
  const back = { key: "ArrowLeft", altKey: true, bubbles: true, cancelable: true };
  assert.ok(await track(page).evaluate((line, init) => line.dispatchEvent(new KeyboardEvent("keydown", init)), back));
  const move = page.getByRole("group", { name: "Move this event" });
  await move.getByRole("button", { name: "−1 s" }).click();
  await page.waitForFunction((before) => document.querySelector(".moment-words")?.textContent.trim() !== before.trim(), before);
  await mine.waitFor();
  await page.getByRole("button", { name: "Latest", exact: true }).click();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
});

scene("an event of one's own is dragged to another moment", async (page) => {
  await start(page);
  await drift(page, "first\n");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  await drift(page, "second\n");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "someone wrote /srv/kept" }).last().locator("button.moment").click();
  const mine = words(page).filter({ hasText: "someone wrote /srv/kept" });
  await mine.waitFor();
  const before = await mine.innerText();
  const [line, here] = [await track(page).boundingBox(), await page.locator(".track .here").boundingBox()];
  const y = line.y + line.height / 2;
  await page.mouse.move(here.x + here.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(line.x + 2, y, { steps: 5 });
  await words(page).getByText(/^Release to do this at 00:00:0/).waitFor();
  await page.keyboard.press("Escape");
  await page.mouse.up();
  assert.equal((await mine.innerText()).trim(), before.trim(), "Escape leaves it where it is");
  await page.mouse.move(here.x + here.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(line.x + 2, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((before) => document.querySelector(".moment-words")?.textContent.trim() !== before.trim(), before);
  await mine.waitFor();
});

scene("an event of one's own is undone by a click, by a key and in the log, and never happened", async (page) => {
  await start(page);
  const lines = page.locator(".log li").filter({ hasText: "someone wrote /srv/kept" });
  for (const by of ["click", "key", "log"]) {
    await drift(page, `${by}\n`);
    await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
    await page.getByRole("tab", { name: /Log/ }).click();
    if (by === "log") {
      await lines.getByRole("button", { name: "Undo", exact: true }).click();
      await lines.waitFor({ state: "detached" });
      assert.ok(await page.locator(".log").evaluate((log) => log === document.activeElement), "the focus is lost");
      continue;
    }
    await lines.locator("button.moment").click();
    await words(page).filter({ hasText: "someone wrote /srv/kept" }).waitFor();
    if (by === "click") {
      await page.getByRole("button", { name: "Undo this event", exact: true }).click();
    } else {
      await track(page).focus();
      await page.keyboard.press("Delete");
    }
    await lines.waitFor({ state: "detached" });
    await words(page).filter({ hasText: "someone wrote /srv/kept" }).waitFor({ state: "detached" });
    assert.ok(await track(page).evaluate((line) => line === document.activeElement), `${by}: the focus is lost`);
    await page.getByRole("button", { name: "Play", exact: true }).click();
  }
});

scene("time runs to the next event, until converged and until something fails", async (page) => {
  await start(page);
  const until = page.getByRole("combobox", { name: "Run until" });
  await drift(page, "somebody's\n");
  await until.selectOption("converged");
  await words(page).getByText("converged").waitFor();
  await page.getByRole("tab", { name: /Resources/ }).click();
  await page.locator(".vertex[data-name*='/srv/kept']").click();
  await page.getByRole("button", { name: "replace it with a directory" }).click();
  await until.selectOption("failure");
  await page.locator(".transport .status.bad").waitFor();
  // From here on, time is certainly stopped: it may have continued until now.
  await page.keyboard.press("Alt+p");
  await page.getByRole("button", { name: "Latest", exact: true }).waitFor();
  const back = Number(await now(page));
  await moves(page, () => page.keyboard.press("Alt+n"));
  assert.ok(Number(await now(page)) > back, "the next event is later");
  await moves(page, () => page.keyboard.press("Alt+p"));
  assert.equal(Number(await now(page)), back, "the one before is the same");
});

const lanes = (page) => page.locator(".lanes li");
const lane = (page, name) => lanes(page).filter({ hasText: name });
const now = (page) => track(page).getAttribute("aria-valuenow");
/** Something goes to another moment. */
async function moves(page, act) {
  const before = await now(page);
  await act();
  await page.waitForFunction((before) => document.querySelector(".track").getAttribute("aria-valuenow") !== before, before);
}

scene("each resource that changed has a lane, which leads to its events", async (page) => {
  await page.locator(".vertex").first().waitFor();
  // The directory is there from the start, so nothing ever happens to it.
  await write(page, `${KEPT}file "/srv/" {\n\tstate => "exists",\n}\nfile "/srv/other" {\n\tstate => "exists",\n\tcontent => "",\n}\n`);
  await page.locator(".vertex.good[data-name*='/srv/other']").waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await drift(page, "somebody's\n");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  const toggle = page.getByRole("button", { name: "Resource lanes", exact: true });
  assert.equal(await toggle.getAttribute("aria-expanded"), "false");
  await toggle.click();
  await lane(page, "file[/srv/kept]").waitFor();
  assert.equal(await toggle.getAttribute("aria-expanded"), "true");
  assert.equal(await lane(page, "file[/srv/]").count(), 0, "it never changed");
  // Those of the page's first program are still on the timeline.
  const search = page.getByRole("textbox", { name: "Search the resources" });
  await search.fill("kept");
  await page.waitForFunction(() => document.querySelectorAll(".lanes li").length === 1);
  await search.fill("nothing of this name");
  await page.locator(".lanes").getByText("No resource matches").waitFor();
  await search.fill("/srv/");
  await lane(page, "file[/srv/other]").waitFor();
  const kept = lane(page, "file[/srv/kept]").getByRole("button");
  await kept.focus();
  await moves(page, () => page.keyboard.press("Home"));
  await page.getByRole("button", { name: "Latest", exact: true }).waitFor();
  assert.ok(await lane(page, "file[/srv/kept]").locator(".moment.ahead").count() > 0, "it is repaired later");
  const first = Number(await now(page));
  await moves(page, () => page.keyboard.press("ArrowRight"));
  assert.ok(Number(await now(page)) > first, "right leads to its next event");
  await moves(page, () => page.keyboard.press("ArrowLeft"));
  assert.equal(Number(await now(page)), first, "left leads back");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.closest(".lanes li")?.textContent.includes("file[/srv/other]"));
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.activeElement?.closest(".lanes li")?.textContent.includes("file[/srv/kept]"));
  await page.waitForFunction(() => document.activeElement.tabIndex === 0);
  assert.equal(await page.locator(".lanes li button[tabindex='0']").count(), 1, "Tab leads to one of them");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement?.closest(".time-line"));
  await page.keyboard.press("Shift+Tab");
  await page.waitForFunction(() => document.activeElement?.closest(".lanes li")?.textContent.includes("file[/srv/kept]"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-pressed") === "true");
  await page.locator(".track .led").first().waitFor({ state: "attached" });
  // The last event is where the pointer is nearest to it.
  await moves(page, async () => {
    const box = await lane(page, "file[/srv/kept]").locator(".lane").boundingBox();
    await page.mouse.click(box.x + box.width - 3, box.y + box.height / 2);
  });
  await toggle.click();
  await page.locator(".lanes").waitFor({ state: "detached" });
});

scene("many resources are few lanes, and another host has its own", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'import "iter"\nimport "fmt"\n$l = iter.map(iter.range(120), func($i) { fmt.printf("/srv/n%d", $i) })\nfile $l {\n\tstate => "exists",\n\tcontent => $hostname,\n}\n');
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
  const search = page.getByRole("textbox", { name: "Search the resources" });
  await search.fill("/srv/n");
  await page.locator(".lanes").getByText("120 resources of web1 match; the first 40 are shown").waitFor();
  assert.equal(await lanes(page).count(), 40);
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Add host", exact: true }).click();
  await page.locator(".card").filter({ hasText: "web2" }).click();
  await page.locator(".lanes").getByText("120 resources of web2 match; the first 40 are shown").waitFor();
  await search.fill("/srv/n77");
  await page.locator(".lanes").getByText("1 resource of web2 matches").waitFor();
});

/** No control of the graph lies over a vertex, once the graph is fitted into its room. */
const uncovered = (page) => page.waitForFunction(() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
  const covers = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const graph = document.querySelector(".graph").getBoundingClientRect();
  const vertices = boxes(".graph .vertex");
  const controls = boxes(".graph :is(button, input)").filter((box) => box.width > 0);
  const inside = (box) => box.top >= graph.top && box.bottom <= graph.bottom;
  return vertices.length > 0 && controls.length > 0 && vertices.every((box) => inside(box) && !controls.some((control) => covers(control, box)));
});

for (const width of [1440, 768, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    scene(`the line of moments can be read and used: ${colorScheme}, ${width} px`, async (page) => {
      await page.locator(".vertex").first().waitFor();
      await page.waitForFunction(() => Number(document.querySelector(".track")?.getAttribute("aria-valuemax")) > 5);
      await track(page).focus();
      await page.keyboard.press("Home");
      await page.getByRole("button", { name: "Latest", exact: true }).waitFor();
      await accessible(page, "time");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      const box = await track(page).boundingBox();
      assert.ok(box.width >= 90 && box.height >= 20, JSON.stringify(box));
      await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
      await lanes(page).first().waitFor();
      await accessible(page, "lanes");
      const own = await lanes(page).first().locator(".lane").boundingBox();
      assert.ok(own.width >= 90 && own.x + own.width <= width, JSON.stringify(own));
      const line = await track(page).boundingBox();
      const off = [own.x - line.x, own.x + own.width - line.x - line.width].map(Math.abs);
      assert.ok(Math.max(...off) < 1, `a moment is elsewhere in the lanes: ${JSON.stringify([own, line])}`);
      const { height } = await page.locator(".lanes").boundingBox();
      assert.ok(width > 390 || height <= 150, `the lanes leave little room for the graph: ${height} px`);
      await track(page).focus();
      await page.keyboard.press("End");
      await page.getByRole("button", { name: "Latest", exact: true }).waitFor({ state: "detached" });
      await page.locator(".vertex").first().waitFor();
      await uncovered(page);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/time-${width}-${colorScheme}.png` });
    }, { colorScheme, viewport: { width, height: width < 700 ? 844 : 900 } });
  }
}

scene("on a low phone, lanes and inspector leave room for the graph", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await page.getByRole("button", { name: "Close the welcome message", exact: true }).click();
  await page.waitForFunction(() => Number(document.querySelector(".track")?.getAttribute("aria-valuemax")) > 5);
  await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
  await lanes(page).first().waitFor();
  await page.locator(".vertex").first().dispatchEvent("click");
  await page.locator(".inspector").waitFor();
  await uncovered(page);
  const heights = await page.evaluate(() => [".graph", ".lanes", ".inspector"].map((part) => document.querySelector(part).getBoundingClientRect().height));
  assert.ok(heights[0] >= 138 && heights[1] >= 60 && heights[2] >= 40, JSON.stringify(heights));
  const bottom = await page.evaluate(() => document.querySelector(".tabs").getBoundingClientRect().bottom - innerHeight);
  assert.ok(bottom <= 0.5, `the tabs end ${bottom} px below the page`);
}, { viewport: { width: 390, height: 667 } });

/**
 * A repetition that is under way stays so until `globalThis.holds` is false: its next turns are answered as the first one was,
 * without the worker.
 */
const held = (page) => page.addInitScript(() => {
  globalThis.holds = true;
  const [post, heard] = [Worker.prototype.postMessage, new WeakSet()];
  let progress;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (!heard.has(this)) {
      heard.add(this);
      this.addEventListener("message", ({ data }) => {
        // The first byte of an answer about progress (`playground/src/worker/protocol/bytes.rs`).
        if (data?.answer instanceof Uint8Array && data.answer[0] === 13) progress = data;
      });
    }
    if (message === "Repeat" && globalThis.holds) {
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: progress })), 50);
    } else {
      post.call(this, message, ...rest);
    }
  };
});

/**
 * Hours in which little happens but the clock, and a change by hand at their beginning: that moment is displayed. They have
 * more steps than a turn of the worker. Going to that moment ends the run.
 */
async function hours(page, prepare = () => {}) {
  await page.locator(".vertex").first().waitFor();
  await write(page, KEPT.replace('"as it was\\n"', 'if $late { "late\\n" } else { "as it was\\n" }').replace(/^/, 'import "datetime"\n$late = datetime.now() > 99999999999\n'));
  await page.locator(".vertex.good[data-name*='/srv/kept']").waitFor();
  await prepare();
  await drift(page, "somebody's\n");
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
  await page.getByRole("combobox", { name: "Run until" }).selectOption("failure");
  await page.waitForFunction(() => document.querySelector(".now").textContent >= "10:00");
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "someone wrote /srv/kept" }).locator("button.moment").click();
  await words(page).filter({ hasText: "someone wrote /srv/kept" }).waitFor();
}

const repeating = (page) => words(page).filter({ hasText: /^\s*Replaying later events: \d+:\d+:\d+\.\d of \d\d:/ });

scene("a long repetition tells how far it is, and a stop leaves everything as it was", async (page) => {
  await hours(page);
  const state = async () => [await now(page), await track(page).getAttribute("aria-valuemax"), await page.locator(".now").innerText()];
  const before = await state();
  const undo = page.getByRole("button", { name: "Undo this event", exact: true });
  await undo.click();
  await repeating(page).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await words(page).filter({ hasText: "someone wrote /srv/kept" }).waitFor();
  assert.deepEqual(await state(), before);
  assert.ok(await track(page).evaluate((line) => line === document.activeElement), "the focus is lost");
  // The buttons that move an event keep the focus, unless they disappear because it takes long.
  await page.getByRole("group", { name: "Move this event" }).getByRole("button", { name: "+1 s" }).click();
  await repeating(page).waitFor();
  await page.waitForFunction(() => document.activeElement?.matches(".track"));
  assert.equal(await track(page).getAttribute("aria-valuetext"), "Replaying later events");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await words(page).filter({ hasText: "someone wrote /srv/kept" }).waitFor();
  assert.deepEqual(await state(), before);
  // If it is undone after all, it continues to the end.
  await page.evaluate(() => {
    globalThis.holds = false;
  });
  await undo.click();
  await page.locator(".log li").filter({ hasText: "someone wrote /srv/kept" }).waitFor({ state: "detached" });
}, { prepare: held });

scene("another host can be looked at during a repetition", async (page) => {
  const card = (host, isShown = false) => page.locator(`.fleet .card${isShown ? "[aria-current]" : ""}`).filter({ hasText: host });
  await hours(page, async () => {
    await page.getByRole("tab", { name: /Host/ }).click();
    await page.getByRole("button", { name: "Add host", exact: true }).click();
    await card("web2").click();
    await card("web2", true).waitFor();
    // Its clock would double the work.
    await page.getByRole("button", { name: "Pause host" }).click();
    await card("web2").getByText("Paused").waitFor();
    await card("web1").click();
    await card("web1", true).waitFor();
  });
  await page.getByRole("button", { name: "Undo this event", exact: true }).click();
  await repeating(page).waitFor();
  await card("web2").click();
  await card("web2", true).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await repeating(page).waitFor({ state: "detached" });
  await card("web2", true).waitFor();
}, { prepare: held });
