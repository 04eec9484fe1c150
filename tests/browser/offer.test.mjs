// The dialog with links: every way out of it, by mouse and by keys; recorded runs by link; frames as they are wanted.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { elsewhere, endAll, mclive, serve } from "./agent.mjs";
import { PATIENCE_MS, accessible, launch, open, reads, textOf, write } from "./setup.mjs";

const store = mkdtempSync(join(tmpdir(), "mclive-offer-"));
let browser, server;

before(async () => {
  server = await serve(["--store", store]);
  browser = await launch();
}, { timeout: 600_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  endAll();
  rmSync(store, { recursive: true, force: true });
});

const PROGRAM = 'file "/srv/offered" {\n\tstate => "exists",\n\tcontent => "kept\\n",\n}\n';

async function opened(text = PROGRAM, options = {}) {
  const tab = await open(browser, server.url, options);
  await tab.page.locator(".vertex").first().waitFor();
  await write(tab.page, text);
  return { ...tab, dialog: tab.page.getByRole("dialog", { name: "Share" }) };
}

const banner = (page) => page.locator(".recorded").filter({ hasText: "Recorded run of web1" });

test("everything in the dialog is copied by one click, and made by keys alone", { timeout: 300_000 }, async () => {
  const { page, dialog, faults, close } = await opened(PROGRAM, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.keyboard.press("ControlOrMeta+s");
  const make = dialog.getByRole("button", { name: "Create a short link", exact: true });
  await make.waitFor();
  for (let n = 0; n < 20 && !(await make.evaluate((button) => button.getRootNode().activeElement === button)); n += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  const short = dialog.getByRole("textbox", { name: "short link" });
  await short.waitFor();
  // The button has been removed: the focus moves to its result.
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "short link");
  const link = await short.inputValue();
  // The browser may still be writing when the click is over.
  const copies = async (what, wanted) => {
    await dialog.getByRole("button", { name: `Copy the ${what}` }).click();
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      if (wanted(text)) return;
      assert.ok(Date.now() < deadline, `${what}: ${text}`);
      await page.waitForTimeout(50);
    }
  };
  await copies("short link", (text) => text === link);
  await copies("Markdown", (text) => text === `[MCL program](${link})`);
  await copies("embed snippet", (text) => text.startsWith(`<iframe src="${link.replace("/s/", "/embed/")}"`));
  await copies("long link", (text) => text.includes("#c="));
  // The QR code.
  await dialog.locator("svg[aria-label], .qr svg, svg.qr").first().waitFor();
  await accessible(page, "the dialog with a short link");
  assert.deepEqual(faults, []);
  await close();
});

test("a failure to store a program is reported, and storing can be retried", { timeout: 300_000 }, async () => {
  const { page, dialog, close } = await opened();
  let n_sent = 0;
  await page.route("**/api/v1/programs", (route) => {
    n_sent += 1;
    const error = "the store is not responding; try again later";
    return n_sent === 1 ? route.fulfill({ status: 503, json: { error } }) : route.continue();
  });
  await page.keyboard.press("ControlOrMeta+s");
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).click();
  await dialog.getByRole("alert").filter({ hasText: "Could not create a short link: the store is not responding" }).waitFor();
  // The button was disabled in the meantime, which removes the focus.
  await page.waitForFunction(() => document.activeElement?.textContent === "Try again");
  await accessible(page, "the dialog when nothing was stored");
  await dialog.getByRole("button", { name: "Try again", exact: true }).click();
  await dialog.getByRole("textbox", { name: "short link" }).waitFor();
  assert.equal(n_sent, 2);
  await close();
});

test("a frame has the theme and the lock that were chosen, by the long link and by the short one", { timeout: 300_000 }, async () => {
  const { page, dialog, close } = await opened();
  await page.keyboard.press("ControlOrMeta+s");
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).waitFor();
  const snippet = () => dialog.getByRole("textbox", { name: "embed snippet" }).inputValue();
  const plain = await snippet();
  await dialog.getByLabel("Theme").selectOption("dark");
  await dialog.getByLabel("Read-only").check();
  const long = await snippet();
  assert.notEqual(long, plain);
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).click();
  await dialog.getByRole("textbox", { name: "short link" }).waitFor();
  const short = await snippet();
  // Another look is another link.
  await dialog.getByLabel("Theme").selectOption("light");
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).waitFor();
  await close();
  for (const [html, is] of [[plain, "open"], [long, "locked"], [short, "locked"]]) {
    const site = await elsewhere(html);
    const { page, faults, close } = await open(browser, site.url);
    const frame = page.frameLocator("iframe");
    await frame.locator(".vertex[data-name*='/srv/offered']").waitFor();
    assert.equal(await frame.locator("html").getAttribute("data-theme"), is === "locked" ? "dark" : null, html);
    const content = frame.locator(".cm-content");
    const before = await content.innerText();
    await content.click();
    await page.keyboard.type("x");
    assert.equal((await content.innerText()) !== before, is === "open", html);
    assert.deepEqual(faults, []);
    await close();
    site.close();
  }
});

