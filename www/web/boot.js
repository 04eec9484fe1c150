// Starts the page: what its Rust part needs from JavaScript is put where it finds it, then it runs.
import init from "mclive-page";
import * as editor from "./editor/editor.js";
import { colourText } from "./editor/language.js";
import * as files from "./files.js";
import * as link from "./link.js";
import "./paper.js";
import { savePicture } from "./picture.js";
import * as server from "./server.js";
import * as zip from "./zip.js";

// Scripts by address are these alone; the site's policy lets nothing else become one.
const address = (name) => new URL(name, server.root).href;
const scripts = globalThis.trustedTypes?.createPolicy("mclive", { createScriptURL: address }) ?? { createScriptURL: address };

const workers = { mcl: WORKER, cf: MODELS, judge: WORKER };

const canKeep = "serviceWorker" in navigator && location.protocol !== "file:" && !server.embedded();
let isKept = false;

/**
 * Keeps the site for use without its server. This loads nearly all of it, so the page asks for it when its first view is
 * complete, or cannot be.
 */
function keepSite() {
  if (isKept || !canKeep) return;
  isKept = true;
  // Offline use is a kindness, not a condition.
  navigator.serviceWorker.register(scripts.createScriptURL("offline.js")).catch(() => {});
}

globalThis.mclive = {
  ...editor,
  ...files,
  ...link,
  savePicture,
  ...server,
  ...zip,
  colourText,
  keepSite,
  /** A worker: for the language whose files end so, or `judge`, which checks lessons; a whole one is ready when all of its module is there. */
  startWorker: (name, isWhole) => new Worker(scripts.createScriptURL(workers[name]), { name: isWhole ? "whole" : "" }),
  /** The course of lessons, as an object. */
  async loadLessons() {
    const answer = await fetch(address(LESSONS));
    if (!answer.ok) throw `the server returned ${answer.status}`;
    return answer.json();
  },
};

init({ module_or_path: address(PAGE_WASM) }).catch((error) => {
  const shell = document.getElementById("loading");
  if (shell) {
    shell.dataset.failed = "";
    const help = "WebAssembly" in globalThis ? "Check the connection, and reload the page." : "It needs a browser with WebAssembly.";
    shell.textContent = `The page failed to start: ${error}. ${help}`;
  }
});
