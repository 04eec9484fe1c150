// A server of the built site and a headless Chromium for the browser tests.
//
// `www/dist` must be built (`cargo run -p mclive-www -- build`). The browser is the system's; CHROMIUM
// names another one.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const require = createRequire(join(root, "www/package.json"));
export const { chromium } = require("playwright-core");
export const { default: AxeBuilder } = require("@axe-core/playwright");

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** Starts the site's own server on a free port; it sends the headers that every server sends. */
export async function serve() {
  const server = spawn("cargo", ["run", "-q", "-p", "mclive-www", "--", "serve", "127.0.0.1:0"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    // cargo and its child end together.
    detached: true,
  });
  const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", (data) => resolve(String(data).trim()));
    server.on("exit", () => reject(new Error("the server ended; is www/dist built?")));
  });
  return { url, stop: () => process.kill(-server.pid) };
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** A page in a context of its own; `faults` collects what the browser complains about. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block", ...options });
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
  });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/** Replaces the program, as a paste over all of it does. */
export async function write(page, text) {
  const content = page.locator(".cm-content");
  await content.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await content.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

