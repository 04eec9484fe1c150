// The compiler's module comes in two parts: what the first view calls, and the rest. The rest is loaded beside the work, by a
// `fetch`, or at once when some of it is called, by an `xhr` for which the worker waits.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { open, PATIENCE_MS, root, scenes } from "./setup.mjs";

const house = scenes("chromium");
const REST = "**/worker-rest-*.wasm";

/** Longer than a worker may take for an answer (`PATIENCE_S` in `page/client.rs`). Units: milliseconds. */
const LONG_MS = 25_000;

/** Waits for the first view: the graph with a resource that is up to date. */
async function firstView(page) {
  await page.locator(".vertex.good").first().waitFor();
}

/** Types what only the rest can check. */
async function typeMistake(page) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("file \"/tmp/x\" { state => \"exist\", }\n");
}

/** Waits until it is marked. */
async function markedMistake(page) {
  await page.locator(".cm-lintRange-error").first().waitFor();
}

const howOf = (route) => route.request().resourceType();

{
  let asked;
  const isAsked = new Promise((resolve) => { asked = resolve; });
  house.scene("the compiler is loaded at the same time as the page's own module", firstView, {
    prepare: async (page) => {
      await page.route("**/compiler-*.wasm", (route) => {
        asked();
        return route.continue();
      });
      await page.route(/\/page-(?!rest-)[^/]*\.wasm$/, async (route) => {
        await isAsked;
        await route.continue();
      });
    },
  });
}

test("a published site has both parts", () => {
  const files = readdirSync(join(root, "www/dist"));
  for (const part of [/^page-rest-.*\.wasm$/, /^compiler-.*\.wasm$/, /^worker-rest-.*\.wasm$/, /^models-rest-.*\.wasm$/]) {
    assert.equal(files.filter((name) => part.test(name)).length, 1, `${part} in ${files.join(" ")}`);
  }
});

{
  const asked = [];
  let came;
  const hasCome = new Promise((resolve) => { came = resolve; });
  house.scene("the first view does not wait for the rest, which is loaded beside the work once", async (page) => {
    await firstView(page);
    await hasCome;
    await typeMistake(page);
    await markedMistake(page);
    // The worker may have been quicker than the browser's compiler: then it has asked as well, and ended that load.
    assert.ok(asked.filter((how) => how === "fetch").length <= 1, asked.join(" "));
  }, {
    prepare: (page) => page.route(REST, async (route) => {
      asked.push(howOf(route));
      const answered = async () => {
        // Not before the first view: if that needed it, it would never come.
        await firstView(page);
        await route.fulfill({ response: await route.fetch({ timeout: PATIENCE_MS }) });
      };
      // A load that has ended takes no answer. Without any, nothing marks the mistake.
      await answered().catch(() => {});
      came();
    }),
  });
}

{
  const asked = [];
  house.scene("functions that are called before the rest has arrived are loaded immediately", async (page) => {
    await firstView(page);
    await typeMistake(page);
    await markedMistake(page);
    assert.deepEqual(asked.filter((how) => how === "xhr"), ["xhr"], asked.join(" "));
  }, {
    // The load beside the work stays without an answer.
    prepare: (page) => page.route(REST, (route) => {
      asked.push(howOf(route));
      return howOf(route) === "fetch" ? undefined : route.continue();
    }),
  });
}

for (const width of [1440, 768]) {
  let go;
  const mayCome = new Promise((resolve) => { go = resolve; });
  house.scene(`a tab that is pressed before the first answer and released after it is clicked, ${width} px`, async (page) => {
    const tab = page.getByRole("tab", { name: /Host/ });
    await tab.waitFor();
    const { x, y, width: wide, height } = await tab.boundingBox();
    await page.mouse.move(x + wide / 2, y + height / 2);
    await page.mouse.down();
    go();
    // By now the tabs show numbers.
    await firstView(page);
    await page.locator("#tab-functions .badge").filter({ hasText: /^\d+$/ }).waitFor();
    await page.mouse.up();
    await page.locator(".host").waitFor();
    assert.equal(await tab.getAttribute("aria-selected"), "true");
  }, {
    viewport: { width, height: 900 },
    prepare: (page) => page.route("**/compiler-*.wasm", async (route) => {
      await mayCome;
      await route.continue();
    }),
  });
}

for (const [part, file] of [["module", "**/page-*.wasm"], ["script", "**/boot-*.js"]]) {
  test(`a page whose own ${part} is gone says what to do`, { timeout: 300_000 }, async () => {
    const { page, close } = await open(house.browser, house.url, {
      prepare: (page) => page.route(file, (route) => route.fulfill({ status: 404, body: "gone" })),
    });
    try {
      await page.getByText(/failed to start: .*\. Check the connection, and reload the page\.$/).waitFor();
    } finally {
      await close();
    }
  });
}

