// What is in a wasm module, by crate: bytes of code of each function, by the name section that rustc leaves
// in a module that is not stripped.
//
//   node wasm.mjs MODULE.wasm      prints the tables
import { readFileSync } from "node:fs";
import { argv } from "node:process";

const CUSTOM = 0, IMPORT = 2, CODE = 10, DATA = 11;
const FUNCTION_NAMES = 1;

/** A reader of the binary format's numbers and strings. */
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  /** An unsigned LEB128. */
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  skip(size) {
    this.at += size;
    return this.at;
  }

  text() {
    const size = this.number();
    return this.bytes.toString("utf8", this.at, this.skip(size));
  }

  /** A part with this number of bytes, which are skipped. */
  part(size) {
    return new Reader(this.bytes, this.at, this.skip(size));
  }
}

/** The module's functions with name and size, and the sizes of its sections. */
export function contents(bytes) {
  const found = { functions: [], names: new Map(), data: 0, code: 0 };
  let imported = 0;
  const reader = new Reader(bytes, 8);
  while (reader.at < reader.end) {
    const id = bytes[reader.at++];
    const part = reader.part(reader.number());
    if (id === IMPORT) imported = functionImports(part);
    if (id === DATA) found.data = part.end - part.at;
    if (id === CODE) {
      found.code = part.end - part.at;
      for (let count = part.number(); count > 0; count -= 1) {
        const size = part.number();
        found.functions.push(size);
        part.skip(size);
      }
    }
    if (id === CUSTOM && part.text() === "name") found.names = functionNames(part);
  }
  const functions = found.functions.map((size, index) => ({ size, name: found.names.get(imported + index) ?? "" }));
  return { functions, code: found.code, data: found.data };
}

function functionImports(part) {
  let functions = 0;
  for (let count = part.number(); count > 0; count -= 1) {
    part.text();
    part.text();
    // rustc's modules import functions only.
    if (part.bytes[part.at++] !== 0) throw new Error("an import that is no function");
    part.number();
    functions += 1;
  }
  return functions;
}

function functionNames(part) {
  const names = new Map();
  while (part.at < part.end) {
    const id = part.bytes[part.at++];
    const names_part = part.part(part.number());
    if (id !== FUNCTION_NAMES) continue;
    for (let count = names_part.number(); count > 0; count -= 1) names.set(names_part.number(), names_part.text());
  }
  return names;
}

/** A mangled name as a path, of the newer mangling (`_R…`) the crate alone; another one as it is. */
export function demangled(name) {
  const crate = /^_R.*?C(?:s[0-9A-Za-z]*_)?(\d+)_?(\w+)/.exec(name);
  if (crate) return crate[2].slice(0, Number(crate[1]));
  if (!name.startsWith("_ZN")) return name;
  const words = [];
  for (let at = 3; /\d/.test(name[at] ?? "");) {
    const size = /^\d+/.exec(name.slice(at))[0];
    at += size.length + Number(size);
    words.push(name.slice(at - Number(size), at));
  }
  if (/^h[0-9a-f]{16}$/.test(words.at(-1))) words.pop();
  const marks = { LT: "<", GT: ">", RF: "&", BP: "*", LP: "(", RP: ")", C: ",", SP: "@" };
  const plain = (word) => word.replace(/^_\$/, "$").replace(/\$(\w+)\$/g, (_, mark) =>
    marks[mark] ?? String.fromCodePoint(parseInt(mark.slice(1), 16))).replace(/\.\./g, "::");
  return words.map(plain).join("::");
}

/** The path that a function belongs to: that of its type, where it is an implementation of a trait. */
export function path(name) {
  let text = demangled(name);
  // `<T as Trait>::f` and `<impl Trait for T>::f` belong to T, and so does what is made for one T alone.
  for (;;) {
    const inner = /^<(?:impl .* for )?&?(?:mut |dyn )?(.*)$/.exec(text) ?? /^(?:core|alloc)::(?:ptr::drop_(?:in_place|glue)|slice::sort)[^<]*<(.*)$/.exec(text);
    if (!inner) break;
    text = inner[1];
  }
  return text.replace(/\[[0-9a-f]{6,}\]/g, "").split(/[<> ,(){}]/)[0].split("::").filter(Boolean);
}

/** Sums by the first `depth` words of the paths that begin with `below`, largest first. */
export function table(functions, depth, below = []) {
  const sums = new Map();
  for (const { name, size } of functions) {
    const words = path(name);
    if (below.some((word, index) => words[index] !== word)) continue;
    const key = words.slice(0, depth).join("::") || "(no name)";
    sums.set(key, (sums.get(key) ?? 0) + size);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** Such a table as lines of text; what is small is summed up. */
export function lines(rows, most = 14) {
  const line = (name, size) => `  ${name.padEnd(38)}${(size / 1000).toFixed(1).padStart(9)} kB`;
  const rest = rows.slice(most).reduce((sum, [, size]) => sum + size, 0);
  return [...rows.slice(0, most).map(([name, size]) => line(name, size)), ...(rest ? [line("others", rest)] : [])];
}

if (argv[1] === import.meta.filename) {
  const { functions, code, data } = contents(readFileSync(argv[2]));
  console.log(`code ${code}, data ${data}`);
  for (const [depth, below] of [[1, []], [2, ["mclive_compiler"]], [3, ["mclive_compiler", "corelib"]], [3, ["core"]], [3, ["alloc"]]]) {
    console.log(`${below.join("::") || "by crate"}\n${lines(table(functions, depth, below)).join("\n")}`);
  }
}
