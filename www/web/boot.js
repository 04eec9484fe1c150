// Starts the page: what its Rust part needs from JavaScript is put where it finds it, then it runs.
import init, { start } from "mclive-page";
import * as editor from "./editor/editor.js";
import { colourText } from "./editor/language.js";
import * as files from "./files.js";
import * as link from "./link.js";
import "./paper.js";
import { savePicture } from "./picture.js";
import { canAddAtOnce, Rest } from "./rest.js";
import * as server from "./server.js";
import * as zip from "./zip.js";

// Scripts by address are these alone; the site's policy lets nothing else become one.
const address = (name) => new URL(name, server.root).href;
const scripts = globalThis.trustedTypes?.createPolicy("mclive", { createScriptURL: address }) ?? { createScriptURL: address };

const workers = { mcl: WORKER, cf: MODELS, judge: WORKER };
const newWorker = (name, isWhole) => new Worker(scripts.createScriptURL(workers[name]), { name: isWhole ? "whole" : "" });

/** Whether the page opens with a model, as far as can be determined here. */
function opensModel() {
  try {
    const main = sessionStorage.getItem("mclive.language") ?? localStorage.getItem("mclive.language");
    return main?.endsWith(".cf") ?? false;
  } catch {
    return false;
  }
}

/** A worker that loads the compiler while the page's own module is loaded. Its messages are kept until the page listens. */
function firstWorker() {
  try {
    return { worker: newWorker("mcl", false), said: [] };
  } catch {
    // The page reports this when it starts one.
    return undefined;
  }
}

let first = opensModel() ? undefined : firstWorker();
const keep = (event) => first?.said.push(event);
for (const type of ["message", "error"]) first?.worker.addEventListener(type, keep);

/** A worker for the language with this file extension, or `judge`, which checks lessons. A whole one is ready when its complete module has been loaded. */
function startWorker(name, isWhole) {
  if (first === undefined) return newWorker(name, isWhole);
  const { worker, said } = first;
  first = undefined;
  if (name !== "mcl" || isWhole) {
    worker.terminate();
    return newWorker(name, isWhole);
  }
  for (const type of ["message", "error"]) worker.removeEventListener(type, keep);
  // The page starts listening after this returns.
  queueMicrotask(() => said.forEach((event) => worker.dispatchEvent(new event.constructor(event.type, event))));
  return worker;
}

const rest = new Rest(PAGE_REST ? address(PAGE_REST) : null);

/** Why the other functions could not be loaded when one of them was called. */
let lacking;

// Something that the first view does not use is used before the rest has arrived.
globalThis.mcliveLoadRest = () => {
  // The code that needed them was interrupted permanently, so a later answer does not help.
  if (lacking !== undefined) throw lacking;
  try {
    rest.load();
  } catch (error) {
    lacking = error;
    tellLacking(error.message);
    throw error;
  }
};

function button(look, text, onclick) {
  return Object.assign(document.createElement("button"), { className: `button ${look}`, textContent: text, onclick });
}

/** Reports that the page cannot continue, and why. */
function tellEnd(why, ...buttons) {
  const notice = document.createElement("dialog");
  // A page in a frame stores nothing.
  const kept = server.embedded() ? "" : "Your program is kept. ";
  notice.textContent = `${why} ${kept}Reload the page. `;
  notice.append(button("primary", "Reload", () => location.reload()), ...buttons.flatMap((one) => [" ", one]));
  document.body.append(notice);
  notice.showModal();
}

const tellLacking = (why) => tellEnd(`A part of the page could not be loaded: ${why}.`);

let hasCrashed = false;

/** Reports once that the page's module ended in a trap: its later behaviour is unreliable. */
function tellCrash(error) {
  if (error?.name !== "RuntimeError" || hasCrashed || lacking !== undefined) return;
  hasCrashed = true;
  const report = `mclive, playground: ${PAGE_WASM}\nBrowser: ${navigator.userAgent}\n${error}\n${error.stack ?? ""}\n\n${editor.editorText()}`;
  const copy = button("", "Copy report", () => {
    const done = (text) => () => { copy.textContent = text; };
    Promise.resolve().then(() => navigator.clipboard.writeText(report)).then(done("Copied"), done("Cannot copy"));
  });
  tellEnd("The page crashed. This is a bug in mclive.", copy);
}
addEventListener("error", ({ error }) => tellCrash(error));
addEventListener("unhandledrejection", ({ reason }) => tellCrash(reason));

/** The time limits for finding the rest where a service worker keeps it, and for loading it from there. Units: milliseconds. */
const FIND_MS = 10_000;
const AT_HAND_MS = 60_000;

/** What is awaited, or undefined after this time. */
const within = (ms, awaited) => Promise.race([awaited, new Promise((goOn) => setTimeout(goOn, ms))]);

/**
 * Loads the rest if a service worker keeps it for this page. Without its server, a page that started before would end where it
 * needs it, so a slow machine gets time.
 */
async function loadAtHand() {
  let isAtHand = false;
  try {
    isAtHand = Boolean(navigator.serviceWorker?.controller && (await within(FIND_MS, caches.match(rest.address))));
  } catch {
    // A frame without an origin has neither.
  }
  if (isAtHand) await within(AT_HAND_MS, rest.follow());
}

const canKeep = "serviceWorker" in navigator && location.protocol !== "file:" && !server.embedded();
let isKept = false;

/**
 * Loads what the first view did not need, then keeps the site for use without its server. This loads nearly all of it, so the
 * page asks for it when its first view is complete, or cannot be.
 */
async function keepSite() {
  if (isKept) return;
  isKept = true;
  await rest.follow();
  if (!canKeep) return;
  // Offline use is optional.
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
  startWorker,
  /** The course of lessons, as an object. */
  loadLessons: () => server.loadCourse(LESSONS),
};

/** The time after which the page reports that it waits for a part. Units: seconds. */
const WORD_S = 10;

/** Waits for a part. If this takes long, the page reports it and suggests what to do. */
async function arrived(part, what, otherwise = "") {
  const timer = setTimeout(() => {
    const shell = document.getElementById("loading");
    if (!shell) return;
    const advice = `Check the connection, and reload the page if it does not start.${otherwise}`;
    shell.textContent = `The page is still loading: ${what} has not arrived within ${WORD_S} seconds. ${advice}`;
  }, WORD_S * 1_000);
  try {
    return await part;
  } finally {
    clearTimeout(timer);
  }
}

/** What may help against an error at the start. */
function help(error) {
  if (!("WebAssembly" in globalThis)) return "It needs a browser with WebAssembly.";
  // The module is damaged, or uses instructions that this browser does not support.
  if (error instanceof WebAssembly.CompileError) return "Reload the page. If that does not help, use a newer browser.";
  return "Check the connection, and reload the page.";
}

try {
  rest.started(await arrived(init({ module_or_path: address(PAGE_WASM) }), "its module"));
  // If it cannot be added when it is needed, the first view waits for it.
  if (!canAddAtOnce()) await arrived(rest.follow(), "a part that this browser needs in advance", " Newer browsers start without that part.");
  // Requests that block a page do not reach what a service worker keeps, so it is loaded from there in advance.
  else await arrived(loadAtHand(), "a part that this browser has stored");
  start();
} catch (error) {
  const shell = document.getElementById("loading");
  // The missing part has already been reported.
  if (shell && lacking === undefined) {
    shell.dataset.failed = "";
    shell.textContent = `The page failed to start: ${error}. ${help(error)}`;
  }
}
