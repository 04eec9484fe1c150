// How the page displays texts of programs and hosts: nothing in them turns or hides other text, and of long ones the start is
// there, with how much more there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "../../www/web/editor/text.js";
import { scenes, write } from "./setup.mjs";

const { scene } = scenes();
const ready = (page) => page.locator(".vertex").first().waitFor();

/** What the page displays or reads aloud, except texts that are edited as they are, if it turns the direction of text. */
const turned = (page) => page.evaluate(() => {
  const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  const found = [document.title];
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.matches(".cm-content, .cm-content *, script, style")) continue;
      // What is typed into a text area is changed as it is.
      const own = one.matches("textarea") ? [] : [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data);
      const value = one.matches("input") ? [one.value] : [];
      found.push(...own, ...value, ...[...one.attributes].map((attribute) => attribute.value));
      if (one.shadowRoot) look(one.shadowRoot);
    }
  };
  look(document);
  return found.filter((text) => TURNS.test(text));
});

const TURNING = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u200e", "\u200f", "\u061c"];

scene("characters that turn the direction of text are escaped in labels", async (page) => {
  await ready(page);
  const all = TURNING.join("");
  await write(page, `import "datetime"\nimport "fmt"\nprint "a${all}b" {\n\tmsg => "x${all}y",\n\tMeta:autogroup => false,\n}\nprint "now" {\n\tmsg => fmt.printf("%d z${all}", datetime.now()),\n\tMeta:autogroup => false,\n}\n`);
  const vertex = page.locator(".vertex[data-name*='print[a\\\\u{202a}']");
  await vertex.waitFor();
  // The compiler warns of them.
  await page.locator(".problems li").first().waitFor();
  assert.deepEqual(await turned(page), [], "the graph");
  await vertex.dispatchEvent("click");
  await page.locator(".inspector").filter({ hasText: /x\\u\{?202a/ }).waitFor();
  assert.deepEqual(await turned(page), [], "the inspector");
  await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
  await page.locator(".lanes").waitFor();
  assert.deepEqual(await turned(page), [], "the timeline");
  await page.getByRole("tab", { name: /Functions/ }).click();
  await page.locator(".vertex", { hasText: "fmt.printf" }).dispatchEvent("click");
  await page.locator(".inspector .value").filter({ hasText: /z\\u\{?202a/ }).waitFor();
  assert.deepEqual(await turned(page), [], "a value");
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "a\\u{202a}" }).first().waitFor();
  assert.deepEqual(await turned(page), [], "the log");
  await page.getByRole("tab", { name: /Host/ }).click();
  const path = page.getByRole("textbox", { name: "New file", exact: true });
  await path.fill(`/srv/f${all}g`);
  await path.press("Enter");
  await page.locator(".file h2").filter({ hasText: "/srv/f\\u{202a}" }).waitFor();
  assert.deepEqual(await turned(page), [], "the files of the host");
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  const key = page.getByRole("textbox", { name: "New value of all hosts", exact: true });
  await key.fill(`motto${all}`);
  await key.press("Enter");
  await page.locator(".world strong").filter({ hasText: "motto\\u{202a}" }).waitFor();
  await page.waitForFunction(() => document.querySelector(".add input[aria-label='New value of all hosts']")?.value === "");
  assert.deepEqual(await turned(page), [], "everything else on the host");
});

test("the editor's labels escape what the compiler's messages do", () => {
  assert.equal(visible("plain, na\u00efve, \u65e5\u672c\u8a9e \u{1f642}\t.\n"), "plain, na\u00efve, \u65e5\u672c\u8a9e \u{1f642}\t.\n");
  assert.equal(visible("a\u001b]0;x\u0007b\r"), "a\\u{1b}]0;x\\u{7}b\\r");
  assert.equal(visible("\u{202e}gnp\u{200b}\u{e0041}\u{9b}"), "\\u{202e}gnp\\u{200b}\\u{e0041}\\u{9b}");
  for (const char of TURNING) assert.equal(visible(char), `\\u{${char.charCodeAt(0).toString(16)}}`);
});

scene("the start of a text of megabytes is displayed, with the size of the rest", async (page) => {
  await ready(page);
  const tenfold = (from, to) => `$${to} = "${`\${${from}}`.repeat(10)}"\n`;
  await write(page, `import "datetime"\nimport "fmt"\n$a = "${"x".repeat(10_000)}"\n${tenfold("a", "b")}${tenfold("b", "c")}file "/srv/long" {\n\tstate => "exists",\n\tcontent => $c,\n}\nprint "now" {\n\tmsg => fmt.printf("%d ${"y".repeat(20_000)}", datetime.now()),\n}\n`);
  const box = page.locator(".vertex[data-name*='/srv/long']");
  await box.waitFor();
  await box.dispatchEvent("click");
  const inspector = page.locator(".inspector");
  await inspector.locator("dd code").filter({ hasText: /\.\.\. \(100000\d bytes in all, checksum [0-9a-f]{8}\)$/ }).waitFor();
  const size = () => inspector.evaluate((one) => one.textContent.length);
  assert.ok(await size() < 40_000);
  await page.getByRole("tab", { name: /Functions/ }).click();
  await page.locator(".vertex", { hasText: "fmt.printf" }).dispatchEvent("click");
  await inspector.locator(".value").filter({ hasText: /\.\.\. \(200\d\d bytes in all, checksum [0-9a-f]{8}\)$/ }).waitFor();
  assert.ok(await size() < 40_000);
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree .entry[title='/srv/long']").click();
  await page.locator(".file").getByText("The first 16384 bytes; 983616 more are not shown").waitFor();
  const content = page.getByRole("textbox", { name: "Content of /srv/long", exact: true });
  assert.deepEqual(await content.evaluate((one) => [one.value.length, one.readOnly]), [16_384, true]);
});
