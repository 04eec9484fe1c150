// The worker in which the compiler runs: a request in, its answer out, both plain objects, one at a time. What fails here fails for
// good: the page ends this worker and starts another.
import init, { answer } from "mclive-worker";

const address = (name) => new URL(name, self.location.href);

/** The exports of the module's first part, which lacks the functions that the first view does not need. */
let first;

/** Adds the other functions; the calls that so far lead to `mcliveLoadRest` then lead to them. */
function add(rest) {
  if (first.restLoaded.value === 1) return;
  new WebAssembly.Instance(rest, { first });
  first.restLoaded.value = 1;
}

// One of them is called now, so nothing can go on without them.
globalThis.mcliveLoadRest = () => {
  const asked = new XMLHttpRequest();
  asked.open("GET", address(REST_WASM), false);
  asked.responseType = "arraybuffer";
  asked.send();
  if (asked.status !== 200) throw new Error(`the server returned ${asked.status} for ${REST_WASM}`);
  add(new WebAssembly.Module(asked.response));
};

/** Loads them beside the work. If that fails, they are asked for again when one is called. */
async function follow() {
  add(await WebAssembly.compileStreaming(fetch(address(REST_WASM))));
}

const ready = init({ module_or_path: address(COMPILER_WASM) }).then(
  (exports) => {
    first = exports;
    self.postMessage({ ready: true });
  },
  (error) => self.postMessage({ broken: String(error) }),
);

/** The first view comes first: how long after its first answer the rest is loaded. Units: milliseconds. */
const PATIENCE = 500;
let answers = 0;

self.onmessage = async ({ data }) => {
  await ready;
  try {
    self.postMessage({ answer: answer(data) });
  } catch (error) {
    self.postMessage({ broken: String(error) });
  }
  answers += 1;
  if (REST_WASM && answers === 1) setTimeout(() => follow().catch(() => {}), PATIENCE);
};
