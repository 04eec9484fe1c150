// A server of the built site and a headless browser for the browser tests.
//
// `www/dist` must be built (`make site`). Tests run in Chromium unless they or BROWSER say otherwise.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browsers.mjs";
import { built, root } from "./built.mjs";
import { Contexts, PATIENCE_MS, separate } from "./contexts.mjs";

export { launch, PATIENCE_MS, root };
const require = createRequire(join(root, "www/package.json"));
const axe = require("axe-core").source;

/** Starts the site's own server on a free port; it sends the headers that every server sends. */
export async function serve() {
  const server = spawn(built("mclive-www"), ["serve", "127.0.0.1:0"], {
    cwd: root,
    env: { ...process.env, CARGO_MANIFEST_DIR: join(root, "www") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", (data) => resolve(String(data).trim()));
    server.on("exit", () => reject(new Error("the server ended; is www/dist built?")));
  });
  return { url, stop: () => server.kill() };
}

/**
 * A page in a separate context; `faults` collects what the browser complains about. `prepare` is called with the page
 * before it goes anywhere.
 */
export async function open(browser, url, { prepare, ...options } = {}) {
  const context = await separate(browser, options);
  return { ...await openIn(context, url, prepare), close: () => context.close() };
}

/** Opens a page in a context. */
async function openIn(context, url, prepare) {
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener("securitypolicyviolation", (event) => {
      globalThis.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
    globalThis.heard = [];
    new MutationObserver(() => {
      const text = document.querySelector(".notice")?.textContent ?? "";
      if (text !== globalThis.heard.at(-1)) globalThis.heard.push(text);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await prepare?.(page);
  await page.goto(url);
  return { page, faults };
}

/** The content of the page, to explain why a test failed. */
async function shown(page) {
  const texts = await Promise.all([".cm-content", ".stage", ".transport"].map(async (part) => {
    const text = await page.locator(part).first().innerText({ timeout: 1_000 }).catch(() => "");
    return text && `\n${part} shows:\n${text.slice(0, 2_000)}\n`;
  }));
  return texts.join("");
}

/**
 * A server and a browser for the tests of one file. `scene` opens a page, and at the end asks whether the
 * browser complained.
 */
export function scenes(browser, launched) {
  const house = { url: "", browser: null, scene };
  const contexts = new Contexts();
  let server;
  before(async () => {
    server = await serve();
    house.url = server.url;
    house.browser = await launch(browser, launched);
  });
  after(async () => {
    await house.browser?.close();
    server?.stop();
  });
  function scene(name, run, { path = "", timeout = 300_000, prepare, ...options } = {}) {
    test(name, { timeout }, async () => {
      const used = await contexts.take(house.browser, options, house.url);
      const { page, faults } = await openIn(used.context, house.url + path, prepare);
      let passed = false;
      try {
        await run(page);
        assert.deepEqual(await page.evaluate(() => globalThis.violations), [], "the policy was violated");
        assert.deepEqual(faults, []);
        passed = true;
      } catch (error) {
        // Reports show the one or the other.
        const seen = await shown(page);
        error.message += seen;
        error.stack += seen;
        throw error;
      } finally {
        await contexts.give(used, { passed });
      }
    });
  }
  return house;
}

/**
 * The violations that axe finds in a frame. It stays in the document, and tells nothing else: what passes would cost ten
 * times as much to hand over.
 */
async function violations(frame) {
  if (!await frame.evaluate(() => "axe" in globalThis)) await frame.evaluate(axe);
  return frame.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], iframes: false });
    return violations.map(({ id, nodes }) => ({ id, html: nodes.map((node) => node.html.slice(0, 120)) }));
  });
}

/** The same of all frames. Axe fails by itself when an element that it looks at is replaced meanwhile: then it looks again. */
async function analysed(page) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await Promise.all(page.frames().map(violations))).flat();
    } catch (error) {
      if (attempt === 5 || !/TypeError/.test(error.message)) throw error;
    }
  }
}

