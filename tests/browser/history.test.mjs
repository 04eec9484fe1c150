// Local history: versions over the edits of one program, to which one can go back.
import assert from "node:assert/strict";
import { accessible, reads, scenes, write } from "./setup.mjs";

const { scene } = scenes();

/** Pauses of half a minute and longer take a moment. */
const hasten = () => {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms >= 30_000 ? 50 : ms, ...rest);
};

/** Waits until a version with these words is kept. */
const kept = (page, words) => page.waitForFunction((words) => localStorage["mclive.versions"]?.includes(words), words);

scene("an earlier version of the program is restored", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "one" {}\n');
  await kept(page, "one");
  await write(page, 'print "two" {}\nprint "three" {}\n');
  await kept(page, "three");
  await page.locator("[aria-controls='examples']").click();
  const versions = page.locator(".menu-item.version");
  await versions.nth(1).waitFor();
  assert.equal(await versions.count(), 2);
  assert.match(await versions.first().innerText(), /^\d{4}-\d\d-\d\d \d\d:\d\d: 2 lines added, 1 removed\n/);
  await accessible(page, "local history");
  await versions.nth(1).click();
  await reads(page, (text) => /one/.test(text) && !/two/.test(text));
  await page.locator(".vertex[data-name*='print[one]']").waitFor();
}, { prepare: (page) => page.addInitScript(hasten) });
