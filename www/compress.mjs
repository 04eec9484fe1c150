// The compressed forms of a site's files, made once, so that servers do not have to compress them repeatedly.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const FORMS = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gz: (content) => promisify(gzip)(content, { level: 9 }),
};

/**
 * Writes `NAME.br` and `NAME.gz` beside each of these files of a folder. `kept` is a folder with what earlier runs made,
 * by content: a megabyte of wasm takes seconds. Afterwards it holds what this run needed.
 */
export async function compress(folder, names, kept) {
  mkdirSync(kept, { recursive: true });
  const needed = new Set();
  const one = async (name, form) => {
    const content = readFileSync(join(folder, name));
    const key = `${createHash("sha256").update(content).digest("hex")}.${form}`;
    const stored = join(kept, key);
    needed.add(key);
    if (!existsSync(stored)) {
      // Under its name only when it is whole: a run can be ended at any time.
      const unfinished = join(kept, `${name.replaceAll("/", "-")}.${form}.${process.pid}`);
      writeFileSync(unfinished, await FORMS[form](content));
      renameSync(unfinished, stored);
    }
    copyFileSync(stored, join(folder, `${name}.${form}`));
  };
  // Node.js compresses on separate threads.
  await Promise.all(names.flatMap((name) => Object.keys(FORMS).map((form) => one(name, form))));
  for (const key of readdirSync(kept)) if (!needed.has(key)) rmSync(join(kept, key));
}
