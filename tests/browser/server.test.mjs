// What the page asks its server has a limit of time, after which it says so.
import assert from "node:assert/strict";
import test from "node:test";
import { loadCourse, loadProgram, serverShares, siteOfVersion, storeProgram } from "../../www/web/server.js";
import { scenes } from "./setup.mjs";

const SILENT = "the server of this page did not answer within 60 seconds";

/** A server that does as `answer` says, for a page whose limits are reached at once; the result is the list of these limits. */
function impatient(t, answer) {
  const limits = [];
  t.mock.method(AbortSignal, "timeout", (ms) => {
    limits.push(ms);
    const stop = new AbortController();
    setTimeout(() => stop.abort());
    return stop.signal;
  });
  t.mock.method(globalThis, "fetch", (_, { signal }) => answer(new Promise((_, fail) => {
    signal.addEventListener("abort", () => fail(signal.reason));
  })));
  return limits;
}

for (const [what, answer] of [
  ["that does not answer", (end) => end],
  // The beginning of JSON, and then neither more of it nor its end.
  ["whose answer does not end", async (end) => new Response(new ReadableStream({
    start(body) {
      body.enqueue(new TextEncoder().encode("{"));
      end.catch((why) => body.error(why));
    },
  }))],
]) {
  test(`a server ${what} is reported`, async (t) => {
    const limits = impatient(t, answer);
    for (const ask of [() => storeProgram("{}"), () => loadProgram("a"), () => loadCourse("lessons.json")]) {
      await assert.rejects(ask, (error) => error === SILENT);
    }
    assert.equal(await serverShares(), null);
    assert.deepEqual(limits, [60_000, 60_000, 60_000, 60_000]);
    // Without an answer, the link is opened here, and sooner.
    assert.equal(await siteOfVersion("0.1.0"), null);
    assert.equal(limits.at(-1), 4_000);
  });
}

test("a server that cannot be reached, or refuses, is told apart from a silent one", async (t) => {
  t.mock.method(globalThis, "fetch", async () => { throw new TypeError("Failed to fetch"); });
  await assert.rejects(() => loadProgram("a"), (error) => error === "the server of this page is not responding");
  assert.equal(await serverShares(), false);
  t.mock.method(globalThis, "fetch", async () => new Response("no JSON", { status: 404 }));
  await assert.rejects(() => loadProgram("a"), (error) => error === "the server returned 404");
  assert.equal(await serverShares(), false);
  t.mock.method(globalThis, "fetch", async () => Response.json({ error: "no such program" }, { status: 404 }));
  await assert.rejects(() => loadProgram("a"), (error) => error === "no such program");
  t.mock.method(globalThis, "fetch", async () => Response.json({ shares: true }));
  assert.equal(await serverShares(), true);
});

scenes().scene("the dialog says that the server is silent", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("dialog", { name: "Share" }).getByRole("alert").filter({ hasText: "did not answer in time. Use the long link." }).waitFor();
}, {
  prepare: async (page) => {
    // No answer ever comes, and the limit is reached at once.
    await page.route("**/api/v1/", () => {});
    await page.addInitScript(() => { AbortSignal.timeout = () => AbortSignal.abort(); });
  },
});
