// How quick the page is, measured in headless Chromium, several rounds. Not a test: machines are noisy.
//
//     cd www && node ../tests/browser/figures.mjs        (after `make site`)
import { launch, open, serve, write } from "./setup.mjs";

const ROUNDS = 9;
const KEYS = 100;
const MOVES = 100;
const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
const p99 = (times) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1];
const ms = (times) => `p50 ${median(times).toFixed(0)} ms, p99 ${p99(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms (n=${times.length})`;

/** Milliseconds from `since` (0: when the address was entered) until the page holds what is looked for. */
const until = (page, selector, since) => page.evaluate(([selector, since]) => new Promise((resolve) => {
  const look = () => (document.querySelector(selector) ? resolve(performance.now() - since) : setTimeout(look, 1));
  look();
}), [selector, since]);

/** A program of about so many bytes: what users write, over and over. */
function program(size) {
  let text = 'import "fmt"\n';
  for (let n = 0; text.length < size; n++) {
    text += `$greeting${n} = fmt.printf("hello %d of %s", ${n}, "${n % 7} hosts")\n`
      + `file "/srv/greeting${n}" {\n\tstate   => "exists",\n\tcontent => $greeting${n},\n}\n`;
  }
  return text;
}

/** Types one wrong character; milliseconds from the key's own event to the squiggle in the editor's tree. */
async function squiggle(page) {
  const wrong = ".cm-lintRange-error, .cm-lintPoint-error";
  await page.evaluate((wrong) => void (globalThis.seen = new Promise((resolve) => {
    const editor = document.querySelector(".editor").shadowRoot;
    let begun;
    editor.addEventListener("keydown", () => { begun = performance.now(); }, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if (begun === undefined || !editor.querySelector(wrong)) return;
      observer.disconnect();
      resolve(performance.now() - begun);
    });
    observer.observe(editor, { subtree: true, childList: true, attributes: true });
  })), wrong);
  await page.keyboard.press("=");
  const time = await page.evaluate(() => globalThis.seen);
  await page.keyboard.press("Backspace");
  await page.locator(wrong).first().waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  return time;
}

/** The times between frames while the graph is dragged. */
async function pan(page) {
  const box = await page.locator(".canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => {
    globalThis.frames = [];
    let last;
    const frame = (now) => {
      if (last) globalThis.frames.push(now - last);
      last = now;
      globalThis.next = requestAnimationFrame(frame);
    };
    globalThis.next = requestAnimationFrame(frame);
  });
  for (let move = 1; move <= MOVES; move++) await page.mouse.move(x + 2 * move, y + move);
  const frames = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.next);
    return globalThis.frames;
  });
  await page.mouse.up();
  return frames;
}

const server = await serve();
const browser = await launch();
try {
  const graphs = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { page, close } = await open(browser, server.url);
    // Navigation began at 0 of the page's own clock.
    graphs.push(await until(page, ".vertex", 0));
    await close();
  }
  console.log(`first graph drawn after the address was entered, nothing cached: ${ms(graphs)}`);
  for (const kilobytes of [1, 10, 100]) {
    const { page, close } = await open(browser, server.url);
    await page.locator(".vertex.good").first().waitFor();
    await write(page, program(kilobytes * 1000));
    // All that the page says about it is said before the first key.
    await page.locator(".transport .status").getByText("Up to date").waitFor();
    await page.keyboard.press("Control+End");
    const times = [];
    for (let key = 0; key < KEYS; key++) times.push(await squiggle(page));
    console.log(`from a keystroke to its squiggle in ${kilobytes} kB: ${ms(times)}`);
    await close();
  }
  const { page, close } = await open(browser, server.url);
  await page.locator(".vertex.good").first().waitFor();
  await write(page, Array.from({ length: 1000 }, (_, n) => `file "/srv/n${n}" { state => "exists", }\n`).join(""));
  await page.locator(".vertex.good[data-name*='/srv/n999']").waitFor();
  // Where the titles are legible, there is most to draw.
  for (const zoom of ["all of them", "their titles"]) {
    if (zoom === "their titles") {
      await page.locator(".vertex[tabindex='0']").focus();
      for (let press = 0; press < 9; press++) await page.keyboard.press("+");
    }
    console.log(`frames while 1,000 resources are panned, with ${zoom} in sight: ${ms(await pan(page))}`);
  }
  await close();
} finally {
  await browser.close();
  server.stop();
}
