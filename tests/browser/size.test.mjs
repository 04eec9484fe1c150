// How large the compiler is that a visitor loads, and what takes the room. The modules that are measured are the
// site's; the table is of the compiler's whole module before it was split, before `wasm-opt` and with its names.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { root } from "./setup.mjs";
import { contents, demangled, lines, path, table } from "./wasm.mjs";

/**
 * The modules are loaded in two parts (`www/src/split`); these are the measures of the compiler's first one, and of all that a
 * visitor loads before the first view is there. What is loaded may not grow unseen: each has what it should be, what was measured last, and so the most that it may be,
 * with room for another release of rustc or binaryen, which alone changes one or two in a hundred. Who makes one
 * smaller writes down the new measure. Units: bytes.
 */
const RAW = { goal: 2_000_000, measured: 1_608_600 };
const BROTLI = { goal: 650_000, measured: 527_400 };
const VIEW = { goal: 900_000, measured: 880_900 };
const most = ({ goal, measured }) => Math.min(goal, Math.round(measured * 1.05));
/**
 * What is loaded after the first view, or with the first model or lesson, with brotli. None of it is waited for by everybody,
 * so each may grow by a tenth. Units: bytes.
 */
const LATER = [
  { what: "the page's rest", name: /^page-rest-.*\.wasm$/, measured: 251_300 },
  { what: "the compiler's rest", name: /^worker-rest-.*\.wasm$/, measured: 1_044_700 },
  { what: "the models' first part", name: /^models-(?!rest-).*\.wasm$/, measured: 749_900 },
  { what: "the models' rest", name: /^models-rest-.*\.wasm$/, measured: 1_053_900 },
  { what: "the lessons", name: /^lessons-.*\.json$/, measured: 43_900 },
];
const mostLater = ({ measured }) => Math.round(measured * 1.1);

const dist = join(root, "www/dist");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

test("the compiler's module is within its size limit", (context) => {
  const compiler = join(dist, readdirSync(dist).find((name) => /^compiler-.*\.wasm$/.test(name)));
  assert.ok(statSync(compiler).size < 8_000_000, "www/dist is a quick build; `make site` makes the one to measure");
  const bytes = readFileSync(compiler);
  // As it is sent: the site was built with it.
  const compressed = readFileSync(`${compiler}.br`);
  assert.ok(brotliDecompressSync(compressed).equals(bytes), "the compressed module is another one");
  const [raw, brotli] = [bytes.length, compressed.length];
  const named = readFileSync(join(target, "www/wasm32-unknown-unknown/wasm/worker.wasm"));
  const { functions, code, data } = contents(named);
  context.diagnostic(`loaded: ${kB(raw)}, with brotli ${kB(brotli)}`);
  context.diagnostic(`whole, before wasm-opt: code ${kB(code)}, data ${kB(data)}; the code by crate:`);
  for (const line of lines(table(functions, 1), 10)) context.diagnostic(line);
  context.diagnostic("the compiler's own code by part:");
  for (const line of lines(table(functions, 2, ["mclive_compiler"]), 12)) context.diagnostic(line);
  context.diagnostic("what generic code of the standard library is made for our types:");
  const generic = [...table(functions, 3, ["core"]), ...table(functions, 3, ["alloc"])].sort((a, b) => b[1] - a[1]);
  for (const line of lines(generic, 6)) context.diagnostic(line);
  const sum = functions.reduce((sum, one) => sum + one.size, 0);
  assert.ok(sum > code * 0.95 && sum <= code, "the table does not cover the code");
  assert.ok(functions.filter((one) => one.name).length > functions.length * 0.9, "the names are missing");
  assert.ok(raw <= most(RAW), `${raw} bytes are more than ${most(RAW)}; the goal is ${RAW.goal}`);
  assert.ok(brotli <= most(BROTLI), `${brotli} bytes with brotli are more than ${most(BROTLI)}; the goal is ${BROTLI.goal}`);
});

test("the files of the first view are within their size limit", (context) => {
  const names = [/^index\.html$/, /^theme-.*\.js$/, /^style-.*\.css$/, /^icon-.*\.svg$/, /^boot-.*\.js$/, /^page-(?!rest-).*\.wasm$/, /^worker-\w+\.js$/, /^compiler-.*\.wasm$/];
  const files = readdirSync(dist);
  const sizes = names.map((name) => {
    const file = files.find((file) => name.test(file));
    assert.ok(file, `${name} in ${files.join(" ")}`);
    return [file, statSync(join(dist, `${file}.br`)).size];
  });
  for (const [file, size] of sizes) context.diagnostic(`${file}: ${kB(size)} with brotli`);
  const sum = sizes.reduce((sum, [, size]) => sum + size, 0);
  context.diagnostic(`together: ${kB(sum)}`);
  assert.ok(sum <= most(VIEW), `${sum} bytes are more than ${most(VIEW)}; the goal is ${VIEW.goal}`);
});

test("files that are loaded later are within their size limits", (context) => {
  const files = readdirSync(dist);
  const tooLarge = [];
  for (const part of LATER) {
    const file = files.find((file) => part.name.test(file));
    assert.ok(file, `${part.name} in ${files.join(" ")}`);
    const { size } = statSync(join(dist, `${file}.br`));
    const told = `${part.what}: ${kB(size)} with brotli, at most ${kB(mostLater(part))}`;
    context.diagnostic(told);
    if (size > mostLater(part)) tooLarge.push(told);
  }
  assert.deepEqual(tooLarge, []);
});

test("names are told by their crate", () => {
  const crateOf = (name) => path(name)[0];
  assert.equal(demangled("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE"), "core::ptr::drop_in_place<alloc::string::String>");
  assert.equal(crateOf("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE"), "alloc");
  assert.equal(crateOf("_ZN15mclive_compiler5brain5Brain4turn17h2687d8258bc5bb2dE"), "mclive_compiler");
  assert.equal(crateOf("_RNvMs3_NtCs5cOc02OMXlo_5alloc3stre12to_lowercase"), "alloc");
  assert.equal(crateOf("memcpy"), "memcpy");
});
