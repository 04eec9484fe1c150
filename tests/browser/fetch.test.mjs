// Programs by their address: the browser fetches them, from the servers that the operator lists and from no other.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { endAll, serve } from "./agent.mjs";
import { accessible, launch, open, reads, textOf } from "./setup.mjs";

const asked = [];
const FILES = {
  "/hello.mcl": 'print "from another server" {}\n',
  "/several.txtar": '-- main.mcl --\nimport "lib/"\nprint "${lib.name}" {}\n-- lib/main.mcl --\n$name = "in a module"\n',
  "/evil.mcl": '# <img src=x onerror="globalThis.pwned = 1">\nprint "<script>globalThis.pwned = 2</script>" {}\n',
  "/progress.json": '{"mclive-progress":1,"done":["first/hello"],"drafts":{},"last":null}',
  "/page": '<!doctype html>\n<title>main.mcl</title>\n<pre>print "a" {}</pre>\n',
  "/binary": Buffer.from([0xff, 0xfe, 0, 1]),
};

/** A server of files, as those for raw sources: any page may read them. */
function files(readable = true) {
  const site = createServer((request, answer) => {
    asked.push(`${request.method} ${request.url} ${request.headers.referer ?? ""}${request.headers.cookie ?? ""}`);
    if (readable) answer.setHeader("Access-Control-Allow-Origin", "*");
    answer.setHeader("Content-Type", "text/plain");
    const path = request.url.split("?")[0];
    if (path === "/endless") {
      // As fast as it is read, and no faster.
      const piece = Buffer.alloc(1 << 18, "#");
      const more = () => { while (!answer.destroyed && answer.write(piece)); };
      answer.on("drain", more);
      more();
    } else if (path === "/elsewhere") {
      answer.writeHead(302, { Location: `${unlisted.url}/hello.mcl` }).end();
    } else if (path in FILES) answer.end(FILES[path]);
    else answer.writeHead(404).end("<script>globalThis.pwned = 3</script>");
  });
  return new Promise((resolve) =>
    site.listen(0, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${site.address().port}`, stop: () => site.closeAllConnections() ?? site.close() })),
  );
}

let browser, server, listed, closed, unlisted;
before(async () => {
  [listed, closed, unlisted] = await Promise.all([files(), files(false), files()]);
  server = await serve(["--fetch-from", listed.url, "--fetch-from", closed.url, "--fetch-from", "raw.githubusercontent.com"]);
  browser = await launch();
}, { timeout: 600_000 });
after(async () => {
  await browser?.close();
  await server?.stop();
  for (const site of [listed, closed, unlisted]) site?.stop();
  endAll();
});

const dialogOf = (page) => page.getByRole("dialog", { name: "Open a link" });

/** Opens a link by the dialog. */
async function paste(page, link) {
  if (!(await dialogOf(page).isVisible())) {
    await page.locator("[aria-controls='examples']").click();
    await page.getByRole("button", { name: /^A link…/ }).click();
  }
  await dialogOf(page).getByRole("textbox", { name: "Link" }).fill(link);
  // While another file is fetched, nothing is opened.
  await dialogOf(page).getByRole("button", { name: "Open", exact: true }).waitFor();
  await page.keyboard.press("Enter");
}

test("a file on a listed server opens by the dialog and by the address", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await open(browser, server.url);
  await page.locator(".vertex").first().waitFor();
  await page.locator("[aria-controls='examples']").click();
  await page.getByRole("button", { name: /^A link…/ }).click();
  assert.match(await dialogOf(page).innerText(), /127\.0\.0\.1:\d+ or .* or raw\.githubusercontent\.com/);
  assert.equal(await dialogOf(page).getByRole("textbox").evaluate((field) => field === document.activeElement), true);
  await accessible(page, "the dialog for a link");
  await page.keyboard.press("Escape");
  await dialogOf(page).waitFor({ state: "detached" });

  await paste(page, `  ${listed.url}/hello.mcl?x=1 `);
  await reads(page, (text) => text.includes("from another server"));
  await dialogOf(page).waitFor({ state: "detached" });
  await page.locator(".vertex[data-name*='print[from another server]']").waitFor();
  await paste(page, `${server.url}#example=clock`);
  await reads(page, (text) => !text.includes("from another server"));

  await page.goto(`${server.url}#url=${listed.url}/several.txtar`);
  await page.locator(".vertex[data-name*='print[in a module]']").waitFor();
  assert.deepEqual(await page.getByRole("tablist", { name: "Files of the program" }).getByRole("tab").allInnerTexts(), ["main.mcl", "lib/main.mcl"]);
  await page.goto(`${server.url}#url=${encodeURIComponent(`${listed.url}/hello.mcl`)}`);
  await reads(page, (text) => text.includes("from another server"));
  assert.deepEqual([...new Set(asked)], ["GET /hello.mcl?x=1 ", "GET /several.txtar ", "GET /hello.mcl "], "neither cookie nor referrer");
  assert.deepEqual([faults, await page.evaluate(() => globalThis.violations)], [[], []]);
  await close();
});

test("a failed fetch is reported, and nothing is lost", { timeout: 300_000 }, async () => {
  const { page, close } = await open(browser, server.url);
  await page.locator(".vertex").first().waitFor();
  const before = await textOf(page);
  const alert = dialogOf(page).getByRole("alert");
  asked.length = 0;
  for (const [link, why] of [
    ["hello", /not a link/],
    [`${unlisted.url}/hello.mcl`, /does not fetch programs from http:\/\/127\.0\.0\.1:\d+, only from/],
    ["https://other.example/s/abcdefghij", /another playground/],
  ]) {
    await paste(page, link);
    await alert.filter({ hasText: why }).waitFor();
  }
  assert.deepEqual(asked, [], "nobody was asked");
  for (const [link, why] of [
    [`${listed.url}/nothing`, /file not found \(404\)/],
    [`${closed.url}/hello.mcl`, /does not allow other sites to read its files/],
    // The policy holds for where a redirect leads, too.
    [`${listed.url}/elsewhere`, /does not allow other sites to read its files/],
    [`${listed.url}/endless`, /larger than 9 MiB/],
    [`${listed.url}/page`, /a web page, not a program/],
    [`${server.url}reference.html`, /a web page, not a program/],
    [`${listed.url}/binary`, /neither a program nor a recorded run/],
    [`${listed.url}/progress.json`, /contains lesson progress/],
  ]) {
    await paste(page, link);
    await alert.filter({ hasText: why }).waitFor();
  }
  assert.ok(!asked.some((request) => request.includes("hello.mcl") && request.includes(unlisted.url)));
  assert.equal(await textOf(page), before);
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}#url=${unlisted.url}/hello.mcl`);
  await page.locator(".notice").getByText(/does not fetch programs from/).waitFor();
  assert.equal(await textOf(page), before);
  await close();
});

test("the texts of a fetched program stay text", { timeout: 300_000 }, async () => {
  const { page, close } = await open(browser, `${server.url}#url=${listed.url}/evil.mcl`);
  await reads(page, (text) => text.includes("<script>"));
  await page.locator(".vertex[data-name*='pwned']").waitFor();
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
  await close();
});

test("a server without a list fetches from nobody", { timeout: 300_000 }, async () => {
  const plain = await serve();
  const { page, close } = await open(browser, plain.url);
  asked.length = 0;
  await paste(page, `${listed.url}/hello.mcl`);
  await dialogOf(page).getByRole("alert").getByText(/does not fetch programs from other servers/).waitFor();
  const refused = await page.evaluate((url) => fetch(url).then(() => "fetched", String), `${listed.url}/hello.mcl`);
  assert.match(refused, /Failed to fetch/, "the policy holds without the page's help");
  assert.deepEqual(asked, []);
  await close();
  await plain.stop();
});