for (const [part, file, type, body, words] of [
  ["module", "**/page-*.wasm", "application/wasm", "no module", "Reload the page. If that does not help, use a newer browser."],
  ["script", "**/boot-*.js", "text/javascript", "let let = 1;", "this browser does not understand its script. Use a newer browser."],
]) {
  test(`a page whose own ${part} the browser does not understand says what to do`, { timeout: 300_000 }, async () => {
    const { page, close } = await open(house.browser, house.url, {
      prepare: (page) => page.route(file, (route) => route.fulfill({ status: 200, contentType: type, body })),
    });
    try {
      await page.getByText(/failed to start: /).filter({ hasText: words }).waitFor();
    } finally {
      await close();
    }
  });
}

test("a rest that is gone is told of, and asked for after longer and longer pauses", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url, {
    prepare: (page) => page.route(REST, (route) => route.fulfill({ status: 404, body: "gone" })),
  });
  try {
    await firstView(page);
    // Before anything is lost.
    await page.getByText("parts of this one are gone. Reload the page.").waitFor();
    await typeMistake(page);
    await page.getByText(/retrying in (4|8|16|32|60) s\. If this page is out of date, reload it\./).waitFor();
    assert.equal(await page.getByText("The compiler crashed").count(), 0);
    // Requests made in the meantime are answered once it is loaded.
    await page.unrouteAll();
    await markedMistake(page);
    await page.getByText("Cannot load the compiler").waitFor({ state: "detached" });
  } finally {
    await close();
  }
});

/** A module that needs what no first part has: the function `absent`. */
const STRANGE = Buffer.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  // One type: no parameters, no results.
  1, 4, 1, 0x60, 0, 0,
  // One import, which is a function of that type.
  2, 16, 1, 5, ...Buffer.from("first"), 6, ...Buffer.from("absent"), 0, 0,
]);

test("a rest of another build is told of before it is needed, and not hoped for", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url, {
    prepare: (page) => page.route(REST, (route) => route.fulfill({ status: 200, contentType: "application/wasm", body: STRANGE })),
  });
  try {
    await firstView(page);
    await page.getByText("parts of this one are gone. Reload the page.").waitFor();
  } finally {
    await close();
  }
});

test("a rest of another build is not asked for again by a worker that needs all of it", { timeout: 300_000 }, async () => {
  let n_asked = 0;
  const { page, close } = await open(house.browser, house.url, {
    prepare: (page) => page.route(REST, (route) => {
      n_asked += 1;
      return route.fulfill({ status: 200, contentType: "application/wasm", body: STRANGE });
    }),
  });
  try {
    await firstView(page);
    const notice = page.getByText("parts of this one are gone. Reload the page.");
    await notice.waitFor();
    const workers = [];
    page.on("worker", (worker) => workers.push(worker.url()));
    // It needs the rest: the next worker loads all before it is ready, and cannot.
    const [whole] = await Promise.all([page.waitForEvent("worker"), typeMistake(page)]);
    if (page.workers().includes(whole)) await whole.waitForEvent("close");
    await notice.waitFor();
    const n_before = n_asked;
    // Longer than the first pauses, after which there was another one.
    await sleep(5_000);
    assert.deepEqual([workers.length, n_asked], [1, n_before]);
    assert.equal(await page.getByText("retrying in").count(), 0);
  } finally {
    await close();
  }
});

test("a page that is left while the rest is loaded did not hang", { timeout: 300_000 }, async () => {
  let asked;
  const isAsked = new Promise((resolve) => { asked = resolve; });
  const { page, close } = await open(house.browser, house.url, {
    // It never comes.
    prepare: (page) => page.route(REST, (route) => {
      if (howOf(route) === "xhr") asked();
    }),
  });
  try {
    await firstView(page);
    // Each request seems to begin as long ago as only one that hangs.
    await page.evaluate(() => {
      const { now } = Date;
      globalThis.late = 20_000;
      Date.now = () => now() - globalThis.late;
    });
    await typeMistake(page);
    await isAsked;
    await page.getByText("Loading the compiler", { exact: true }).waitFor();
    // Longer than a check may take before it is noted (`FLAG_STEP_MS` in `page/memory.rs`).
    await sleep(1_500);
    await page.evaluate(() => (globalThis.late = 0));
    await page.goto("about:blank");
    await page.goto(house.url);
    // It is not paused: the program is checked, which needs the rest again.
    await page.getByText("Loading the compiler", { exact: true }).waitFor();
    assert.equal(await page.locator(".stopped").count(), 0);
  } finally {
    await close();
  }
});

/** A page whose line takes long for a file that is asked for as `how` says, and gives no other answer. It keeps its worker all the time. */
async function slowly(file, how, act) {
  const workers = [];
  const { page, close } = await open(house.browser, house.url, {
    prepare: async (page) => {
      page.on("worker", (worker) => workers.push(worker.url()));
      await page.route(file, async (route) => {
        // What is loaded beside the work stays without an answer.
        if (howOf(route) !== how) return;
        await sleep(LONG_MS);
        await route.continue();
      });
    },
  });
  try {
    await act(page);
    assert.equal(workers.length, 1, workers.join("\n"));
  } finally {
    await close();
  }
}

test("a slow line may take longer than an answer", { timeout: 300_000 }, async () => {
  await Promise.all([
    slowly("**/compiler-*.wasm", "fetch", firstView),
    slowly(REST, "xhr", async (page) => {
      await firstView(page);
      await typeMistake(page);
      await markedMistake(page);
    }),
  ]);
});
