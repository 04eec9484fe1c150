// Starts the page: what its Rust part needs from JavaScript is put where it finds it, then it runs.
import init, { start } from "mclive-page";
import * as editor from "./editor/editor.js";
import { colourText } from "./editor/language.js";
import * as files from "./files.js";
import * as link from "./link.js";
import "./paper.js";
import { savePicture } from "./picture.js";
import * as rest from "./rest.js";
import * as server from "./server.js";
import * as zip from "./zip.js";

// Scripts by address are these alone; the site's policy lets nothing else become one.
const address = (name) => new URL(name, server.root).href;
const scripts = globalThis.trustedTypes?.createPolicy("mclive", { createScriptURL: address }) ?? { createScriptURL: address };

const workers = { mcl: WORKER, cf: MODELS, judge: WORKER };

globalThis.mclive = {
  ...editor,
  ...files,
  ...link,
  savePicture,
  ...server,
  ...zip,
  colourText,
  /** A worker: for the language whose files end so, or `judge`, which checks lessons. */
  startWorker: (name) => rest.followAfter(new Worker(scripts.createScriptURL(workers[name]))),
  /** The course of lessons, as an object. */
  async loadLessons() {
    const answer = await fetch(address(LESSONS));
    if (!answer.ok) throw `the server returned ${answer.status}`;
    return answer.json();
  },
};

try {
  rest.started(await init({ module_or_path: address(PAGE_WASM) }));
  start();
} catch (error) {
  const shell = document.getElementById("loading");
  if (shell) {
    shell.dataset.failed = "";
    shell.textContent = `The page failed to start: ${error}. It needs a browser with WebAssembly.`;
  }
}

if ("serviceWorker" in navigator && location.protocol !== "file:" && !server.embedded()) {
  // Offline use is a kindness, not a condition.
  navigator.serviceWorker.register(scripts.createScriptURL("offline.js")).catch(() => {});
}
