// Definitions, uses and renaming, with the small panels that two of them need.
import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, showPanel } from "@codemirror/view";
import { FILE, LOST, asked } from "./ask.js";
import { isMac } from "./mac.js";
import { button, line } from "./text.js";

const here = (view) => view.state.selection.main.head;
/** The most characters of a line in a list of places. */
const MOST = 200;
/** Where jumps started: the file and the place in it. */
const trail = [];
/** How other files are shown, read and written: `visit(name)`, `read(name)`, `write(name, text)`. */
let files = { visit: () => {}, read: () => undefined, write: () => {} };
/** Where the cursor goes in the file that is about to be shown. */
let awaited = null;

export function connectFiles(hands) {
  files = hands;
}

const nameOf = (path) => path.replace(/^\//, "");

/** Shows a place of another file; false when the program has no such file. */
function visit(view, place) {
  const name = nameOf(place.file);
  if (files.read(name) === undefined) return false;
  trail.push({ file: FILE, at: here(view) });
  awaited = place;
  files.visit(name);
  return true;
}

/** Goes on in the file that is shown now. */
export function arrive(view) {
  const place = awaited;
  awaited = null;
  if (place?.file !== FILE) return;
  select(view, place.from, place.to);
}

export function goTo(view, from, to = from) {
  trail.push({ file: FILE, at: here(view) });
  select(view, from, to);
}

function select(view, from, to) {
  const end = view.state.doc.length;
  view.dispatch({
    selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
    effects: EditorView.scrollIntoView(Math.min(from, end), { y: "center" }),
  });
  view.focus();
}

export function goBack(view) {
  const from = trail.pop();
  if (from === undefined) return false;
  if (from.file === FILE) {
    select(view, from.at, from.at);
  } else {
    awaited = { file: from.file, from: from.at, to: from.at };
    files.visit(nameOf(from.file));
  }
  return true;
}

/** The messages in place of an answer. */
const UNANSWERED = new Map([
  [undefined, "The compiler did not answer in time. Try again."],
  [LOST, "The compiler stopped before it could answer, and is being restarted. Try again in a moment."],
]);

const OLD = "The text has changed in the meantime. Try again.";

/** A user's query about a view's text. Undefined: there is no answer, which is reported, or the text has changed in the meantime. */
async function answered(view, service) {
  const { doc } = view.state;
  const answer = await asked(view.state, service);
  if (!view.state.doc.eq(doc)) return undefined;
  const why = UNANSWERED.get(answer);
  if (why === undefined) return answer;
  say(view, why);
  return undefined;
}

export function goToDefinition(view, at = here(view)) {
  answered(view, { ask: "definition", at }).then((answer) => {
    if (answer === undefined) return;
    const place = answer?.places[0];
    if (place?.file === FILE) goTo(view, place.from, place.to);
    else if (!place || !visit(view, place)) say(view, place ? `It is defined in ${place.file}.` : "It is not defined in this program.");
  });
  return true;
}

/** A panel below the text, or none. */
const setPanel = StateEffect.define();
const panel = StateField.define({
  create: () => null,
  update: (shown, change) => change.effects.reduce((now, one) => (one.is(setPanel) ? one.value : now), shown),
  provide: (field) => showPanel.from(field),
});

export function closePanel(view) {
  if (!view.state.field(panel)) return false;
  view.dispatch({ effects: setPanel.of(null) });
  view.focus();
  return true;
}

function open(view, label, fill) {
  const create = () => {
    const dom = document.createElement("div");
    dom.className = "mcl-panel";
    dom.setAttribute("role", "region");
    dom.setAttribute("aria-label", label);
    dom.onkeydown = (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        closePanel(view);
      }
    };
    const close = button("mcl-close", "×", () => closePanel(view));
    close.setAttribute("aria-label", "Close");
    fill(dom);
    dom.append(close);
    return { dom, mount: () => dom.querySelector("input, li button")?.focus() };
  };
  view.dispatch({ effects: setPanel.of(create) });
}

/** One line that goes away with the next panel or Escape. */
function say(view, text) {
  open(view, "Message", (dom) => {
    const message = line("mcl-said", text);
    message.setAttribute("role", "status");
    dom.append(message);
  });
  view.focus();
}

