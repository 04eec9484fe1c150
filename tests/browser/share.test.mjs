// Sharing in a real browser, against `mclive serve`: links, a fresh profile, a restart, frames on another origin.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { elsewhere, endAll, mclive, serve as serveSite } from "./agent.mjs";
import { accessible, launch, open, PATIENCE_MS, reads, root, textOf, write } from "./setup.mjs";

const store = mkdtempSync(join(tmpdir(), "mclive-share-"));
let browser, server;

const golden = (name) => JSON.parse(readFileSync(join(root, "tests/links", `${name}.json`), "utf8"));

// As an operator would bring a store along.
const goldens = readdirSync(join(root, "tests/links"), { recursive: true })
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(/\.json$/, ""));
for (const { link, stored } of goldens.map(golden).filter(({ stored }) => stored)) {
  const id = link.slice("/s/".length);
  mkdirSync(join(store, "programs", id.slice(0, 2)), { recursive: true });
  writeFileSync(join(store, "programs", id.slice(0, 2), id), stored);
}

/** The agent with the store. */
const serve = (flags = ["--store", store]) => serveSite(flags);

before(async () => {
  server = await serve();
  browser = await launch();
}, { timeout: 600_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  endAll();
  rmSync(store, { recursive: true, force: true });
});

const TEXT = '# a greeting\nprint "shared by a short link" {}\n';
const shown = (page) => page.locator(".vertex[data-name*='print[shared by a short link]']");

/** Makes a short link by the dialog. */
async function share(page, text) {
  await write(page, text);
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).click();
  const link = dialog.getByRole("textbox", { name: "short link" });
  await link.waitFor();
  return link.inputValue();
}

