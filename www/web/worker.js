// The worker in which the compiler runs: a request in, its answer out, one at a time. A failure here is permanent: the page ends
// this worker and starts another.
import init, { answer } from "mclive-worker";
import { compiled, OtherVersion, Rest } from "./rest.js";

const address = (name) => new URL(name, self.location.href);

const rest = new Rest(REST_WASM ? address(REST_WASM).href : null);

/** Why the other functions could not be loaded when one of them was called. */
let lacking;

/** The module's memory. */
let memory;

/** The module's message about a defect, before it ends in a trap. */
let panic;
globalThis.mclivePanicked = (text) => {
  panic = text;
};

/**
 * Whether the module was refused memory: a trap without a message. What grows in it doubles, so there is no room for twice what
 * it has. Its maximum is set when it is linked (`playground/build.rs`); a browser may have less.
 */
function isFull(error) {
  const isTrap = error instanceof WebAssembly.RuntimeError && /unreachable/i.test(error.message);
  if (!isTrap || panic !== undefined) return false;
  try {
    memory.grow((2 * memory.buffer.byteLength) / 65_536);
    return false;
  } catch {
    return true;
  }
}

/** The report of a failure to the page. */
function told(error) {
  if (lacking !== undefined) return { lacking };
  return isFull(error) ? { full: true } : { broken: panic ?? String(error) };
}

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
if (REST_WASM && self.name === "whole") parts.push(fetch(rest.address).then(compiled));

const ready = Promise.all(parts).then(([exports, module]) => {
  rest.started(exports);
  if (module) rest.add(module);
  memory = exports.memory;
  self.postMessage({ ready: true });
}).catch((error) => self.postMessage(error instanceof OtherVersion ? { outdated: true } : { broken: String(error) }));

/** Loads the rest in the background, and reports if this cannot succeed. */
async function follow() {
  if (await rest.follow()) self.postMessage({ gone: true });
}

let answers = 0;

self.onmessage = async ({ data }) => {
  await ready;
  try {
    const said = answer(data);
    // Bytes are transferred; the objects for the editor are copied.
    self.postMessage({ answer: said }, said instanceof Uint8Array ? [said.buffer] : []);
  } catch (error) {
    self.postMessage(told(error));
  }
  answers += 1;
  if (answers === 1 && memory) setTimeout(follow, PATIENCE);
};
