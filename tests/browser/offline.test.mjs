// The site when its server fails, is silent or gone; and how long the build before this one is kept.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after, before, test } from "node:test";
import { PATIENCE_MS, scenes } from "./setup.mjs";

const house = scenes("chromium");
/** How the server before the site's own answers. */
const ANSWERS = {
  well: (asked, answer) => asked.pipe(request(new URL(asked.url, house.url), { method: asked.method }, (got) => {
    answer.writeHead(got.statusCode, got.headers);
    got.pipe(answer);
  })).on("error", () => answer.destroy()),
  failing: (_, answer) => answer.writeHead(503).end("not now\n"),
  silent: () => {},
  gone: (asked) => asked.socket.destroy(),
};
let how = "well";
let server;
let url;
before(async () => {
  server = createServer((asked, answer) => ANSWERS[how](asked, answer));
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

/** A context with a page for which the whole site is at hand. */
async function visited() {
  const context = await house.browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  return { context, page };
}

test("a page that was visited opens when its server fails, is silent or gone", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    for (how of ["failing", "silent", "gone"]) {
      await page.reload();
      await page.locator(".vertex.good").first().waitFor();
    }
  } finally {
    how = "well";
    await context.close();
  }
});

test("the build before this one is kept until its last page is closed", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  const has = (page) => page.evaluate(async () => (await caches.keys()).includes("mclive-before"));
  try {
    await page.evaluate(async () => (await caches.open("mclive-before")).put("before.js", new Response("at hand")));
    const other = await context.newPage();
    await other.goto(url);
    await other.locator(".vertex.good").first().waitFor();
    // The server does not have it.
    assert.equal(await other.evaluate(() => fetch("before.js").then((answer) => answer.text())), "at hand");
    await other.close();
    await page.close();
    const deadline = Date.now() + PATIENCE_MS;
    for (let isKept = true; isKept;) {
      assert.ok(Date.now() < deadline, "it is kept for ever");
      const next = await context.newPage();
      await next.goto(url);
      isKept = await has(next);
      assert.ok(await next.evaluate(async () => (await caches.keys()).length > 0), "this build is gone as well");
      await next.close();
    }
  } finally {
    await context.close();
  }
});
