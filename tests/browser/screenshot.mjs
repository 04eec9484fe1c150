// Makes the picture of the README: the page as it looks now.
//
//     cd www && node ../tests/browser/screenshot.mjs        (after `make site`)
import { join } from "node:path";
import { launch, open, root, serve } from "./setup.mjs";

const server = await serve();
const browser = await launch();
try {
  const { page, close } = await open(browser, `${server.url}#example=clock`, { colorScheme: "dark" });
  await page.locator(".vertex.good").first().waitFor();
  const greeting = page.getByRole("button", { name: "Close the welcome message", exact: true });
  if (await greeting.isVisible()) await greeting.click();
  await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
  // Some seconds on the timeline; then nothing moves.
  await page.waitForFunction(() => Number(document.querySelector(".track").getAttribute("aria-valuemax")) > 20);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity));
  await page.screenshot({ path: join(root, "www/screenshot.png") });
  await close();
} finally {
  await browser.close();
  server.stop();
}
