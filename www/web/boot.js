// Starts the page: what its Rust part needs from JavaScript is put where it finds it, then it runs.
import init from "mclive-page";
import * as editor from "./editor/editor.js";
import * as files from "./files.js";
import * as link from "./link.js";

globalThis.mclive = {
  ...editor,
  ...files,
  ...link,
  startWorker: () => new Worker(new URL(WORKER, document.baseURI)),
};

init({ module_or_path: new URL(PAGE_WASM, document.baseURI) }).catch((error) => {
  const shell = document.getElementById("loading");
  if (shell) {
    shell.dataset.failed = "";
    shell.textContent = `The page could not start: ${error}. It needs a browser with WebAssembly.`;
  }
});

if ("serviceWorker" in navigator && location.protocol !== "file:") {
  // Offline use is a kindness, not a condition.
  navigator.serviceWorker.register("offline.js").catch(() => {});
}