test("the run of a host is recorded after the fact: as a file, by a long link and by a short one", { timeout: 300_000 }, async () => {
  const { page, dialog, faults, close } = await opened();
  await page.locator(".vertex.good[data-name*='/srv/offered']").waitFor();
  await page.keyboard.press("ControlOrMeta+s");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download the run" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "run.trace");
  const file = join(store, "run.trace");
  await download.saveAs(file);
  assert.match(readFileSync(file, "latin1"), /^\{"mclive-trace":/);
  assert.match(execFileSync(mclive, ["replay", file], { encoding: "utf8" }), /offered/);
  await dialog.getByRole("button", { name: "Share the run" }).click();
  await dialog.getByText("Recorded run of web1").waitFor();
  const long = await dialog.getByRole("textbox", { name: "long link" }).inputValue();
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).click();
  await dialog.getByRole("textbox", { name: "short link" }).waitFor();
  const short = await dialog.getByRole("textbox", { name: "short link" }).inputValue();
  assert.deepEqual(faults, []);
  await close();
  for (const link of [long, short]) {
    const fresh = await open(browser, link);
    await banner(fresh.page).waitFor();
    await fresh.page.locator(".vertex.good[data-name*='/srv/offered']").waitFor();
    await reads(fresh.page, (text) => text.trimEnd() === PROGRAM.trimEnd());
    assert.deepEqual(fresh.faults, []);
    await fresh.close();
    assert.match(execFileSync(mclive, ["replay", link], { encoding: "utf8" }), /offered/);
  }
});

test("a recorded run by link that is damaged gives one clear sentence, and the page goes on", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await opened();
  const pack = (stored) => page.evaluate(async (json) => {
    const stream = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }, JSON.stringify(stored));
  const run = (content) => ({ mclive: 1, version: "0.1.0", entry: "run.trace", files: { "run.trace": content } });
  for (const content of ["text", { base64: "!" }, { base64: btoa("no recording") }]) {
    const packed = await pack(run(content));
    await page.evaluate((hash) => { location.hash = hash; }, `#p=${packed}`);
    await page.locator(".notice.bad").waitFor();
    await page.locator(".notice.bad button").first().click();
    await page.locator(".notice.bad").waitFor({ state: "detached" });
  }
  assert.equal((await textOf(page)).trimEnd(), PROGRAM.trimEnd());
  assert.deepEqual(faults, []);
  await close();
});

test("hostile text in a program is text in a frame too", { timeout: 300_000 }, async () => {
  const text = 'print "<img src=x onerror=alert(1)>" {\n\tmsg => "</script><script>alert(2)</script>",\n}\n';
  const { page, dialog, close } = await opened(text);
  await page.keyboard.press("ControlOrMeta+s");
  const snippet = await dialog.getByRole("textbox", { name: "embed snippet" }).inputValue();
  await close();
  const site = await elsewhere(snippet);
  const frame = await open(browser, site.url);
  await frame.page.frameLocator("iframe").locator(".vertex[data-name*='<img src=x']").waitFor();
  assert.deepEqual([frame.faults, await frame.page.evaluate(() => globalThis.violations)], [[], []]);
  await frame.close();
  site.close();
});

test("a text in somebody's page may be a model, light, and edited", { timeout: 300_000 }, async () => {
  const site = await elsewhere(`
    <pre class="mclive" data-theme="light" data-language="cf">import std\n\nstd::print("from a model")\n</pre>
    <script src="${server.url}embed.js" async></script>`);
  const { page, faults, close } = await open(browser, site.url, { colorScheme: "dark" });
  const frame = page.frameLocator("iframe");
  const content = frame.locator(".cm-content");
  await content.filter({ hasText: /^\s*import std/ }).waitFor();
  assert.equal(await frame.locator("html").getAttribute("data-theme"), "light");
  await content.click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  assert.match(await content.innerText(), /^# mine/);
  assert.deepEqual(faults, []);
  await close();
  site.close();
});
