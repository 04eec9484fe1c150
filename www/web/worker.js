// The worker in which the compiler runs: a request in, its answer out, both plain objects, one at a time. What fails here fails for
// good: the page ends this worker and starts another.
import init, { answer } from "mclive-worker";
import { Rest } from "./rest.js";

const address = (name) => new URL(name, self.location.href);

const rest = new Rest(REST_WASM ? address(REST_WASM).href : null);

/** Why the other functions could not be loaded when one of them was called. */
let lacking;

// The page knows that this takes longer than an answer.
globalThis.mcliveLoadRest = () => {
  self.postMessage({ loading: true });
  try {
    rest.load();
  } catch (error) {
    lacking = error instanceof Error ? error.message : String(error);
    throw error;
  }
  self.postMessage({ loading: false });
};

/** The first view comes first: how long after its first answer the rest is loaded. Units: milliseconds. */
const PATIENCE = 500;

const parts = [init({ module_or_path: address(COMPILER_WASM) })];
// The worker before this one lacked a part when it was needed.
if (REST_WASM && self.name === "whole") parts.push(WebAssembly.compileStreaming(fetch(rest.address)));

let isStarted = false;
const ready = Promise.all(parts).then(([exports, module]) => {
  rest.started(exports);
  if (module) rest.add(module);
  isStarted = true;
  self.postMessage({ ready: true });
}).catch((error) => self.postMessage({ broken: String(error) }));

let answers = 0;

self.onmessage = async ({ data }) => {
  await ready;
  try {
    self.postMessage({ answer: answer(data) });
  } catch (error) {
    self.postMessage(lacking === undefined ? { broken: String(error) } : { lacking });
  }
  answers += 1;
  if (answers === 1 && isStarted) setTimeout(() => rest.follow(() => self.postMessage({ gone: true })), PATIENCE);
};