/** A plan of a program from a link, which the policy allows to print. */
function planned(link) {
  const folder = mkdtempSync(join(tmpdir(), "mclive-policy-"));
  const policy = join(folder, "policy.toml");
  writeFileSync(policy, 'kinds = ["print"]\n');
  try {
    return execFileSync(mclive, ["plan", "--policy", policy, link], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a short link opens in a fresh profile, in the agent, in a frame elsewhere, and after a restart", { timeout: 300_000 }, async () => {
  const asked = [];
  const first = await open(browser, server.url);
  first.page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await first.page.locator(".vertex").first().waitFor();
  await first.page.keyboard.press("ControlOrMeta+s");
  const dialog = first.page.getByRole("dialog", { name: "Share" });
  await dialog.getByRole("button", { name: "Create a short link", exact: true }).waitFor();
  assert.match(await dialog.innerText(), /Long link \(\d+ characters\)[\s\S]*nothing is uploaded or stored[\s\S]*stored permanently/);
  assert.ok(!asked.some((request) => request.startsWith("POST")), `nothing is sent before somebody asks for it: ${asked}`);
  await accessible(first.page, "the dialog");
  await first.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const link = await share(first.page, TEXT);
  assert.match(link, new RegExp(`^${server.url}s/[2-9a-km-np-z]{10}$`));
  assert.match(await dialog.getByRole("textbox", { name: "embed snippet" }).inputValue(), /embed\/[2-9a-km-np-z]{10}"/);
  assert.deepEqual(first.faults, []);
  await first.close();

  const fresh = await open(browser, link);
  await shown(fresh.page).waitFor();
  assert.match(fresh.page.url(), /\/#s=[2-9a-km-np-z]{10}$/);
  assert.deepEqual([fresh.faults, await fresh.page.evaluate(() => globalThis.violations)], [[], []]);
  await fresh.close();
  assert.match(planned(link), /print/);

  const site = await elsewhere(`<iframe src="${link.replace("/s/", "/embed/")}" width="900" height="600"></iframe>`);
  const other = await open(browser, site.url);
  const frame = other.page.frameLocator("iframe");
  await frame.locator(".vertex[data-name*='print[shared by a short link]']").waitFor();
  const tab = other.page.context().waitForEvent("page");
  await frame.getByRole("button", { name: "Open in the playground" }).click();
  const playground = await tab;
  await shown(playground).waitFor();
  assert.equal(new URL(playground.url()).pathname, "/");
  assert.deepEqual(other.faults, []);
  await other.close();
  site.close();

  await server.stop();
  // On another port: the one before may be taken by now.
  server = await serve();
  const again = await open(browser, new URL(new URL(link).pathname, server.url).href);
  await shown(again.page).waitFor();
  await again.close();
});

test("text in somebody's page becomes live where it is in sight", { timeout: 300_000 }, async () => {
  const program = 'print "from a page" {}\n';
  const site = await elsewhere(`
    <pre class="mclive" data-theme="dark" data-read-only>${program}</pre>
    <div style="height:5000px"></div><pre class="mclive">print "far below" {}</pre>
    <script src="${server.url}embed.js" async></script>`);
  const { page, faults, close } = await open(browser, site.url);
  const frame = page.frameLocator("iframe");
  await frame.locator(".vertex[data-name*='print[from a page]']").waitFor();
  assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
  assert.equal(await page.locator("pre.mclive").count(), 1, "what is far away waits");
  const content = frame.locator(".cm-content");
  await content.click();
  await page.keyboard.type("x");
  assert.match(await content.innerText(), /^print "from a page" \{\}/);
  // A reader of the page around it scrolls past its graph.
  await frame.locator(".canvas").hover();
  await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => scrollY > 0);
  assert.deepEqual(faults, []);
  await close();
  site.close();
});

test("a read-only program in another site's page is not changed by renaming, fixes, formatting or a dropped file", { timeout: 300_000 }, async () => {
  const program = 'file   "/srv/a" {\n\tcontnt => "x",\n}\n';
  const site = await elsewhere(`
    <pre class="mclive" data-read-only>${program}</pre>
    <script src="${server.url}embed.js" async></script>`);
  const { page, faults, close } = await open(browser, site.url);
  const frame = page.frameLocator("iframe");
  const problem = frame.locator(".problems li").filter({ hasText: "contnt" });
  await problem.locator(".code").waitFor();
  assert.equal(await problem.getByRole("button", { name: "Fix" }).count(), 0);
  const content = frame.locator(".cm-content");
  await content.click();
  for (const key of ["Alt+Shift+f", "ControlOrMeta+.", "F2"]) await page.keyboard.press(key);
  await frame.locator(".mcl-panel [role=status]").filter({ hasText: "read-only" }).waitFor();
  await frame.locator("body").evaluate((body) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['print "dropped" {}\n'], "main.mcl"));
    body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await frame.locator(".notice").filter({ hasText: "This program is read-only" }).waitFor();
  assert.match(await content.innerText(), /^file {3}"\/srv\/a" \{\n\s+contnt/);
  assert.deepEqual(faults, []);
  await close();
  site.close();
});

test("a text archive in somebody's page is a program of several files", { timeout: 300_000 }, async () => {
  const archive = '-- main.mcl --\nimport "lib/"\nprint "${lib.name}" {}\n-- lib/main.mcl --\n$name = "from two files"\n';
  const site = await elsewhere(`
    <pre class="mclive" data-language="cf">
${archive}</pre><pre class="mclive">-- $x --</pre>
    <script src="${server.url}embed.js" async></script>`);
  const { page, faults, close } = await open(browser, site.url);
  const [first, second] = [page.frameLocator("iframe >> nth=0"), page.frameLocator("iframe >> nth=1")];
  await first.locator(".vertex[data-name*='print[from two files]']").waitFor();
  await first.getByRole("tab", { name: "lib/main.mcl" }).click();
  await first.locator(".cm-content").filter({ hasText: '$name = "from two files"' }).waitFor();
  // What only looks like one is text.
  await second.locator(".cm-content").filter({ hasText: "-- $x --" }).waitFor();
  assert.deepEqual(faults, []);
  await close();
  site.close();
});

test("the HTML of the documentation works as it stands", { timeout: 300_000 }, async () => {
  const page = readFileSync(join(root, "host-agent/hosting/README.md"), "utf8");
  const html = /```html\n([\s\S]*?)```/.exec(page)[1];
  assert.match(html, /<pre class="mclive"[^>]*>[^\n]*<\/pre>/, "a program in one line");
  const site = await elsewhere(html.replaceAll("https://play.example.org/", server.url));
  const shown = await open(browser, site.url);
  const frame = shown.page.frameLocator("iframe");
  await frame.locator(".vertex[data-name*='print[hello]']").waitFor();
  assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
  assert.deepEqual(shown.faults, []);
  await shown.close();
  site.close();
});

test("several files go into a short link, and open in a fresh profile and in the agent", { timeout: 300_000 }, async () => {
  const first = await open(browser, server.url);
  const link = await share(first.page, '-- main.mcl --\nimport "lib/"\nprint "${lib.name}" {}\n-- lib/main.mcl --\n$name = "two files"\n');
  assert.deepEqual(first.faults, []);
  await first.close();
  const fresh = await open(browser, link);
  await fresh.page.locator(".vertex[data-name*='print[two files]']").waitFor();
  await fresh.page.getByRole("tab", { name: "lib/main.mcl" }).waitFor();
  assert.deepEqual([fresh.faults, await fresh.page.evaluate(() => globalThis.violations)], [[], []]);
  await fresh.close();
  assert.match(planned(link), /two files/);
});

/** A server that is busy is waited for: after some seconds, the page would open the link without it. */
const patient = { prepare: (page) => page.addInitScript(() => { AbortSignal.timeout = () => new AbortController().signal; }) };

test("a link opens with its own version, which offers the newest", { timeout: 300_000 }, async () => {
  const versions = mkdtempSync(join(tmpdir(), "mclive-versions-"));
  // The version of a folder is its name: the same page, as an older one.
  cpSync(join(root, "www/dist"), join(versions, "0.0.9"), { recursive: true });
  const both = await serve(["--store", store, "--versions", versions]);
  const bar = (page) => page.getByRole("complementary", { name: "Version" });
  const { link } = golden("0.1.0/files-module");
  const old = await open(browser, both.url + new URL(link).hash.replace("&v=0.1.0", "&v=0.0.9"), patient);
  await bar(old.page).getByText("0.0.9, an older version").waitFor();
  assert.equal(new URL(old.page.url()).pathname, "/v/0.0.9/");
  await old.page.locator(".vertex[data-name*='print[from a module]']").waitFor();
  await bar(old.page).getByRole("button").click();
  await old.page.waitForURL((url) => url.pathname === "/");
  await old.page.locator(".vertex[data-name*='print[from a module]']").waitFor();
  assert.equal(await bar(old.page).count(), 0);
  assert.deepEqual(old.faults, []);
  await old.close();
  // A version that is not there, and one that is no version, open here.
  for (const version of ["0.0.1", "../../x", "<b>"]) {
    const { page, close } = await open(browser, both.url + new URL(link).hash.replace("0.1.0", version));
    await page.locator(".vertex[data-name*='print[from a module]']").waitFor();
    assert.equal(new URL(page.url()).pathname, "/");
    await close();
  }
  // So does a frame that holds its program; and of the newest, it is the frame that opens.
  const older = new URL(link).hash.replace("&v=0.1.0", "&v=0.0.9&theme=dark");
  const site = await elsewhere(`<iframe src="${both.url}embed/${older.replaceAll("&", "&amp;")}" width="900" height="600"></iframe>`);
  const framed = await open(browser, site.url, patient);
  const frame = framed.page.frameLocator("iframe");
  const stands = async (path) => {
    const deadline = Date.now() + PATIENCE_MS;
    while (new URL(framed.page.frames().at(-1).url()).pathname !== path) {
      assert.ok(Date.now() < deadline, `the frame is at ${framed.page.frames().at(-1).url()}`);
      await framed.page.waitForTimeout(50);
    }
    await frame.locator(".vertex[data-name*='print[from a module]']").waitFor();
    assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
  };
  await stands("/v/0.0.9/embed/");
  await frame.getByRole("complementary", { name: "Version" }).getByRole("button").click();
  await stands("/embed/");
  assert.deepEqual(framed.faults, []);
  await framed.close();
  site.close();
  await both.stop();
  rmSync(versions, { recursive: true });
});

test("nobody frames the page itself", { timeout: 300_000 }, async () => {
  const site = await elsewhere(`<iframe src="${server.url}"></iframe>`);
  const { page, faults, close } = await open(browser, site.url);
  await page.waitForFunction(() => document.querySelector("iframe").contentDocument === null);
  const deadline = Date.now() + PATIENCE_MS;
  while (!faults.some((fault) => /frame/.test(fault))) {
    assert.ok(Date.now() < deadline, "the browser did not refuse the frame");
    await page.waitForTimeout(50);
  }
  await close();
  site.close();
});

test("files come compressed, as the build made them", { timeout: 300_000 }, async () => {
  const page = await (await fetch(server.url)).text();
  const script = /src="(boot-[^"]*\.js)"/.exec(page)[1];
  const plain = Buffer.from(await (await fetch(server.url + script, { headers: { "Accept-Encoding": "identity" } })).arrayBuffer());
  for (const coding of ["br", "gzip"]) {
    const answer = await fetch(server.url + script, { headers: { "Accept-Encoding": coding } });
    assert.equal(answer.headers.get("content-encoding"), coding, "www/dist is a quick build; `make site` makes the one to serve");
    assert.match(answer.headers.get("cache-control"), /immutable/);
    // fetch unpacks it.
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(plain), `${coding} is another text`);
  }
});

