// The keys of a Mac, where Cmd is the modifier of shortcuts, and Option with a letter is text.
import assert from "node:assert/strict";
import { accessible, placeOf, reads, scenes } from "./setup.mjs";

const { scene } = scenes();

const prepare = (page) => page.addInitScript(() => Object.defineProperty(navigator, "platform", { get: () => "MacIntel" }));

/** Whether the page handles a key with Option on an element: the character typed, the position of the key, and Shift. */
const takes = (where, key, code, shiftKey = false) => where.evaluate((element, keys) => !element.dispatchEvent(new KeyboardEvent("keydown", {
  ...keys, altKey: true, bubbles: true, composed: true, cancelable: true,
})), { key, code, shiftKey });

scene("on a Mac, shortcuts have its labels and keys", async (page) => {
  await page.locator(".vertex.good").first().waitFor();
  assert.match(await page.getByRole("button", { name: "Share", exact: true }).getAttribute("title"), /\(Cmd\+S\)$/);
  await page.getByRole("button", { name: "Types", exact: true }).and(page.locator("[title*='(Option+Shift+T)']")).waitFor();
  await page.keyboard.press("F1");
  const help = page.locator("dialog.keys");
  await help.waitFor();
  const shown = await help.locator("kbd").allInnerTexts();
  for (const key of ["Cmd+Enter", "Cmd+click", "Cmd+Shift+Z", "Ctrl+-", "Option+Shift+F"]) assert.ok(shown.includes(key), `${key}: ${shown}`);
  assert.deepEqual(shown.filter((key) => /Alt|Ctrl\+[^S-]/.test(key)), []);
  await accessible(page, "the keys of a Mac");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });

  await page.keyboard.press("Meta+Enter");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const content = page.locator(".cm-content");
  assert.equal(await takes(content, "Dead", "KeyN"), false, "it is a letter of the program");
  assert.equal(await takes(page.locator(".track"), "Dead", "KeyN"), true);
  for (const pressed of [false, true]) {
    assert.equal(await takes(content, "ˇ", "KeyT", true), true);
    await page.getByRole("button", { name: "Types", pressed }).waitFor();
  }

  await content.focus();
  await page.keyboard.press("Meta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText('$name = "ada"\n$other = $name\nprint "x" {\n\tmsg => $other,\n}\n');
  await reads(page, (text) => text.includes("msg => $other"));
  // They move the text after them, so the answer is that of the compiler for the edited text.
  await page.locator(".mcl-hint").nth(1).waitFor();
  const { x, y } = await placeOf(page, "$other", { nth: 1 });
  await page.mouse.click(x, y);
  await page.keyboard.down("Meta");
  await page.mouse.click(x, y);
  await page.keyboard.up("Meta");
  const here = (text) => page.locator(".cm-activeLine").filter({ hasText: text }).waitFor();
  await here("$other = $name");
  await page.keyboard.press("Control+-");
  await here("msg => $other");
}, { prepare });
