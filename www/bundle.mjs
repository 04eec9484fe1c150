// Everything of the site that is not Rust: bundles the scripts and styles, names each file by its
// content, writes `dist/` anew and prints what a visitor loads.
//
//   node bundle.mjs PARTS full|quick     PARTS: the folder with page.js, worker.js, models.js, their _bg.wasm and lessons.json

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { compress } from "./compress.mjs";

const [parts, effort] = process.argv.slice(2);
const here = import.meta.dirname;
const fresh = join(here, "dist.new");
const minify = effort === "full";

rmSync(fresh, { recursive: true, force: true });
mkdirSync(fresh);

/** Writes a file under a name that identifies its content, and returns the name. */
function place(name, content) {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
  const hashed = `${basename(name, extname(name))}-${hash}${extname(name)}`;
  writeFileSync(join(fresh, hashed), content);
  return hashed;
}

async function bundle(entry, define, format = "esm", worker = "worker.js") {
  const made = await build({
    entryPoints: [join(here, "web", entry)],
    bundle: true,
    write: false,
    minify,
    format,
    target: ["chrome110", "firefox115", "safari16.4"],
    alias: { "mclive-page": join(parts, "page.js"), "mclive-worker": join(parts, worker) },
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    // The bound modules name their own file by `import.meta`; we always tell them where it is.
    logOverride: { "empty-import-meta": "silent" },
    legalComments: "none",
    outdir: fresh,
  });
  return made.outputFiles[0].contents;
}

/** The second part of a module, if it was split; it is loaded after the first view. */
function rest(module) {
  const file = join(parts, `${module}_rest.wasm`);
  return existsSync(file) ? place(`${module}-rest.wasm`, readFileSync(file)) : "";
}

const pageWasm = place("page.wasm", readFileSync(join(parts, "page_bg.wasm")));
const workerWasm = place("compiler.wasm", readFileSync(join(parts, "worker_bg.wasm")));
const workerRest = rest("worker");
const worker = place("worker.js", await bundle("worker.js", { COMPILER_WASM: workerWasm, REST_WASM: workerRest }, "iife"));
// The second language is a separate module, which is loaded with the first model.
const modelsWasm = place("models.wasm", readFileSync(join(parts, "models_bg.wasm")));
const modelsRest = rest("models");
const modelsParts = { COMPILER_WASM: modelsWasm, REST_WASM: modelsRest };
const models = place("models.js", await bundle("worker.js", modelsParts, "iife", "models.js"));
const lessons = place("lessons.json", readFileSync(join(parts, "lessons.json")));
const bootParts = { PAGE_WASM: pageWasm, PAGE_REST: rest("page"), WORKER: worker, MODELS: models, LESSONS: lessons };
const boot = place("boot.js", await bundle("boot.js", bootParts));
const theme = place("theme.js", await bundle("theme.js", {}, "iife"));
const style = place("style.css", await bundle("styles/main.css", {}));
const reference = place("reference.js", await bundle("reference.js", {}));
const referenceStyle = place("reference.css", await bundle("styles/reference.css", {}));
const icon = place("icon.svg", readFileSync(join(here, "web", "icon.svg")));

const headers = readFileSync(join(here, "headers.txt"), "utf8");
const policy = /^Content-Security-Policy: (.*)$/m.exec(headers)[1];
// A page's own element may not say who may frame it; only a header may.
const metaPolicy = policy.split("; ").filter((rule) => !rule.startsWith("frame-ancestors")).join("; ");
const names = {
  BOOT: boot, THEME: theme, STYLE: style, ICON: icon, POLICY: metaPolicy, PAGE_WASM: pageWasm,
  REFERENCE: reference, REFERENCE_STYLE: referenceStyle,
  ENTRIES: readFileSync(join(parts, "reference-entries.html"), "utf8"),
  CONTENT: readFileSync(join(parts, "reference.html"), "utf8"),
};
/** A page with these names filled in. */
const filled = (page, names) => readFileSync(join(here, "web", page), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => names[name]);
const pages = ["index.html", "reference.html"];

// Offline: after the first visit the whole site is at hand. The list makes each build another one, and its pages, whose names do not
// tell their content, say which one they belong to.
const later = [models, modelsWasm, modelsRest, lessons].filter(Boolean);
const files = [...readdirSync(fresh).filter((name) => !later.includes(name)), ...pages].sort();
const edition = createHash("sha256").update([...files, ...later].join("\n"));
for (const page of pages) edition.update(filled(page, { ...names, EDITION: "" }));
names.EDITION = edition.digest("hex").slice(0, 10);
for (const page of pages) writeFileSync(join(fresh, page), filled(page, names));
copyFileSync(join(here, "headers.txt"), join(fresh, "headers.txt"));
const offline = await bundle("offline.js", { FILES: files, LATER: later, EDITION: names.EDITION }, "iife");
writeFileSync(join(fresh, "offline.js"), offline);

// For frames of other sites: the same page, a folder below, and the script that puts it there, which has one name for ever.
mkdirSync(join(fresh, "embed"));
const below = { ...names };
for (const part of ["BOOT", "THEME", "STYLE", "ICON", "PAGE_WASM"]) below[part] = `../${names[part]}`;
const frame = readFileSync(join(here, "web/index.html"), "utf8").replace('<html lang="en">', '<html lang="en" data-embed>');
writeFileSync(join(fresh, "embed/index.html"), frame.replace(/\{\{(\w+)\}\}/g, (_, name) => below[name]));
writeFileSync(join(fresh, "embed.js"), await bundle("embed.js", {}, "iife"));

if (minify) {
  const names = [...readdirSync(fresh), "embed/index.html"].filter((name) => /\.(html|js|css|wasm|json|svg)$/.test(name));
  await compress(fresh, names, join(parts, "compressed"));
}

rmSync(join(here, "dist"), { recursive: true, force: true });
renameSync(fresh, join(here, "dist"));

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(11);
let total = [0, 0, 0];
console.log(`${"".padEnd(28)}${"raw".padStart(11)}${"gzip".padStart(11)}${"brotli".padStart(11)}`);
const sizeOf = (name) => statSync(join(here, "dist", name), { throwIfNoEntry: false })?.size ?? 0;
for (const name of readdirSync(join(here, "dist")).sort()) {
  if (/\.(br|gz)$/.test(name) || name === "embed") continue;
  const sizes = [sizeOf(name), sizeOf(`${name}.gz`), sizeOf(`${name}.br`)];
  total = total.map((sum, index) => sum + sizes[index]);
  console.log(name.padEnd(28) + sizes.map(kb).join(""));
}
console.log("total".padEnd(28) + total.map(kb).join(""));