test("a link that leads nowhere, and a damaged one, give one clear sentence", { timeout: 300_000 }, async () => {
  for (const [hash, words] of [["#s=abcdefghij", /[Nn]o program found for this link/], ["#p=BAAA", /damaged/]]) {
    const { page, close } = await open(browser, server.url + hash);
    await page.locator(".notice.bad").filter({ hasText: words }).waitFor();
    await close();
  }
});

test("without a store, the page offers the long link alone", { timeout: 300_000 }, async () => {
  const plain = await serve([]);
  const { page, faults, close } = await open(browser, plain.url);
  await page.locator(".vertex").first().waitFor();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.getByText("does not store programs").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Create a short link", exact: true }).count(), 0);
  const link = await dialog.getByRole("textbox", { name: "long link" }).inputValue();
  const text = await textOf(page);
  assert.deepEqual(faults, []);
  await close();
  const second = await open(browser, link);
  await reads(second.page, (it) => it === text);
  await second.close();
  await plain.stop();
});

/** The whole program, as copying all of it gives it: the editor draws only what is in sight. */
async function copied(page) {
  const content = page.locator(".cm-content");
  await content.focus();
  await page.keyboard.press("ControlOrMeta+a");
  return content.evaluate((element) => {
    const clipboardData = new DataTransfer();
    element.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData("text/plain");
  });
}

