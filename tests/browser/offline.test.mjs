// The site when its server fails, is silent or gone; when it is loaded for that; and how long the build before this one is
// kept.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PATIENCE_MS, reads, root, scenes } from "./setup.mjs";

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
  renewed: (asked, answer) => {
    if (asked.url === "/offline.js") nextBuild(asked, answer);
    else if (asked.url === "/reference.html") hold(() => ANSWERS.well(asked, answer));
    else ANSWERS.well(asked, answer);
  },
  // The server is renewed after it sent the service worker of another build.
  mixed: (asked, answer) => {
    if (asked.url === "/offline.js") nextBuild(asked, answer, { isMarked: true });
    else ANSWERS.well(asked, answer);
  },
};
let how = "well";
/** The paths that it was asked for. */
const paths = [];
/** Whether the next build is held back at one of its files, and what has to be done then. */
let isHeld = true;
const held = [];
let server;
let url;

function hold(act) {
  if (isHeld) held.push(act);
  else act();
}

/** The service worker of another build, which has the same files; `isMarked`: its pages say that they belong to it. */
async function nextBuild(asked, answer, { isMarked = false } = {}) {
  const text = await (await fetch(new URL(asked.url, house.url))).text();
  const [cache, before, edition] = /(mclive-(?:\$\{")?)([0-9a-f]{10})/.exec(text);
  answer.writeHead(200, { "Content-Type": "text/javascript; charset=utf-8" });
  answer.end(isMarked ? text.replaceAll(edition, "0123456789") : text.replace(cache, `${before}0123456789`));
}

before(async () => {
  server = createServer((asked, answer) => {
    paths.push(asked.url);
    ANSWERS[how](asked, answer);
  });
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

test("a page opens although what is kept for it cannot be asked for", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    await page.addInitScript(() => {
      CacheStorage.prototype.match = function () {
        globalThis.isAsked = true;
        return new Promise(() => {});
      };
    });
    await page.reload();
    await page.locator(".vertex.good").first().waitFor();
    assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null && globalThis.isAsked), "the page did not ask");
  } finally {
    await context.close();
  }
});

test("a page waits for what is kept for it, also if that is found late, since its server may be gone", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    await page.addInitScript(() => {
      const { match } = CacheStorage.prototype;
      CacheStorage.prototype.match = async function (...asked) {
        const answer = await match.apply(this, asked);
        // As on a busy machine.
        await new Promise((goOn) => setTimeout(goOn, 2_500));
        globalThis.hadStarted = document.querySelector(".transport") !== null;
        return answer;
      };
    });
    how = "gone";
    await page.reload();
    await page.locator(".vertex.good").first().waitFor();
    assert.equal(await page.evaluate(() => globalThis.hadStarted), false);
  } finally {
    how = "well";
    await context.close();
  }
});

test("files for later are loaded after the first view, except those already cached", { timeout: 300_000 }, async () => {
  const [atHand] = readdirSync(join(root, "www/dist")).filter((name) => /^reference-.*\.css$/.test(name));
  const context = await house.browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const [early, late] = [[], []];
  let isLate = false;
  context.on("request", (request) => {
    const isForLater = request.serviceWorker() !== null || request.url().endsWith("/offline.js");
    if (isForLater) (isLate ? late : early).push(request.url());
  });
  // The page is there, and there is no first view without a compiler.
  await page.route("**/compiler-*.wasm", async (route) => {
    await page.locator(".cm-content").waitFor();
    await page.evaluate(async (name) => (await caches.open("mclive-before")).put(name, new Response("")), atHand);
    isLate = true;
    await route.continue();
  });
  try {
    paths.length = 0;
    await page.goto(url);
    await page.locator(".vertex.good").first().waitFor();
    await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
    assert.deepEqual(early, []);
    assert.ok(late.some((address) => address.endsWith("/reference.html")), late.join("\n"));
    assert.ok(paths.includes("/reference.html") && !paths.includes(`/${atHand}`), paths.join("\n"));
  } finally {
    await context.close();
  }
});

test("a short link opens in the playground when its server is gone", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    how = "gone";
    await page.goto(`${url}s/abcdefghij`);
    assert.equal(page.url(), `${url}#s=abcdefghij`);
    await page.getByText("the server of this page is not responding").waitFor();
    await page.locator(".vertex.good").first().waitFor();
  } finally {
    how = "well";
    await context.close();
  }
});

test("a link of another version opens here when its server is silent", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    how = "silent";
    await page.evaluate(() => (location.hash = "c=ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA&v=0.0.1"));
    await reads(page, (text) => text.includes("kept for ever"));
  } finally {
    how = "well";
    await context.close();
  }
});

test("a build that is being cached when the last page is closed is kept", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    how = "renewed";
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await page.waitForFunction(async () => (await caches.keys()).includes("mclive-0123456789"));
    await page.close();
    const next = await context.newPage();
    await next.goto(url);
    await next.locator(".vertex.good").first().waitFor();
    isHeld = false;
    for (const act of held.splice(0)) act();
    await next.waitForFunction(async () => {
      const { installing, waiting, active } = await navigator.serviceWorker.getRegistration();
      return !installing && !waiting && active?.state === "activated";
    });
    assert.ok(await next.evaluate(async () => (await caches.open("mclive-0123456789")).match("./").then(Boolean)), "it is not kept");
    how = "gone";
    await next.reload();
    await next.locator(".vertex.good").first().waitFor();
  } finally {
    [how, isHeld] = ["well", true];
    await context.close();
  }
});

test("a build is not kept whose server has the pages of another one", { timeout: 300_000 }, async () => {
  const { context, page } = await visited();
  try {
    how = "mixed";
    const state = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      const ended = new Promise((resolve) => registration.addEventListener("updatefound", () => {
        const next = registration.installing;
        next.addEventListener("statechange", () => resolve(next.state));
      }));
      await registration.update();
      return ended;
    });
    assert.equal(state, "redundant");
    how = "gone";
    await page.reload();
    await page.locator(".vertex.good").first().waitFor();
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
