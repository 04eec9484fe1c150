// Files from outside of the page: chosen, or dropped on it. Bytes only; what they are is the Rust part's
// to say.
import { readOnly } from "./server.js";

// Limits of what is read at all. Those of a program are lower, and are checked in Rust.
const MOST = 400;
const LARGEST = 9 << 20;
const DEEPEST = 16;

/** The files that the user chooses, or those of a folder, as [path, bytes]; none if the dialog is cancelled. Throws a sentence without a full stop. */
export function pickFiles(folder) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.webkitdirectory = folder;
  // Outside of the document it could be collected while its dialog is open, and then nothing would come of the choice.
  input.hidden = true;
  document.body.append(input);
  return new Promise((resolve, reject) => {
    input.onchange = () => {
      input.remove();
      const files = [...input.files].map((file) => [file.webkitRelativePath || file.name, file]);
      readAll(files.filter(([path]) => !isHidden(path))).then(resolve, reject);
    };
    input.oncancel = () => {
      input.remove();
      resolve([]);
    };
    input.click();
  });
}

/** What editors, systems and version control keep beside a program. */
const isHidden = (path) => path.split("/").slice(1).some((name) => name.startsWith("."));

async function readAll(files) {
  if (files.length > MOST) throw `too many files for the playground (${files.length})`;
  let size = 0;
  for (const [, file] of files) size += file.size;
  if (size > LARGEST) throw `these files are too large for the playground (${Math.ceil(size / 1024)} KiB)`;
  return Promise.all(files.map(async ([path, file]) => [path, new Uint8Array(await bytesOf(path, file))]));
}

async function bytesOf(path, file) {
  try {
    return await file.arrayBuffer();
  } catch {
    // It was moved or changed since it was chosen, or this user may not read it.
    throw `cannot read \`${path}\``;
  }
}

/** All files below dropped entries, folders included. */
async function filesBelow(entries) {
  const found = [];
  async function walk(entry, path, depth) {
    if (found.length > MOST || depth > DEEPEST) throw "this folder is too large for the playground";
    if (entry.isFile) {
      found.push([path, await new Promise((resolve, reject) => entry.file(resolve, () => reject(`cannot read \`${path}\``)))]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      // It lists them in portions; an empty one is the end.
      const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, () => reject(`cannot read \`${path}\``)));
      if (portion.length === 0) return;
      for (const one of portion) {
        if (!one.name.startsWith(".")) await walk(one, `${path}/${one.name}`, depth + 1);
      }
    }
  }
  for (const entry of entries) await walk(entry, entry.name, 0);
  return found;
}

/** The time limit for fetching a file. */
const PATIENCE_MS = 20_000;

/** The servers from which files may be fetched: those that the page's own policy lists beside its own. */
export function fetchOrigins() {
  const policy = document.querySelector("meta[http-equiv='Content-Security-Policy']")?.content ?? "";
  const rule = policy.split(";").map((rule) => rule.trim().split(/\s+/)).find(([name]) => name === "connect-src") ?? [];
  return rule.filter((source) => /^https?:/.test(source));
}

/** The bytes of a file on one of those servers. Throws a sentence without its full stop. */
export async function fetchFile(address) {
  const stop = new AbortController();
  let why = `the server did not respond within ${PATIENCE_MS / 1000} seconds`;
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer", signal: stop.signal }).catch((error) => {
      if (stop.signal.aborted) throw error;
      // Browsers do not distinguish these.
      throw "the server cannot be reached or does not allow other sites to read its files";
    });
    if (!answer.ok) throw answer.status === 404 ? "file not found (404)" : `the server returned ${answer.status}`;
    why = "the download timed out";
    const parts = [];
    let size = 0;
    for (const reader = answer.body.getReader(); ;) {
      const part = await reader.read();
      if (part.done) break;
      size += part.value.length;
      if (size > LARGEST) throw `the file is larger than ${LARGEST >> 20} MiB`;
      parts.push(part.value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  } catch (error) {
    stop.abort();
    throw typeof error === "string" ? error : why;
  } finally {
    clearTimeout(timer);
  }
}

/** Gives plain data as a file to keep. */
export function saveFile(name, content) {
  saveBlob(name, new Blob([JSON.stringify(content)], { type: "application/json" }));
}

/** Gives bytes as a file to keep. */
export function saveBytes(name, bytes) {
  saveBlob(name, new Blob([bytes], { type: "application/octet-stream" }));
}

/** Gives a text as a file to keep. */
export function saveText(name, text) {
  saveBlob(name, new Blob([text], { type: "text/plain" }));
}

export function saveBlob(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.split("/").at(-1);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The data of a text; null where it is no JSON. */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Calls `dropped([[path, bytes], …])` for files and folders that are dropped on the page, or `refused(why)`; before the editor,
 * which would paste them.
 */
export function watchDrops(dropped, refused) {
  const root = document.documentElement;
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
  const listen = (type, run) => addEventListener(type, (event) => holdsFiles(event) && run(event), { capture: true });
  listen("dragover", (event) => {
    // Without it, the browser would open the file in place of the page.
    event.preventDefault();
    if (readOnly()) event.dataTransfer.dropEffect = "none";
    else root.dataset.dropping = "";
  });
  listen("dragleave", (event) => {
    // Only where it leaves the window.
    if (!event.relatedTarget) delete root.dataset.dropping;
  });
  listen("drop", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    delete root.dataset.dropping;
    if (readOnly()) {
      refused("this program is read-only");
      return;
    }
    // Entries are there only while the event is.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = [...event.dataTransfer.files].map((file) => [file.name, file]);
    try {
      const found = entries.some((entry) => entry.isDirectory) ? await filesBelow(entries) : files;
      dropped(await readAll(found));
    } catch (why) {
      refused(typeof why === "string" ? why : "cannot read these files");
    }
  });
}