/**
 * Fails where axe finds a fault. What glides or glows has another colour on its way: at first that is waited for, and if
 * it begins again meanwhile, what it breaks is right at one of the next looks.
 */
export async function accessible(page, what) {
  let [faults, looks] = [[], 0];
  do {
    await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity));
    const found = await analysed(page);
    faults = found.filter(({ id }) => looks === 0 || faults.some((before) => before.id === id));
    looks += 1;
  } while (faults.length > 0 && looks < 5);
  assert.deepEqual(faults.map(({ id, html }) => `${what}: ${id}: ${html.join(" | ")}`), []);
}

/** Replaces the program, as a paste over all of it does. */
export async function write(page, text) {
  const content = page.locator(".cm-content");
  await content.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await content.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    // Firefox empties what the event would be made with.
    Object.defineProperty(paste, "clipboardData", { value: clipboardData });
    element.dispatchEvent(paste);
  }, text);
}

/**
 * Waits until the page has said something since it was opened. A success is shown for a few seconds, in which a busy machine may
 * not look.
 */
export const says = (page, words) => page.waitForFunction((words) => globalThis.heard.some((text) => text.includes(words)), words);

/**
 * A candidate that the editor suggests, once it can be chosen: a list that is about to be replaced takes neither a key nor a
 * click. A part of the compiler that has to be loaded first may take longer than the editor waits; people ask again then.
 */
export async function suggests(page, hasText) {
  const list = page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)");
  const found = list.locator("li").filter({ hasText }).first();
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    if (await found.waitFor({ timeout: 15_000 }).then(() => true, () => false)) return found;
    await page.keyboard.press("Control+Space");
  }
  assert.fail(`${hasText} is not suggested`);
}

/** The program in the editor. */
export const textOf = (page) => page.locator(".cm-content").innerText();

/** Waits until the program is as wanted. */
export async function reads(page, wanted) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const text = await textOf(page);
    if (wanted(text)) return text;
    assert.ok(Date.now() < deadline, `the program stays\n${text}`);
    await page.waitForTimeout(50);
  }
}

/**
 * The position of the text `needle` on the screen, `offset` characters into it; `nth` from 0. The editor scrolls to its
 * cursor with the next frame, which a busy machine draws late: a place holds when a whole frame did not move it.
 */
export function placeOf(page, needle, { nth = 0, offset = 1 } = {}) {
  return page.locator(".cm-content").evaluate(async (content, [needle, nth, offset]) => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    const place = () => {
      let skipped = 0;
      for (const line of content.querySelectorAll(".cm-line")) {
        for (let at = line.textContent.indexOf(needle); at >= 0; at = line.textContent.indexOf(needle, at + 1)) {
          if (skipped++ < nth) continue;
          const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          let rest = at + offset;
          let text = walker.nextNode();
          while (rest >= text.length) {
            rest -= text.length;
            text = walker.nextNode();
          }
          const range = document.createRange();
          range.setStart(text, rest);
          range.setEnd(text, rest + 1);
          const box = range.getBoundingClientRect();
          return { x: box.x + 2, y: box.y + box.height / 2 };
        }
      }
      throw new Error(`the program has no ${needle}`);
    };
    let before = place();
    for (let frames = 0; frames < 300; frames += 1) {
      await frame();
      const now = place();
      if (now.x === before.x && now.y === before.y) return now;
      before = now;
    }
    throw new Error(`${needle} does not come to rest`);
  }, [needle, nth, offset]);
}

/** If nothing can be copied, the link is shown for manual selection, and the page continues. */
export async function sharesByHand(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Copy the long link", exact: true }).click();
  await page.getByText("The browser does not allow copying").waitFor();
  assert.match(await page.getByLabel("long link", { exact: true }).inputValue(), /#c=/);
  await page.keyboard.press("Escape");
  await write(page, 'print "goes on" {}\n');
  await page.locator(".vertex[data-name*='goes on']").waitFor();
}
