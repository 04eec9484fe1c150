// The worker in which the compiler runs: a request in, its answer out, both plain objects, one at a time. What fails here fails for
// good: the page ends this worker and starts another.
import init, { answer } from "mclive-worker";

const address = (name) => new URL(name, self.location.href);

/** The exports of the module's first part, which lacks the functions that the first view does not need. */
let first;

/** Whether no part of the module is missing. */
const isWhole = () => !REST_WASM || first.restLoaded.value === 1;

/** Adds the other functions; the calls that so far lead to `mcliveLoadRest` then lead to them. */
function add(rest) {
  if (isWhole()) return;
  new WebAssembly.Instance(rest, { first });
  first.restLoaded.value = 1;
}

/** Ends the load beside the work. */
const beside = new AbortController();

/** Why the other functions could not be loaded when one of them was called. */
let lacking;

/** What the module says of a defect, before it ends in a trap. */
let panic;
globalThis.mclivePanicked = (text) => {
  panic = text;
};

/**
 * Whether the module was refused memory: a trap without a message. What grows in it doubles, so there is no room for twice of what
 * it has. Its maximum is set when it is linked (`playground/build.rs`); a browser may have less.
 */
function isFull(error) {
  const isTrap = error instanceof WebAssembly.RuntimeError && /unreachable/i.test(error.message);
  if (!isTrap || panic !== undefined) return false;
  const { memory } = first;
  try {
    memory.grow((2 * memory.buffer.byteLength) / 65_536);
    return false;
  } catch {
    return true;
  }
}

/** What the page is told of a failure. */
function told(error) {
  if (lacking !== undefined) return { lacking };
  return isFull(error) ? { full: true } : { broken: panic ?? String(error) };
}

// One of them is called now, so nothing can go on without them. The page knows that this takes longer than an answer.
globalThis.mcliveLoadRest = () => {
  self.postMessage({ loading: true });
  // It would share the line, and its result cannot be used before this function returns.
  beside.abort();
  try {
    add(new WebAssembly.Module(loaded()));
  } catch (error) {
    lacking = error instanceof Error ? error.message : String(error);
    throw error;
  }
  self.postMessage({ loading: false });
};

/** The bytes of the other functions; waits for them. */
function loaded() {
  const asked = new XMLHttpRequest();
  asked.open("GET", address(REST_WASM), false);
  asked.responseType = "arraybuffer";
  try {
    asked.send();
  } catch {
    throw new Error("the server is not responding");
  }
  if (asked.status !== 200) throw new Error(`the server returned ${asked.status} for ${REST_WASM}`);
  return asked.response;
}

/** The first view comes first: how long after its first answer the rest is loaded. Units: milliseconds. */
const PATIENCE = 500;
/** How long after a failure it is tried again; doubles each time. Units: milliseconds. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** Loads them beside the work. A line may come back; what the server no longer has does not, so the page is told. */
async function follow() {
  for (let pause = FIRST_PAUSE; !isWhole(); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const got = await fetch(address(REST_WASM), { signal: beside.signal });
      if (got.status === 404 || got.status === 410) {
        self.postMessage({ gone: true });
        return;
      }
      add(await WebAssembly.compileStreaming(got));
    } catch {
      if (beside.signal.aborted) return;
      await new Promise((goOn) => setTimeout(goOn, pause));
    }
  }
}

const parts = [init({ module_or_path: address(COMPILER_WASM) })];
// The worker before this one lacked a part when it was needed.
if (REST_WASM && self.name === "whole") parts.push(WebAssembly.compileStreaming(fetch(address(REST_WASM))));

const ready = Promise.all(parts).then(([exports, rest]) => {
  first = exports;
  if (rest) add(rest);
  self.postMessage({ ready: true });
}).catch((error) => self.postMessage({ broken: String(error) }));

let answers = 0;

self.onmessage = async ({ data }) => {
  await ready;
  try {
    self.postMessage({ answer: answer(data) });
  } catch (error) {
    self.postMessage(told(error));
  }
  answers += 1;
  if (answers === 1 && first) setTimeout(follow, PATIENCE);
};
