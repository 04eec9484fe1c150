// Folders that are dropped on the page. Scripts cannot put one into a drag, so the browser itself drags it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { scenes, textOf } from "./setup.mjs";

// The protocol is Chromium's.
const house = scenes("chromium");
const outside = mkdtempSync(join(tmpdir(), "mclive-folder-"));
after(() => rmSync(outside, { recursive: true, force: true }));

const tabs = (page) => page.getByRole("tablist", { name: "Files of the program" }).getByRole("tab");

/** Makes a folder with these files: [path, content] each; returns its path. */
function folder(name, files) {
  for (const [path, content] of files) {
    const file = join(outside, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return join(outside, name);
}

/** Drags something of this machine onto the page, and lets go of it. */
async function drop(page, path) {
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await browser.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  }
  await browser.detach();
}

house.scene("a folder opens with all that is below it, except what is hidden", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const logo = Buffer.from([0x89, 0x50, 0xff, 0, 10]);
  await drop(page, folder("site", [
    ["main.mcl", 'import "lib/"\nprint "${lib.name}" {}\n'],
    ["lib/main.mcl", '$name = "dropped"\n'],
    ["lib/deep/er/a.txt", "nested\n"],
    ["files/logo.png", logo],
    [".env", "SECRET=1\n"],
    [".git/config", "x"],
    ["lib/.cache/x", "x"],
  ]));
  await page.locator(".vertex[data-name*='print[dropped]']").waitFor();
  for (const name of [/^main.mcl/, /^lib\/main.mcl/, /a\.txt/, /^files\/logo.png, binary, 5 bytes/]) {
    await tabs(page).and(page.getByRole("tab", { name })).waitFor();
  }
  assert.equal(await tabs(page).count(), 4, (await tabs(page).allInnerTexts()).join(" "));
});

house.scene("a folder that is too much is refused in one sentence, and changes nothing", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const before = await textOf(page);
  const main = ["main.mcl", 'print "too much" {}\n'];
  const huge = folder("huge", [main, ["image", ""]]);
  truncateSync(join(huge, "image"), 10 << 20);
  for (const [path, why] of [
    [huge, /too large for the playground/],
    [folder("large", [main, ["image", Buffer.alloc(2 << 20, 97)]]), /at most 1024 KiB/],
    [folder("many", Array.from({ length: 405 }, (_, n) => [`f${n}`, ""])), /folder is too large for the playground/],
    [folder("deep", [main, [`${"d/".repeat(18)}x`, ""]]), /folder is too large for the playground/],
    [folder("other", [["README", "x"], ["LICENSE", "x"]]), /[Nn]o program/],
  ]) {
    await drop(page, path);
    await page.locator(".notice.bad").filter({ hasText: why }).waitFor();
    await page.getByRole("button", { name: "Close the message", exact: true }).click();
  }
  assert.equal(await textOf(page), before);
});
