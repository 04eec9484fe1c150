// Makes the picture of the README; or, into a folder, pictures of every state of the page (`states.mjs`) on three widths in both
// themes, to be looked at. States may be chosen by name.
//
//     cd www && node ../tests/browser/screenshot.mjs [FOLDER [STATE…]]        (after `make site`)
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, open, root, serve } from "./setup.mjs";
import { STATES } from "./states.mjs";

/** How long a state may take to be reached. Units: milliseconds. */
const LIMIT_MS = 30_000;
const SIZES = [{ width: 1440, height: 900 }, { width: 768, height: 1024 }, { width: 390, height: 844 }];
const THEMES = ["dark", "light"];

/** A picture as soon as nothing moves but what always does. */
async function take(page, path) {
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity));
  await page.screenshot({ path });
}

/** The picture of the README: the page as it looks now. */
async function readme(browser, url) {
  const { page, close } = await open(browser, `${url}#example=clock`, { colorScheme: "dark" });
  await page.locator(".vertex.good").first().waitFor();
  const greeting = page.getByRole("button", { name: "Close the welcome message", exact: true });
  if (await greeting.isVisible()) await greeting.click();
  await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
  // Some seconds on the timeline; then nothing moves.
  await page.waitForFunction(() => Number(document.querySelector(".track").getAttribute("aria-valuemax")) > 20);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.mouse.move(0, 0);
  await take(page, join(root, "www/screenshot.png"));
  await close();
}

/** The picture of a state: `FOLDER/STATE-WIDTH-THEME.png`. */
async function picture(browser, url, folder, name, viewport, colorScheme) {
  const { path = "", prepare, act, isFirst } = STATES[name];
  const { page, close } = await open(browser, url + path, {
    viewport,
    colorScheme,
    async prepare(page) {
      page.setDefaultTimeout(LIMIT_MS);
      if (!isFirst) await page.addInitScript(() => localStorage.setItem("mclive.seen", "1"));
      await prepare?.(page);
    },
  });
  try {
    await act(page);
    await take(page, join(folder, `${name}-${viewport.width}-${colorScheme}.png`));
  } finally {
    await close();
  }
}

const [folder, ...chosen] = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in STATES));
if (unknown.length > 0) {
  console.error(`unknown state: ${unknown.join(", ")}; the states are ${Object.keys(STATES).join(", ")}`);
  process.exit(2);
}
const server = await serve();
const browser = await launch();
try {
  if (folder === undefined) {
    await readme(browser, server.url);
  } else {
    mkdirSync(folder, { recursive: true });
    for (const name of chosen.length > 0 ? chosen : Object.keys(STATES)) {
      for (const viewport of SIZES) {
        for (const colorScheme of THEMES) {
          try {
            await picture(browser, server.url, folder, name, viewport, colorScheme);
          } catch (error) {
            console.error(`${name}, ${viewport.width} px, ${colorScheme}: ${error.message.split("\n")[0]}`);
            process.exitCode = 1;
          }
        }
      }
    }
  }
} finally {
  await browser.close();
  server.stop();
}
