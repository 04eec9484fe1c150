// Asks a worker's module what the page asks first, and writes which places in it were reached: a byte for each, as the module
// marks them in its memory (`src/split/marks.rs`).
//
//   node view.mjs BINDINGS.js MODULE.wasm REQUESTS.json AT COUNT MARKS
import { readFileSync, writeFileSync } from "node:fs";

const [bindings, module, requests, at, count, marks] = process.argv.slice(2);

// The file is a module of JavaScript whatever package it lies in.
const { default: init, answer } = await import(`data:text/javascript;base64,${readFileSync(bindings, "base64")}`);
globalThis.mcliveLoadRest = () => {};
const { memory } = await init({ module_or_path: readFileSync(module) });
for (const request of JSON.parse(readFileSync(requests, "utf8"))) {
  const said = answer(request);
  if (said.Declined) throw new Error(`${JSON.stringify(request)}: ${said.Declined.why}`);
}
writeFileSync(marks, new Uint8Array(memory.buffer, Number(at), Number(count)));
