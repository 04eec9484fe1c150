// Large type: what is read from afar is large, and stays in sight.
import assert from "node:assert/strict";
import { accessible, placeOf, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const vertices = (page) => page.locator(".vertex");

scene("large type is for a room, and stays after a reload", async (page) => {
  await vertices(page).first().waitFor();
  const size = () => page.locator(".cm-content").evaluate((content) => parseFloat(getComputedStyle(content).fontSize));
  const usual = await size();
  // The graph is fitted into its window.
  const height = () => document.querySelector(".vertex .title").getBoundingClientRect().height;
  await page.waitForFunction(() => !document.querySelector(".canvas > g").getAttribute("transform").startsWith("translate(0.00 0.00)"));
  const title = await page.evaluate(height);
  const toggle = page.getByRole("button", { name: "Large text", exact: true });
  await toggle.click();
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-large"));
  assert.ok(await size() > 1.4 * usual);
  await page.waitForFunction((title) => document.querySelector(".vertex .title").getBoundingClientRect().height > 1.3 * title, title);
  for (const view of ["Resources", "Host", "Log"]) {
    await page.getByRole("tab", { name: new RegExp(view) }).click();
    await accessible(page, view);
    const beyond = await page.evaluate(() => [...document.querySelectorAll(".stage button, .bar button")].filter((one) => one.getBoundingClientRect().right > innerWidth).length);
    assert.equal(beyond, 0, `${view}: buttons are cut off`);
  }
  await page.reload();
  await vertices(page).first().waitFor();
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  await page.waitForFunction((title) => document.querySelector(".vertex .title").getBoundingClientRect().height > 1.3 * title, title);
  await toggle.click();
  await page.waitForFunction(() => !document.documentElement.hasAttribute("data-large"));
  await page.waitForFunction((title) => document.querySelector(".vertex .title").getBoundingClientRect().height < 1.1 * title, title);
  assert.equal(await size(), usual);
});

scene("popups of the editor are large too", async (page) => {
  await page.locator(".mcl-hint").first().waitFor();
  await page.getByRole("button", { name: "Large text", exact: true }).click();
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-large"));
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  const { x, y } = await placeOf(page, "$mood");
  await page.mouse.click(x, y);
  await page.keyboard.press("ControlOrMeta+i");
  // The mouse may have opened another popup, so this one is found by its role.
  assert.ok(await page.locator(".mcl-hover[role=status] .mcl-head").evaluate(size) >= 17);
  await page.keyboard.press("ControlOrMeta+f");
  for (const part of ["input[name=search]", "button[name=next]"]) assert.ok(await page.locator(`.cm-search ${part}`).evaluate(size) >= 17, part);
});

/** Whether all of a vertex is in sight. */
const isInSight = (vertex) => {
  const [room, box] = [".canvas", `${vertex} > rect`].map((one) => document.querySelector(one)?.getBoundingClientRect());
  return room && box && box.left >= room.left - 1 && box.right <= room.right + 1 && box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
};
/** Whether a vertex is there, and some of it is out of sight. */
const isCut = (vertex) => {
  const [room, box] = [".canvas", `${vertex} > rect`].map((one) => document.querySelector(one)?.getBoundingClientRect());
  return room && box && (box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1 || box.bottom > room.bottom + 1);
};
const SELECTED = ".vertex.selected";
const FIRST = ".vertex[data-name*='/srv/p0']";
const LAST = ".vertex[data-name*='/srv/p7']";

/** Eight files, one after the other; the last one is up to date. */
async function chain(page) {
  await vertices(page).first().waitFor();
  const names = Array.from({ length: 8 }, (_, n) => `/srv/p${n}`);
  const order = names.slice(1).map((name, n) => `File["${names[n]}"] -> File["${name}"]\n`);
  await write(page, names.map((name) => `file "${name}" {\n\tstate => "exists",\n}\n`).join("") + order.join(""));
  const last = page.locator(".vertex.good[data-name*='/srv/p7']");
  await last.waitFor();
  return last;
}

scene("with large type, what is selected stays in sight above the inspector", async (page) => {
  const last = await chain(page);
  await page.getByRole("button", { name: "Large text", exact: true }).click();
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-large"));
  await last.dispatchEvent("click");
  await page.locator(".inspector").waitFor();
  await page.waitForFunction(isInSight, SELECTED);
});

scene("the selection stays in sight when its graph gets less room", async (page) => {
  const last = await chain(page);
  await page.getByRole("button", { name: "Large text", exact: true }).click();
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-large"));
  await last.dispatchEvent("click");
  await page.waitForFunction(isInSight, SELECTED);
  const height = await page.evaluate(() => document.querySelector(".canvas").getBoundingClientRect().height);
  // As when the inspector shows more.
  await page.setViewportSize({ width: 1280, height: 560 });
  await page.waitForFunction((height) => document.querySelector(".canvas").getBoundingClientRect().height < height - 60, height);
  await page.waitForFunction(isInSight, SELECTED);
});

for (const type of ["usual", "large"]) {
  scene(`a vertex selected by a link in the inspector comes into sight: ${type} type`, async (page) => {
    const last = await chain(page);
    if (type === "large") {
      await page.getByRole("button", { name: "Large text", exact: true }).click();
      await page.waitForFunction(() => document.documentElement.hasAttribute("data-large"));
    }
    await last.dispatchEvent("click");
    await page.locator(".inspector").waitFor();
    await page.waitForFunction(isInSight, SELECTED);
    if (type === "usual") {
      await last.focus();
      // What was zoomed is not fitted again. At the greatest scale, the first vertex is certainly out of sight.
      for (let press = 0; press < 12 && (press === 0 || await page.evaluate(isInSight, FIRST)); press += 1) await page.keyboard.press("+");
    }
    // The graph may become large later than the page.
    await page.waitForFunction(isCut, FIRST);
    for (const n of [6, 5, 4, 3, 2, 1, 0]) {
      await page.locator(".inspector").getByRole("button", { name: `file[/srv/p${n}]`, exact: true }).click();
      await page.locator(`${SELECTED}[data-name*='/srv/p${n}']`).waitFor();
      await page.waitForFunction(isInSight, SELECTED);
    }
  });
}

scene("the selection comes into sight in room that exists only for a moment", async (page) => {
  await chain(page);
  await page.locator(FIRST).dispatchEvent("click");
  await page.waitForFunction(isInSight, SELECTED);
  // What was zoomed is not fitted again.
  const zoomIn = page.getByRole("button", { name: "Zoom in", exact: true });
  for (let press = 0; press < 12 && (press === 0 || await page.evaluate(isInSight, LAST)); press += 1) await zoomIn.click();
  await page.evaluate(async (last) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const graph = document.querySelector(".graph");
    const { width, height } = graph.getBoundingClientRect();
    await frame();
    await frame();
    Object.assign(graph.style, { flex: "none", width: `${width + 200}px`, height: `${height + 200}px` });
    document.querySelector(last).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    // The selection is drawn, and the graph moved for it, before the browser shows the next frame.
    for (let turn = 0; turn < 100; turn += 1) await undefined;
    graph.removeAttribute("style");
  }, LAST);
  await page.locator(`${SELECTED}[data-name*='/srv/p7']`).waitFor();
  await page.waitForFunction(isInSight, SELECTED);
});

scene("a graph that has no room when its type becomes large is large once it has", async (page) => {
  await chain(page);
  const height = () => document.querySelector(".vertex .title").getBoundingClientRect().height;
  const title = await page.evaluate(height);
  const show = (display) => page.locator("#view").evaluate((view, display) => { view.style.display = display; }, display);
  await show("none");
  await page.getByRole("button", { name: "Large text", exact: true }).click();
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-large"));
  await show("");
  await page.waitForFunction((title) => document.querySelector(".vertex .title").getBoundingClientRect().height > 1.3 * title, title);
});
