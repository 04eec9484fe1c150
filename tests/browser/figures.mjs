// How quick the page is, and what it takes, measured in headless Chromium on an otherwise idle machine: a table in Markdown.
// Not a test: machines are noisy.
//
//     cd www && node ../tests/browser/figures.mjs [PART…]        (after `make site`)
//
// The parts: first, keys, layout, pan, clock, size, memory, time; all of them take about ten minutes. A part that has no time left
// tells what it has, with its number of samples, and is ended if it does not come to that.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { launch, open, root, serve, write } from "./setup.mjs";

/** When a part measures no more, and when it is ended. Units: milliseconds. */
const LIMIT_MS = 240_000;
const END_MS = 2 * LIMIT_MS;
/** How long frames are counted without any input. Units: milliseconds. */
const WATCHED_MS = 10_000;
const ROUNDS = 20;
const KEYS = 100;
const MOVES = 100;
const MOMENTS = 100;
const EVENTS = 10_000;
/** At 10x, an hour of simulated time would take six minutes. */
const SPEED = "600";
/** When the memory is looked at. Units: minutes of simulated time. */
const LOOKS_MIN = [1, 15, 30, 45, 60];

const percentile = (times, percent) => times.toSorted((a, b) => a - b)[Math.ceil((times.length * percent) / 100) - 1];
const ms = (times) => {
  if (times.length === 0) return "not measured: it takes too long";
  const [p50, p99, max] = [50, 99, 100].map((percent) => percentile(times, percent).toFixed(0));
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (n = ${times.length})`;
};
const kB = (bytes) => `${(bytes / 1e3).toFixed(0)} kB`;
const MB = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const row = (what, measured, goal = "") => console.log(`| ${what} | ${measured} | ${goal} |`);

const begun = (page) => page.locator(".vertex.good").first().waitFor();
const showView = (page, name) => page.getByRole("tab", { name: new RegExp(name) }).click();

/** A program of about this number of bytes, which repeats typical statements. */
function program(size) {
  let text = 'import "fmt"\n';
  for (let n = 0; text.length < size; n++) {
    text += `$greeting${n} = fmt.printf("hello %d of %s", ${n}, "${n % 7} hosts")\n`
      + `file "/srv/greeting${n}" {\n\tstate   => "exists",\n\tcontent => $greeting${n},\n}\n`;
  }
  return text;
}

/** So many files that change each second. */
function clocks(size) {
  const names = Array.from({ length: size }, (_, n) => `"/srv/n${n}"`).join(", ");
  return `import "datetime"\nimport "fmt"\nfile [${names}] {\n\tstate => "exists",\n\tcontent => fmt.printf("%d\\n", datetime.now()),\n}\n`;
}

/** Types one wrong character; milliseconds from the key's own event to the squiggle in the editor's tree. */
async function squiggle(page) {
  const wrong = ".cm-lintRange-error, .cm-lintPoint-error";
  await page.evaluate((wrong) => void (globalThis.seen = new Promise((resolve) => {
    const editor = document.querySelector(".editor").shadowRoot;
    let begun;
    editor.addEventListener("keydown", () => { begun = performance.now(); }, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if (begun === undefined || !editor.querySelector(wrong)) return;
      observer.disconnect();
      resolve(performance.now() - begun);
    });
    observer.observe(editor, { subtree: true, childList: true, attributes: true });
  })), wrong);
  await page.keyboard.press("=");
  const time = await page.evaluate(() => globalThis.seen);
  await page.keyboard.press("Backspace");
  await page.locator(wrong).first().waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  return time;
}

/** The times between the frames that are drawn in the meantime. */
async function frames(page, act) {
  await page.evaluate(() => {
    globalThis.frames = [];
    let last;
    const frame = (now) => {
      if (last) globalThis.frames.push(now - last);
      last = now;
      globalThis.next = requestAnimationFrame(frame);
    };
    globalThis.next = requestAnimationFrame(frame);
  });
  await act();
  return page.evaluate(() => {
    cancelAnimationFrame(globalThis.next);
    return globalThis.frames;
  });
}

/** The same while the graph is dragged. */
async function pan(page) {
  const box = await page.locator(".canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const times = await frames(page, async () => {
    for (let move = 1; move <= MOVES; move++) await page.mouse.move(x + 2 * move, y + move);
  });
  await page.mouse.up();
  return times;
}

/** The simulated time that has passed, in minutes. */
const minutes = (page) => page.evaluate(() => document.querySelector(".now").textContent.split(":").reduce((sum, part) => 60 * sum + Number(part), 0) / 60);

/** A click on the timeline; milliseconds from its own event until the page shows that moment. */
async function moment(page, place) {
  const box = await page.locator(".track").boundingBox();
  await page.evaluate(() => void (globalThis.seen = new Promise((resolve) => {
    const track = document.querySelector(".track");
    let begun;
    addEventListener("pointerdown", () => { begun = performance.now(); }, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      observer.disconnect();
      resolve(performance.now() - begun);
    });
    observer.observe(track, { attributeFilter: ["aria-valuenow"] });
  })));
  await page.mouse.click(box.x + 1 + place * (box.width - 2), box.y + box.height / 2);
  return page.evaluate(() => globalThis.seen);
}

/** The memory of the page's processes: what is in use of JavaScript's heap, and all that the system gave them, the workers' too. */
async function memory(page, browser) {
  const own = await page.context().newCDPSession(page);
  await own.send("HeapProfiler.collectGarbage");
  const { usedSize } = await own.send("Runtime.getHeapUsage");
  await own.detach();
  const all = await browser.newBrowserCDPSession();
  // A headless browser may not support this.
  const { processInfo } = await all.send("SystemInfo.getProcessInfo").catch(() => ({ processInfo: [] }));
  await all.detach();
  const resident = ({ id }) => {
    const status = `/proc/${id}/status`;
    return existsSync(status) ? 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1] ?? 0) : 0;
  };
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(resident);
  return { heap: usedSize, resident: renderers.reduce((sum, one) => sum + one, 0) };
}

/** The parts: each gets `visit(prepare)`, which opens a page, and `left()`, which tells whether there is time. */
const PARTS = {
  /** Navigation begins at 0 of the page's own clock. */
  async first({ visit, left }) {
    const watch = () => {
      globalThis.drawn = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector(".vertex")) return;
          observer.disconnect();
          resolve(performance.now());
        }).observe(document, { subtree: true, childList: true });
      });
    };
    const times = [];
    while (times.length < ROUNDS && left()) {
      const page = await visit((page) => page.addInitScript(watch));
      times.push(await page.evaluate(() => globalThis.drawn));
      await page.context().close();
    }
    row("first graph drawn after the address was entered, nothing cached", ms(times), "400 ms");
  },

  async keys({ visit, left }) {
    for (const [size, goal] of [[1, "10 / 20 ms"], [10, "14 / 28 ms"], [100, "22 / 60 ms"]]) {
      const page = await visit();
      await begun(page);
      await write(page, program(size * 1000));
      // All that the page says about it is said before the first key.
      await page.locator(".transport .status").getByText("Up to date").waitFor();
      await page.keyboard.press("Control+End");
      const times = [];
      while (times.length < KEYS && left()) times.push(await squiggle(page));
      row(`from a keystroke to its squiggle in ${size} kB`, ms(times), `p50 / p99: ${goal}`);
      await page.context().close();
    }
  },

  /** From the question for the graphs of a text to the answer: what a worker compiles for it, lays out and sends. */
  async layout({ visit, left }) {
    const page = await visit((page) => page.addInitScript(() => {
      globalThis.drawn = [];
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        if (typeof message === "object" && "Draw" in message) {
          const begun = performance.now();
          const listen = ({ data }) => {
            if (data.answer === undefined) return;
            this.removeEventListener("message", listen);
            globalThis.drawn.push(performance.now() - begun);
          };
          this.addEventListener("message", listen);
        }
        return post.call(this, message);
      };
    }));
    await begun(page);
    const file = (n) => `File["/srv/n${n}"]`;
    const files = Array.from({ length: 1000 }, (_, n) => `file "/srv/n${n}" { state => "exists", }\n`);
    // Each has up to two before it, near and far.
    const edges = files.flatMap((_, n) => [n >> 1, n - 7].filter((before) => before >= 0 && before < n && (before === n >> 1 || n % 2 === 0))
      .map((before) => `${file(before)} -> ${file(n)}\n`));
    const text = files.concat(edges).join("");
    const draws = () => page.evaluate(() => globalThis.drawn.length);
    await write(page, text);
    await page.locator(".vertex.good[data-name*='/srv/n999']").waitFor();
    const before = await draws();
    for (let round = 1; round <= ROUNDS && left(); round += 1) {
      await write(page, `${text}# ${round}\nfile "/srv/round${round}" { state => "exists", }\n`);
      await page.locator(`.vertex[data-name*='/srv/round${round}']`).waitFor();
    }
    const times = await page.evaluate((before) => globalThis.drawn.slice(before), before);
    row(`graphs of 1,000 resources and ${edges.length.toLocaleString("en")} edges, compiled and laid out after an edit`, ms(times), "150 ms for the layout");
  },

  async pan({ visit }) {
    const page = await visit();
    await begun(page);
    await write(page, Array.from({ length: 1000 }, (_, n) => `file "/srv/n${n}" { state => "exists", }\n`).join(""));
    await page.locator(".vertex.good[data-name*='/srv/n999']").waitFor();
    // Where the titles are legible, there is most to draw.
    for (const zoom of ["all of them", "their titles"]) {
      if (zoom === "their titles") {
        await page.locator(".vertex[tabindex='0']").focus();
        for (let press = 0; press < 9; press++) await page.keyboard.press("+");
      }
      row(`frames while 1,000 resources are panned, with ${zoom} in sight`, ms(await pan(page)), "max 50 ms");
    }
  },

  async clock({ visit, left }) {
    for (const size of [1_200, 2_900]) {
      const page = await visit();
      await begun(page);
      await write(page, clocks(size));
      await page.locator(`.vertex[data-name*='/srv/n${size - 1}']`).waitFor();
      for (const view of ["Resources", "Log"]) {
        if (!left()) continue;
        await showView(page, view);
        // What comes with the view itself is none of it.
        await page.waitForTimeout(1_000);
        const times = await frames(page, () => page.waitForTimeout(WATCHED_MS));
        row(`frames while ${size.toLocaleString("en")} files follow the clock, in ${view}`, ms(times), "50 ms");
      }
      await page.context().close();
    }
  },

  /** What the site's server would send with brotli, which browsers ask for by https only. */
  async size({ visit }) {
    const asked = new Set();
    let isThere = false;
    const page = await visit((page) => page.on("request", (request) => {
      if (!isThere) asked.add(new URL(request.url()).pathname);
    }));
    await begun(page);
    isThere = true;
    const dist = join(root, "www/dist");
    const sizes = [...asked].map((path) => {
      const file = join(dist, path === "/" ? "index.html" : path);
      const sent = [`${file}.br`, file].find((one) => existsSync(one));
      return { path, size: sent && statSync(sent).isFile() ? statSync(sent).size : 0 };
    });
    for (const { path, size } of sizes.filter(({ size }) => size > 0)) {
      row(`\`${path}\` with brotli`, kB(size), path.startsWith("/compiler") ? "650 kB" : "");
    }
    row("all that the first view loads, with brotli", kB(sizes.reduce((sum, { size }) => sum + size, 0)), "900 kB");
  },

  async memory({ visit, left, browser }) {
    const page = await visit();
    await begun(page);
    await write(page, clocks(10));
    await page.locator(".vertex.good[data-name*='/srv/n9']").waitFor();
    await page.locator(".speed select").selectOption(SPEED);
    for (const look of LOOKS_MIN) {
      while (left() && (await minutes(page)) < look) await page.waitForTimeout(200);
      const at = await minutes(page);
      const { heap, resident } = await memory(page, browser);
      row(`memory of the page after ${at.toFixed(0)} minutes of simulated time, at ${SPEED}x`, `heap ${MB(heap)}, ${resident > 0 ? `with its workers ${MB(resident)}` : "processes unknown"}`, "flat");
      if (!left()) return;
    }
  },

  async time({ visit, left }) {
    const page = await visit();
    await begun(page);
    await write(page, clocks(3));
    await page.locator(".vertex.good[data-name*='/srv/n2']").waitFor();
    await page.locator(".speed select").selectOption(SPEED);
    const track = page.locator(".track");
    const marks = async () => 1 + Number(await track.getAttribute("aria-valuemax"));
    while (left() && (await marks()) < EVENTS) await page.waitForTimeout(500);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    // What was under way ends first.
    await page.waitForTimeout(1_000);
    const n = await marks();
    const times = [];
    // Evenly spread, in no order; the same each time.
    while (times.length < MOMENTS && left()) times.push(await moment(page, (((times.length + 1) * 79) % 100) / 100));
    row(`back to a moment of a run of ${n.toLocaleString("en")} events`, ms(times), "100 ms");
  },
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`unknown part: ${unknown.join(", ")}; the parts are ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}
const server = await serve();
const browser = await launch();
try {
  row("figure", "measured", "goal");
  row("---", "---", "---");
  for (const [name, measure] of Object.entries(PARTS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const end = performance.now() + LIMIT_MS;
    const visit = async (prepare) => (await open(browser, server.url, { prepare })).page;
    let timer;
    const over = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error("it takes too long")), END_MS);
    });
    try {
      await Promise.race([measure({ visit, left: () => performance.now() < end, browser }), over]);
    } catch (error) {
      row(name, `not measured: ${String(error.message).split("\n")[0].replaceAll("|", "\\|")}`);
      process.exitCode = 1;
    } finally {
      clearTimeout(timer);
    }
    // What was left open would disturb what comes next.
    for (const context of browser.contexts()) await context.close();
  }
} finally {
  await browser.close();
  server.stop();
}
