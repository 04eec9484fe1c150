// Plays the page's first view with a module of it, and writes which places in it were reached, as `view.mjs` does for workers. The
// document is one without layout (happy-dom), the editor only asks the questions of the real one, the clock goes as fast as
// things happen, and the compiler answers in this thread.
//
//   node view-page.mjs BINDINGS.js MODULE.wasm WORKER.js WORKER.wasm SIZE FRAGMENT LOAD ANSWER DELAYS AT COUNT MARKS
//
// SIZE: WIDTHxHEIGHT. FRAGMENT: of the address. LOAD, ANSWER: how long the compiler takes to load, and to answer. Units:
// milliseconds of the page's clock. DELAYS: 0, or the number of a row of delays, as on a machine that is busy: what
// happens first in one row happens later in another.
import { readFileSync, writeFileSync } from "node:fs";
import { Window } from "happy-dom";
import * as link from "./web/link.js";

const [bindings, module, workerBindings, workerModule, size, fragment, load, answer, delays, at, count, marks] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);

/** The longest delay. Units: milliseconds of the page's clock. */
const LATE = 200;
/** How long the first view is played. Units: milliseconds of the page's clock. */
const LENGTH = Number(delays) === 0 ? 6_000 : 20_000;

/** What the window has too, and is used here. */
const native = { setImmediate, structuredClone };

/** The page's clock: its timers, and the frames that it draws. */
let now = 0, timers = 0;
const due = new Map();
function later(call, pause = 0, ...given) {
  due.set(++timers, { at: now + Math.max(1, pause) + delay(), call: () => call(...given) });
  return timers;
}
function each(call, pause) {
  const id = later(function again() {
    due.set(id, { at: now + Math.max(1, pause) + delay(), call: again });
    call();
  }, pause);
  return id;
}
const end = (id) => due.delete(id);

/** The next delay of the row (Lehmer's, whose numbers repeat after two billion): half of them are none. */
let row = Number(delays);
function delay() {
  row = row * 48_271 % 0x7fff_ffff;
  return Math.max(0, row / 0x7fff_ffff - 0.5) * 2 * LATE;
}

/** Goes to the next event; false if none is left within the time. */
async function step() {
  // What was promised comes first.
  for (let turn = 0; turn < 3 || due.size === 0 && turn < 100; turn += 1) await new Promise((done) => native.setImmediate(done));
  const [first] = [...due].sort(([, a], [, b]) => a.at - b.at);
  if (!first || first[1].at > LENGTH) return false;
  end(first[0]);
  now = Math.max(now, first[1].at);
  first[1].call();
  return true;
}

/** Each element has a size, and its observers get it. */
class Sizes {
  constructor(told) { this.told = told; }
  observe(target) {
    const contentRect = target.getBoundingClientRect();
    later(() => this.told([{ target, contentRect }], this), 16);
  }
  unobserve() {}
  disconnect() {}
}

const window = new Window({ url: `http://localhost:8080/${fragment}`, width, height });
const rect = () => new window.DOMRect(0, 0, width / 2, height / 2);
window.Element.prototype.getBoundingClientRect = rect;
for (const [name, of] of [["Width", width], ["Height", height]]) {
  Object.defineProperty(window.Element.prototype, `client${name}`, { get: () => of / 2 });
}
const own = {
  setTimeout: later, clearTimeout: end, setInterval: each, clearInterval: end,
  requestAnimationFrame: (call) => later(() => call(now), 16), cancelAnimationFrame: end,
  ResizeObserver: Sizes, performance: { now: () => now },
  // Browsers have the window itself where this has the global object of Node.js.
  Window: class { static [Symbol.hasInstance](it) { return it === globalThis; } },
};
const provide = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
for (let part = window; part !== Object.prototype && part !== null; part = Object.getPrototypeOf(part)) {
  for (const name of Object.getOwnPropertyNames(part)) {
    const value = window[name];
    const isOfLanguage = name in globalThis && !/^[A-Z].*(Event|EventTarget|URL|Node|Element)$|^(location|navigator)$/.test(name);
    if (isOfLanguage || value === undefined) continue;
    provide(name, typeof value === "function" && !/^[A-Z]/.test(name) ? value.bind(window) : value);
  }
}
for (const [name, value] of Object.entries(own)) provide(name, window[name] = value);
for (const name of ["window", "self"]) provide(name, globalThis);
Object.assign(globalThis, native);
document.body.innerHTML = `<div id="app"><main id="loading" class="loading"></main></div>`;

/** Starts a module that was bound to JavaScript; its bindings and its exports. */
async function start(script, wasm) {
  const text = Buffer.from(readFileSync(script)).toString("base64");
  const bound = await import(`data:text/javascript;base64,${text}`);
  return { bound, exports: await bound.default({ module_or_path: new WebAssembly.Module(readFileSync(wasm)) }) };
}

globalThis.mclivePanicked = (text) => { throw new Error(text); };
globalThis.mcliveLoadRest = () => { throw new Error("a module that is not split has no rest"); };
const compiler = await start(workerBindings, workerModule);

class Worker extends window.EventTarget {
  waiting = [];
  constructor() {
    super();
    this.tell({ ready: true }, Number(load));
  }
  /** Messages may be late, but none overtakes another. */
  tell(data, pause) {
    this.waiting.push(data);
    later(() => this.dispatchEvent(new window.MessageEvent("message", { data: this.waiting.shift() })), pause);
  }
  postMessage(request) {
    this.tell({ answer: compiler.bound.answer(structuredClone(request)) }, Number(answer));
  }
  terminate() { throw new Error("the page abandoned the compiler"); }
}

/** The editor: what the real one asks when it shows a program. */
function editorMount(_element, name, text, hands) {
  const of = { file: `/${name}`, units: "utf16" };
  for (const [pause, ask] of [[50, "tokens"], [100, "symbols"], [150, "hints"]]) {
    later(() => hands.ask(text, { ...of, ask, ...(ask !== "symbols" && { from: 0, to: text.length }) }), pause);
  }
}

const kept = {
  ...link,
  startWorker: () => new Worker(),
  editorHands: (changed, explain, ask) => ({ changed, explain, ask }),
  editorMount,
  embedded: () => false,
  olderVersion: () => undefined,
  fetchOrigins: () => [],
  serverShares: () => Promise.resolve(false),
  parseJson: JSON.parse,
};
globalThis.mclive = new Proxy(kept, { get: (functions, name) => functions[name] ?? (() => undefined) });

const page = await start(bindings, module);
page.bound.start();
while (await step());
const seen = document.body.textContent;
if (!document.querySelector(".vertex.good")) throw new Error(`the page shows no graph of what is on the host: ${seen.slice(0, 1000)}`);
writeFileSync(marks, new Uint8Array(page.exports.memory.buffer, Number(at), Number(count)));
process.exit(0);