/** Waits until the editor holds this text. */
async function holds(page, wanted) {
  // The text from the browser contains each empty line twice.
  const lines = (text) => text.replace(/\u00a0/g, " ").split("\n").map((line) => line.trimEnd()).filter(Boolean).join("\n");
  if (wanted.length < 2_000) return reads(page, (text) => lines(text) === lines(wanted));
  await page.locator(".cm-line").first().waitFor();
  const deadline = Date.now() + PATIENCE_MS;
  while (await copied(page) !== wanted) {
    assert.ok(Date.now() < deadline, "the program is another");
    await page.waitForTimeout(100);
  }
}

const opened = goldens.filter((name) => !golden(name).recorded);
const recorded = goldens.filter((name) => golden(name).recorded);

test("all golden links are opened, also one with a file that is no text", () => {
  assert.ok(opened.includes("0.1.0/short-binary") && opened.length >= 43, `${opened.length}`);
  assert.ok(recorded.length >= 3, `${recorded.length}`);
});

for (const name of opened) {
  test(`a golden link opens: ${name}`, { timeout: 300_000 }, async () => {
    const { link, files, stored } = golden(name);
    // Links of other playgrounds have the program with them: here they are opened by this one.
    const { pathname, hash } = new URL(link, server.url);
    // Tall enough for the longest: the editor has only the lines in sight.
    const viewport = { width: 1280, height: 3000 };
    const { page, faults, close } = await open(browser, new URL(pathname + hash, server.url).href, { viewport });
    const main = stored ? JSON.parse(stored).entry : ["main.mcl", "main.cf"].find((name) => name in files);
    await holds(page, files[main]);
    for (const [path, content] of Object.entries(files).filter(([path]) => path !== main)) {
      await page.getByRole("tab", { name: path }).click();
      if (typeof content === "string") await holds(page, content);
      else await page.getByRole("region", { name: `${path}, binary, ${Buffer.from(content.base64, "base64").length} bytes` }).waitFor();
    }
    assert.deepEqual(faults, []);
    await close();
  });
}

// The format of recorded runs that this version reads.
const format = Number(/^pub const VERSION: u32 = (\d+);/m.exec(readFileSync(join(root, "compiler/base/src/protocol/trace.rs"), "utf8"))[1]);

for (const name of recorded) {
  test(`a golden recorded run opens: ${name}`, { timeout: 300_000 }, async () => {
    const { link, files, recorded } = golden(name);
    const { pathname, hash } = new URL(link, server.url);
    const { page, faults, close } = await open(browser, new URL(pathname + hash, server.url).href);
    if (recorded === format) {
      await page.locator(".recorded").filter({ hasText: "Recorded run of recorded1" }).waitFor();
      // A recording holds its program as text, among bytes that are none.
      const bytes = Buffer.from(files["run.trace"].base64, "base64").toString("utf8");
      const lines = (text) => text.replace(/\u00a0/g, " ").split("\n").map((line) => line.trimEnd()).filter(Boolean);
      await reads(page, (text) => lines(text).length > 2 && lines(text).every((line) => bytes.includes(line)));
    } else {
      await page.locator(".notice.bad").filter({ hasText: `format version ${recorded}` }).waitFor();
    }
    assert.deepEqual(faults, []);
    await close();
  });
}
