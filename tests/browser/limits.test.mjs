// What is too much for the page, and what it says then: a question that takes long, a program that needs more memory than there
// is, a link as long as an address can be, and 1,200 resources that change each second.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, reads, scenes, textOf, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;
const ready = (page) => page.locator(".vertex.good").first().waitFor();
const panel = (page, hasText) => page.locator(".mcl-panel [role=status]").filter({ hasText });

/** The workers of a page, by their addresses, from its beginning. */
const workersOf = (page) => {
  const addresses = [];
  page.on("worker", (worker) => addresses.push(worker.url()));
  return addresses;
};

/** Keeps the next question for a definition from the worker, which seems to think about it. */
const holdQuestion = (page) => page.evaluate(() => {
  const post = Worker.prototype.postMessage;
  globalThis.held = undefined;
  Worker.prototype.postMessage = function (message, ...rest) {
    const isIt = globalThis.held === undefined && message.Ask?.query.ask === "definition";
    if (isIt) globalThis.held = () => post.call(this, message, ...rest);
    else post.call(this, message, ...rest);
  };
});

const isHeld = (page) => page.waitForFunction(() => globalThis.held !== undefined);

{
  let workers;
  scene("a question that takes long is given up, and nothing is blamed for it", async (page) => {
    await ready(page);
    await write(page, 'print "asked about" {}\n');
    await page.locator(".vertex.good[data-name*='asked about']").waitFor();
    await holdQuestion(page);
    // The worker gets it as soon as the editor has given it up: not when this machine has time.
    await page.evaluate(() => {
      const editor = document.querySelector(".editor").shadowRoot;
      new MutationObserver((_, observer) => {
        if (!editor.querySelector(".mcl-panel")?.textContent.includes("did not answer in time")) return;
        observer.disconnect();
        // The one before may have kept the worker busy, so that this question never came as far: the next one is not held either.
        globalThis.held ??= () => {};
        globalThis.held();
      }).observe(editor, { subtree: true, childList: true });
    });
    await page.keyboard.press("F12");
    await panel(page, "The compiler did not answer in time. Try again.").waitFor();
    await page.keyboard.press("F12");
    await panel(page, "It is not defined in this program.").waitFor();
    await write(page, 'print "x" {\n\tmsg => $nothing,\n}\n');
    await page.locator(".problems li.bad").first().waitFor();
    assert.equal(await page.locator(".stopped, .notice.bad").count(), 0);
    assert.equal(workers.length, 1, workers.join("\n"));
  }, { prepare: (page) => { workers = workersOf(page); } });
}

{
  let workers;
  scene("a question that hangs is not blamed on the program that is checked after it", async (page) => {
    await ready(page);
    await holdQuestion(page);
    await page.locator(".cm-content").focus();
    await page.keyboard.press("F12");
    await isHeld(page);
    await write(page, 'print "x" {\n\tmsg => $nothing,\n}\n');
    await page.getByText("A request from the editor timed out, so the compiler was restarted").waitFor();
    await page.locator(".problems li.bad").first().waitFor();
    assert.equal(await page.locator(".stopped").count(), 0);
    await write(page, 'print "goes on" {}\n');
    await page.locator(".vertex.good[data-name*='goes on']").waitFor();
    assert.equal(workers.length, 2, workers.join("\n"));
  }, { prepare: (page) => { workers = workersOf(page); } });
}

for (const [key, what] of [["F12", "definition"], ["F2", "renamable"]]) {
  scene(`a question over which the compiler is lost is told so: ${what}`, async (page) => {
    await ready(page);
    await write(page, 'print "asked about" {}\n');
    await page.locator(".vertex.good[data-name*='asked about']").waitFor();
    await page.evaluate((what) => {
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message, ...rest) {
        if (message.Ask?.query.ask !== what) return post.call(this, message, ...rest);
        Worker.prototype.postMessage = post;
        // As the worker reports a defect.
        setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { broken: "the test says so" } })));
      };
    }, what);
    await page.keyboard.press(key);
    await panel(page, "The compiler stopped before it could answer, and is being restarted. Try again in a moment.").waitFor();
    // It is there again.
    await write(page, 'print "goes on" {}\n');
    await page.locator(".vertex.good[data-name*='goes on']").waitFor();
    await page.keyboard.press("F12");
    await panel(page, "It is not defined in this program.").waitFor();
  });
}

const MEMORY = 5;
/** As much as a usual program needs many times over. Units: pages of 64 KiB. */
const FEW_PAGES = 1024;

/** A wasm module with another maximum of its memory. */
function withMemory(module, pages) {
  const bytes = Buffer.from(module);
  let at = 8;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  for (;;) {
    assert.ok(at < bytes.length, "the module has no memory");
    const id = bytes[at++];
    const size = number();
    if (id === MEMORY) break;
    at += size;
  }
  assert.deepEqual([number(), number()], [1, 1], "one memory, which has a maximum");
  assert.ok(number() < pages, "it begins with more");
  const from = at;
  assert.ok(number() > pages, "it has less");
  // The number keeps its length.
  for (let place = from, rest = pages; place < at; place += 1, rest = Math.floor(rest / 128)) {
    bytes[place] = (rest % 128) | (place + 1 < at ? 128 : 0);
  }
  return bytes;
}