export function showUses(view) {
  answered(view, { ask: "uses", at: here(view) }).then((answer) => {
    if (answer === undefined) return;
    const texts = new Map();
    const textOf = (file) => texts.get(file) ?? texts.set(file, file === FILE ? view.state.doc.toString() : files.read(nameOf(file))).get(file);
    const places = (answer?.places ?? []).filter((place) => textOf(place.file) !== undefined);
    if (places.length === 0) return say(view, "The name at the cursor is not defined in this program.");
    open(view, "Uses", (dom) => {
      dom.append(line("mcl-said", places.length === 1 ? "One place" : `${places.length} places`));
      const list = document.createElement("ul");
      for (const place of places) {
        const isHere = place.file === FILE;
        const text = textOf(place.file).split("\n")[place.line - 1]?.trim().slice(0, MOST) ?? "";
        const item = document.createElement("li");
        const go = () => (isHere ? goTo(view, place.from, place.to) : visit(view, place));
        item.append(button("mcl-place", `${isHere ? "" : `${nameOf(place.file)}:`}${place.line}: ${text}`, go));
        list.append(item);
      }
      list.onkeydown = (event) => move(event, list);
      dom.append(list);
    });
  });
  return true;
}

function move(event, list) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...list.querySelectorAll("button")];
  const at = all.indexOf(list.getRootNode().activeElement);
  all[Math.max(0, Math.min(all.length - 1, at + step))].focus();
}

export function rename(view) {
  if (view.state.readOnly) {
    say(view, "This program is read-only.");
    return true;
  }
  const at = here(view);
  answered(view, { ask: "renamable", at }).then(async (answer) => {
    if (answer === undefined) return;
    const found = answer?.renamable;
    if (!found) {
      const why = await answered(view, { ask: "rename", at, name: "x" });
      if (why !== undefined) say(view, `Cannot rename this: ${why?.refused ?? "nothing to rename here"}.`);
      return;
    }
    open(view, "Rename", (dom) => {
      const form = document.createElement("form");
      const label = Object.assign(document.createElement("label"), { textContent: `Rename ${found.name} to ` });
      const input = Object.assign(document.createElement("input"), { value: found.name, spellcheck: false });
      input.autocapitalize = "off";
      const said = Object.assign(document.createElement("div"), { className: "mcl-refused" });
      said.setAttribute("role", "alert");
      label.append(input);
      form.append(label, button("mcl-do", "Rename", () => {}), said);
      form.onsubmit = (event) => {
        event.preventDefault();
        renameTo(view, at, input.value.trim().replace(/^\$/, ""), said);
      };
      queueMicrotask(() => input.select());
      dom.append(form);
    });
  });
  return true;
}

async function renameTo(view, at, name, said) {
  const { doc } = view.state;
  const answer = await asked(view.state, { ask: "rename", at, name });
  const refused = answer?.refused;
  // Edits are meant for the text that they were found in.
  const isOld = !view.state.doc.eq(doc);
  const why = UNANSWERED.get(answer) ?? (isOld ? OLD : refused && `${refused[0].toUpperCase()}${refused.slice(1)}.`);
  if (why) {
    said.replaceChildren(line("mcl-why", why));
    return;
  }
  const all = answer?.edits ?? [];
  const edits = all.filter(({ range }) => range.file === FILE);
  const others = new Map();
  for (const edit of all.filter(({ range }) => range.file !== FILE)) {
    const name = nameOf(edit.range.file);
    others.set(name, [...(others.get(name) ?? []), edit]);
  }
  closePanel(view);
  for (const [name, list] of others) {
    const before = files.read(name);
    if (before === undefined) continue;
    list.sort((one, other) => other.range.from - one.range.from);
    files.write(name, list.reduce((text, { range, text: by }) => text.slice(0, range.from) + by + text.slice(range.to), before));
  }
  view.dispatch({
    changes: edits.map(({ range, text }) => ({ from: range.from, to: range.to, insert: text })),
    userEvent: "rename",
  });
}

export const navigation = () => [
  panel,
  EditorView.domEventHandlers({
    mousedown(event, view) {
      if (event.button !== 0 || !(isMac ? event.metaKey : event.ctrlKey)) return false;
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at === null) return false;
      event.preventDefault();
      return goToDefinition(view, at);
    },
  }),
];
