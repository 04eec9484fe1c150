// A browser whose storage is disabled or full: the page continues, and reports what will be lost.
import assert from "node:assert/strict";
import { accessible, reads, scenes, write } from "./setup.mjs";

const { scene } = scenes();

const notice = (page) => page.locator(".notice.bad").filter({ hasText: "storage is full or disabled" });
const runs = (page, name) => page.locator(`.vertex[data-name*='print[${name}]']`).waitFor();

scene("a full storage is reported once, and the stored program is kept unchanged", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "first" {}\n');
  await page.waitForFunction(() => localStorage["mclive.text"]?.includes("first"));
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (name, value) {
      // The last part of a program does not fit.
      if (globalThis.isFull && name === "mclive.staged") throw new DOMException("full", "QuotaExceededError");
      setItem.call(this, name, value);
    };
    globalThis.isFull = true;
  });
  await write(page, 'print "second" {}\n');
  await notice(page).getByText("this program will be lost").waitFor();
  await accessible(page, "a full storage");
  assert.ok(await page.evaluate(() => [sessionStorage, localStorage].every((storage) => storage["mclive.text"].includes("first"))));
  await page.getByRole("button", { name: "Close the message", exact: true }).click();
  await write(page, 'print "third" {}\n');
  await runs(page, "third");
  assert.equal(await notice(page).count(), 0);
  await page.evaluate(() => { globalThis.isFull = false; });
  await write(page, 'print "fourth" {}\n');
  await page.waitForFunction(() => [sessionStorage, localStorage].every((storage) => storage["mclive.text"].includes("fourth")));
  await page.reload();
  await reads(page, (text) => text.includes("fourth"));
});

scene("a program that only the tab's storage refuses is there after a reload", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "first" {}\n');
  await page.waitForFunction(() => sessionStorage["mclive.text"]?.includes("first"));
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (name, value) {
      if (this === sessionStorage && name === "mclive.staged") throw new DOMException("full", "QuotaExceededError");
      setItem.call(this, name, value);
    };
  });
  await write(page, 'print "second" {}\n');
  await page.waitForFunction(() => localStorage["mclive.text"].includes("second") && !("mclive.text" in sessionStorage));
  await runs(page, "second");
  assert.equal(await notice(page).count(), 0);
  await page.reload();
  await reads(page, (text) => text.includes("second"));
});

scene("a disabled storage is reported when there is something to lose", async (page) => {
  await page.locator(".vertex").first().waitFor();
  assert.equal(await notice(page).count(), 0);
  await write(page, 'print "mine" {}\n');
  await runs(page, "mine");
  await notice(page).getByText("this program will be lost").waitFor();
}, { prepare: (page) => page.addInitScript(() => {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, { get: () => { throw new DOMException("closed", "SecurityError"); } });
  }
}) });
