// How quick the page is, measured in headless Chromium, medians of several rounds. Not a test: machines are noisy.
//
//     cd www && node ../tests/browser/figures.mjs        (after `make site`)
import { launch, open, serve } from "./setup.mjs";

const ROUNDS = 9;
const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
const ms = (times) => `p50 ${median(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms (n=${times.length})`;

/** Milliseconds from now, or from `since`, until the page holds what is looked for; the editor is in a tree of its own. */
const until = (page, selector, since) => page.evaluate(([selector, since]) => new Promise((resolve) => {
  const begun = since ?? performance.now();
  const trees = () => [document, ...[...document.querySelectorAll("*")].flatMap((element) => element.shadowRoot ?? [])];
  const look = () => {
    if (trees().some((tree) => tree.querySelector(selector))) resolve(performance.now() - begun);
    else setTimeout(look, 1);
  };
  look();
}), [selector, since]);

const server = await serve();
const browser = await launch();
try {
  const [graphs, squiggles] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const { page, close } = await open(browser, server.url);
    // Navigation began at 0 of the page's own clock.
    graphs.push(await until(page, ".vertex", 0));
    await page.locator(".vertex.good").first().waitFor();
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    const seen = until(page, ".cm-lintRange-error, .cm-lintPoint-error");
    await page.keyboard.press("=");
    squiggles.push(await seen);
    await close();
  }
  console.log(`first graph drawn after the address was entered, nothing cached: ${ms(graphs)}`);
  console.log(`from a keystroke to its squiggle: ${ms(squiggles)}`);
} finally {
  await browser.close();
  server.stop();
}