const large = (name) => `file "/srv/${name}" {\n\tstate => "exists",\n\tcontent => golang_strings.repeat("${name}", 30000000),\n}\n`;

scene("a program that needs more memory than there is stops with a message, and the next one runs", async (page) => {
  await ready(page);
  await write(page, `import "golang/strings" as golang_strings\n${large("a")}${large("b")}${large("c")}`);
  await page.locator(".stopped").getByText("Out of memory").waitFor();
  assert.match(await page.locator(".stopped").innerText(), /needs more memory than this page may use/);
  assert.equal(await page.getByRole("button", { name: "Copy report", exact: true }).count(), 0);
  await write(page, 'print "small" {}\n');
  await page.locator(".vertex.good[data-name*='print[small]']").waitFor();
  assert.equal(await page.locator(".stopped").count(), 0);
}, {
  prepare: (page) => page.route("**/compiler-*.wasm", async (route) => {
    const module = await (await route.fetch()).body();
    await route.fulfill({ status: 200, contentType: "application/wasm", body: withMemory(module, FEW_PAGES) });
  }),
});

test("a link of more than a megabyte is told in a sentence, and leaves the text", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  try {
    await ready(page);
    await write(page, 'print "mine" {}\n');
    await page.locator(".vertex.good[data-name*='print[mine]']").waitFor();
    for (const [begin, words] of [
      ["c=", /it is too long/],
      ["p=", /it is too long/],
      ["example=", /No example named `A+…`/],
      ["url=", /this is not a link/i],
      ["url=https://elsewhere.invalid/", /does not fetch programs/],
    ]) {
      await page.evaluate((begin) => { location.hash = begin + "A".repeat(1_200_000); }, begin);
      const notice = page.locator(".notice.bad").filter({ hasText: words });
      await notice.waitFor();
      const { length } = await notice.innerText();
      assert.ok(length < 500, `${begin}: ${length} characters`);
      assert.match(await textOf(page), /"mine"/);
      await notice.getByRole("button", { name: "Close the message" }).click();
      await page.locator(".notice").waitFor({ state: "detached" });
    }
    // A lesson that does not exist is the next one instead.
    await page.evaluate(() => { location.hash = `lesson=${"A".repeat(1_200_000)}`; });
    const notice = page.locator(".notice.bad").filter({ hasText: "There is no lesson" });
    await notice.waitFor();
    assert.ok((await notice.innerText()).length < 500);
  } finally {
    await close();
  }
});

/**
 * Counts how many requests of the page a worker has at most before it answers one. Listeners are told in their order: this one is
 * there first, so an answer is counted before the page, which may ask again at once, is told of it.
 */
const countRequests = (page) => page.addInitScript(() => {
  const { addEventListener, postMessage } = Worker.prototype;
  const asked = new WeakMap();
  globalThis.mostAsked = 0;
  Worker.prototype.addEventListener = function (...args) {
    if (!asked.has(this)) {
      asked.set(this, 0);
      addEventListener.call(this, "message", ({ data }) => { if ("answer" in data) asked.set(this, 0); });
    }
    addEventListener.apply(this, args);
  };
  Worker.prototype.postMessage = function (...args) {
    asked.set(this, asked.get(this) + 1);
    globalThis.mostAsked = Math.max(globalThis.mostAsked, asked.get(this));
    postMessage.apply(this, args);
  };
});

/** The rows of the log that the page draws at most: as many as it keeps lines (`state/sim.rs`). */
const MOST_ROWS = 400;

scene("1,200 files that follow the clock leave room for everything else", async (page) => {
  await ready(page);
  const names = Array.from({ length: 1200 }, (_, n) => `"/srv/n${n}"`).join(", ");
  await write(page, `import "datetime"\nimport "fmt"\nfile [${names}] {\n\tstate => "exists",\n\tcontent => fmt.printf("%d\\n", datetime.now()),\n}\n`);
  await page.locator(".vertex[data-name*='/srv/n1199']").waitFor();
  /** Some seconds of simulated time. */
  const pass = async () => {
    const before = await page.locator(".now").innerText();
    await page.waitForFunction((before) => {
      const seconds = (text) => text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
      return seconds(document.querySelector(".now").textContent) >= seconds(before) + 3;
    }, before);
  };
  for (const view of ["Resources", "Functions", "Host", "Log"]) {
    await page.getByRole("tab", { name: new RegExp(view) }).click();
    await pass();
  }
  const rows = await page.locator(".log li").count();
  assert.ok(rows > 0 && rows <= MOST_ROWS, `${rows} rows`);
  // Input is handled in the meantime.
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("$x = $nothing\n");
  await reads(page, (text) => text.includes("$x = $nothing"));
  await page.locator(".problems li.bad").filter({ hasText: "$nothing" }).waitFor();
  assert.equal(await page.locator(".stopped, .notice.bad").count(), 0);
  // Each request is sent when the one before it is answered, however long that takes.
  assert.equal(await page.evaluate(() => globalThis.mostAsked), 1, "requests at a time");
}, { prepare: countRequests });
