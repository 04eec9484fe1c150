// The second part of the page's own module (`www/src/split`): the functions that the first view does not need.
const address = new URL(PAGE_REST || "rest", import.meta.url).href;

/** How long after the compiler's first answer it is loaded, and how long after a failure again. Units: milliseconds. */
const PATIENCE = 500, PAUSE = 5_000;

/** The exports of the module's first part. */
let first;
let isAsked = false;

/** Says that the first part runs. */
export function started(exports) {
  first = exports;
}

/** Adds the other functions; the calls that so far lead to `mcliveLoadRest` then lead to them. */
function add(rest) {
  if (first.restLoaded.value === 1) return;
  new WebAssembly.Instance(rest, { first });
  first.restLoaded.value = 1;
}

/** Loads them beside the work. */
export async function follow() {
  if (!PAGE_REST || isAsked || !first) return;
  isAsked = true;
  try {
    add(await WebAssembly.compileStreaming(fetch(address)));
  } catch {
    isAsked = false;
    setTimeout(follow, PAUSE);
  }
}

// One of them is called now, so nothing can go on without them. A page gets no bytes from a request that it waits for, but a text of
// as many characters.
globalThis.mcliveLoadRest = () => {
  const asked = new XMLHttpRequest();
  try {
    asked.open("GET", address, false);
    asked.overrideMimeType("text/plain; charset=x-user-defined");
    asked.send();
    if (asked.status !== 200) throw new Error(`the server returned ${asked.status}`);
    add(new WebAssembly.Module(Uint8Array.from(asked.responseText, (letter) => letter.charCodeAt(0) & 0xff)));
  } catch (error) {
    lost(error);
    throw error;
  }
};

/** The page cannot go on: says so above everything. */
function lost(error) {
  const notice = document.createElement("dialog");
  notice.className = "lost";
  notice.textContent = `A part of the page could not be loaded: ${error.message}. Reload the page; the program is kept. `;
  const reload = document.createElement("button");
  reload.textContent = "Reload";
  reload.onclick = () => location.reload();
  notice.append(reload);
  document.body.append(notice);
  notice.showModal();
}

/** Loads them when a worker has given its first answer, as the first view is there then, or before somebody uses the page. */
export function followAfter(worker) {
  worker.addEventListener("message", function heard({ data }) {
    if (data.ready) return;
    worker.removeEventListener("message", heard);
    setTimeout(follow, PATIENCE);
  });
  return worker;
}
for (const use of ["pointerdown", "keydown"]) addEventListener(use, follow, { capture: true, once: true });
