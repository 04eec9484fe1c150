// Asks a worker's module what the page asks first, and writes which places in it were reached: a byte for each, as the module
// marks them in its memory (`src/split/marks.rs`). REQUESTS has several lists, each for a separate worker.
//
//   node view.mjs BINDINGS.js MODULE.wasm REQUESTS.json AT COUNT MARKS
import { readFileSync, writeFileSync } from "node:fs";

const [bindings, module, requests, at, count, marks] = process.argv.slice(2);

/** The first byte of an answer that declines its request (`playground/src/worker/protocol/bytes.rs`). */
const DECLINED = 11;

globalThis.mclivePanicked = (text) => { throw new Error(text); };
globalThis.mcliveLoadRest = () => { throw new Error("a module that is not split lacks nothing"); };
// What is reached does not depend on how fast this machine is.
Object.defineProperty(performance, "now", { value: () => 0 });
const script = readFileSync(bindings, "utf8");
const compiled = new WebAssembly.Module(readFileSync(module));
const reached = new Uint8Array(Number(count));
for (const [index, list] of JSON.parse(readFileSync(requests, "utf8")).entries()) {
  // The file is a module of JavaScript whatever package it lies in, and another one for each list.
  const own = Buffer.from(`${script}\n// ${index}`).toString("base64");
  const { default: init, answer } = await import(`data:text/javascript;base64,${own}`);
  const { memory } = await init({ module_or_path: compiled });
  for (const request of list) {
    const said = answer(request);
    const isDeclined = said instanceof Uint8Array && said[0] === DECLINED;
    if (isDeclined) throw new Error(`${JSON.stringify(request)}: ${new TextDecoder().decode(said)}`);
  }
  new Uint8Array(memory.buffer, Number(at), Number(count)).forEach((mark, place) => { reached[place] |= mark; });
}
writeFileSync(marks, reached);
