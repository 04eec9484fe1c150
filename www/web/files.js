// Files from outside of the page: chosen, or dropped on it. Bytes only; what they are is the Rust part's
// to say.

/** The name and the bytes of a file that someone chooses, as a list; null when nobody does. */
export function pickFile() {
  const input = document.createElement("input");
  input.type = "file";
  return new Promise((resolve) => {
    input.onchange = async () => {
      const [file] = input.files;
      resolve(file ? [file.name, new Uint8Array(await file.arrayBuffer())] : null);
    };
    input.oncancel = () => resolve(null);
    input.click();
  });
}

/** Gives plain data as a file to keep. */
export function saveFile(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: "application/json" }));
  link.download = name;
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

/** Calls `dropped(name, bytes)` for a file that is dropped on the page; before the editor, which would paste it. */
export function watchDrops(dropped) {
  const root = document.documentElement;
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
  const listen = (type, run) => addEventListener(type, (event) => holdsFiles(event) && run(event), { capture: true });
  listen("dragover", (event) => {
    event.preventDefault();
    root.dataset.dropping = "";
  });
  listen("dragleave", (event) => {
    // Only where it leaves the window.
    if (!event.relatedTarget) delete root.dataset.dropping;
  });
  listen("drop", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    delete root.dataset.dropping;
    const [file] = event.dataTransfer.files;
    if (file) dropped(file.name, new Uint8Array(await file.arrayBuffer()));
  });
}
