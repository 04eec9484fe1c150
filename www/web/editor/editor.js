// The program's editor: CodeMirror inside a shadow root, where its styles are constructed sheets
// that a strict policy lets through. The page talks to it by the functions exported here; all
// offsets are UTF-16 units of the text.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { colourText, highlighting, language } from "./language.js";
import { models } from "./models.js";
import { look } from "./look.js";
import { outline } from "./outline.js";
import { arrive, connectFiles } from "./navigate.js";
import { connect, services, setFile } from "./services.js";
import { keepsInSight } from "./sight.js";
import { line, visible } from "./text.js";
import { forget, keep, restored } from "./undo.js";
import { embedded, readOnly } from "../server.js";

let view = null;
let said = { changed: () => {}, explain: () => {}, archive: () => false };
/** The file that is shown, and the states of the others: the cursor and what can be undone. */
let shownFile = "";
const others = new Map();
/** While the page itself sets the text, it is not notified. */
let quiet = false;
/** It is known that no problem is shown. */
let isClean = false;

// A map has no predefined keys: a file may be called `a.constructor`.
const languages = new Map([["mcl", language], ["cf", models]]);
const languageOf = (name) => languages.get(/\.(\w+)$/.exec(name)?.[1]) ?? [];
const spoken = new Compartment();

/** Marks that stay until the effect replaces them. */
const marked = (replace) => StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) {
      if (effect.is(replace)) marks = effect.value;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const show = StateEffect.define();
/** The span of the vertex that is looked at. */
const shown = marked(show);
const trace = StateEffect.define();
/** The spans of what led to it. */
const traced = marked(trace);

const extensions = (name) => [
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  EditorState.tabSize.of(4),
  EditorView.lineWrapping,
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  shown,
  traced,
  services(),
  outline(),
  keymap.of([
    // Tab indents; after Escape, it leaves the editor, as the label says.
    { key: "Tab", run: indentMore, shift: indentLess },
    { key: "Escape", run: leave },
    // The page runs or pauses the program with it; by default, it inserts a line.
    { key: "Mod-Enter", run: () => true },
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...lintKeymap,
  ]),
  spoken.of(languageOf(name)),
  // A page that embeds this one may make it read-only.
  EditorState.readOnly.of(readOnly()),
  highlighting,
  look,
  keepsInSight,
  EditorView.contentAttributes.of({
    "aria-label": "Program text. Press Escape, then Tab, to leave the editor.",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    tabindex: "0",
  }),
  EditorView.updateListener.of((update) => {
    if (update.docChanged && !quiet) said.changed(shownFile, update.state.doc.toString());
  }),
  EditorView.domEventHandlers({
    // A text archive is a whole program, wherever it is pasted.
    paste(event) {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (embedded() || !/^-- .+ --\r?$/m.test(text) || !said.archive(text.replaceAll("\r\n", "\n"))) return false;
      event.preventDefault();
      return true;
    },
  }),
];

/** Escape, where it has nothing else to close: the next Tab moves the focus instead of the text. */
function leave(view) {
  view.setTabFocusMode(2000);
  return false;
}

/**
 * What the editor may do with the page: `changed(name, text)` after each edit, `explain(code)` on demand; `ask(text, query)` promises
 * what the compiler says to a question, as an object, or null; `visit(name)` shows another file, `read(name)` and `write(name, text)`
 * are for those that are not shown; `archive(text)` opens a text archive, and says whether it is one.
 */
export function editorHands(changed, explain, ask, visit, read, write, archive) {
  return { changed, explain, ask, visit, read, write, archive };
}

/** Makes the editor inside an element, with a file by its path below the program's directory. */
export function editorMount(element, name, text, hands) {
  said = hands;
  connect(hands.ask);
  connectFiles(hands);
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const box = document.createElement("div");
  root.replaceChildren(box);
  const sheet = new CSSStyleSheet();
  // The page's own rule about motion does not reach into the shadow root, where the cursor blinks.
  sheet.replaceSync(`:host { display: block; min-height: 0 } :host > div { height: 100% }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important } }`);
  root.adoptedStyleSheets = [sheet];
  hold(name);
  view = new EditorView({ parent: box, root, state: stateOf(name, text) });
  // A frame shares the storage with the page around it, and has another program.
  if (!embedded()) addEventListener("pagehide", () => keep([...others, [shownFile, view.state]]));
}

function stateOf(name, text) {
  const before = embedded() ? null : restored(name, text, extensions(name));
  return before ?? EditorState.create({ doc: text, extensions: extensions(name) });
}

function hold(name) {
  shownFile = name;
  setFile(name);
}

/**
 * Shows a file with this text. It comes as it was left: what another hand changed in it is one step that can be undone. With
 * `fresh` it belongs to another document, and nothing of the one before can be undone into it.
 */
export function editorFile(name, text, fresh) {
  if (!view) return;
  if (fresh) {
    others.clear();
    forget();
  }
  if (fresh || name !== shownFile) {
    if (!fresh) others.set(shownFile, view.state);
    const state = others.get(name) ?? stateOf(name, text);
    others.delete(name);
    hold(name);
    view.setState(state);
    isClean = false;
  }
  setText(text);
  arrive(view);
}

/** A file has another name now. It is as it was left, in the language of the new name. */
export function editorRename(before, after) {
  if (!view) return;
  const isShown = before === shownFile;
  const state = isShown ? view.state : others.get(before);
  others.delete(before);
  others.delete(after);
  if (!state) return;
  const renamed = state.update({ effects: spoken.reconfigure(languageOf(after)) }).state;
  if (isShown) {
    hold(after);
    view.setState(renamed);
  } else {
    others.set(after, renamed);
  }
}

/** Replaces the text by the smallest change, so that the cursor stays close; undo brings it back. */
function setText(text) {
  const old = view.state.doc.toString();
  if (old === text) return;
  let from = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
  let tail = 0;
  const most = Math.min(old.length, text.length) - from;
  while (tail < most && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail += 1;
  quiet = true;
  view.dispatch({
    changes: { from, to: old.length - tail, insert: text.slice(from, text.length - tail) },
    // A separate step, even immediately after another one.
    annotations: isolateHistory.of("full"),
  });
  quiet = false;
}

/** Shows problems: a list of {from, to, severity, code, message, note, help: [], edits: [{from, to, insert, title}]}. */
export function editorSetProblems(problems) {
  if (!view) return;
  const isNone = !problems?.length;
  // So it is with most keys, and each update of the view takes time.
  if (isNone && isClean) return;
  isClean = isNone;
  const end = view.state.doc.length;
  const clamp = (at) => Math.min(at, end);
  const doc = view.state.doc;
  const list = (problems ?? []).map((problem) => ({
    from: clamp(problem.from),
    to: clamp(problem.to),
    severity: problem.severity,
    message: visible(problem.message),
    renderMessage: () => message(problem),
    actions: (view.state.readOnly ? [] : problem.edits).map((edit) => ({
      // A button holds plain text.
      name: visible(edit.title.replaceAll("`", "")),
      apply(view) {
        // An edit is meant for the text that it was found in.
        if (!view.state.doc.eq(doc)) return;
        view.dispatch({ changes: { from: clamp(edit.from), to: clamp(edit.to), insert: edit.insert } });
        view.focus();
      },
    })),
  }));
  view.dispatch(setDiagnostics(view.state, list));
}

function message(problem) {
  const box = document.createElement("span");
  const code = document.createElement("button");
  code.className = "mcl-code";
  code.textContent = problem.code;
  code.title = `Explain ${problem.code}`;
  code.onclick = () => said.explain(problem.code);
  box.append(code, line("mcl-message", problem.message));
  if (problem.note) box.append(line("mcl-note", problem.note));
  for (const help of problem.help) box.append(line("mcl-help", help));
  return box;
}

/** Marks a range and has it in sight, without a move if it is; with `focus` the cursor goes there. */
export function editorShow(from, to, focus) {
  if (!view) return;
  const end = view.state.doc.length;
  const [start, stop] = [Math.min(from, end), Math.min(to, end)];
  const marks = stop > start ? Decoration.set([Decoration.mark({ class: "mcl-shown" }).range(start, stop)]) : Decoration.none;
  const effects = [show.of(marks)];
  if (!isInSight(start)) effects.push(EditorView.scrollIntoView(start, { y: "center" }));
  view.dispatch({ effects, ...(focus ? { selection: { anchor: start } } : {}) });
  if (focus) view.focus();
}

function isInSight(at) {
  const line = view.coordsAtPos(at);
  const window = view.scrollDOM.getBoundingClientRect();
  return line !== null && line.top >= window.top && line.bottom <= window.bottom;
}

/** Marks the ranges, given as ascending pairs. */
export function editorTrace(ranges) {
  if (!view) return;
  const end = view.state.doc.length;
  const spans = [];
  for (let at = 0; at + 1 < ranges.length; at += 2) {
    const [from, to] = [Math.min(ranges[at], end), Math.min(ranges[at + 1], end)];
    if (to > from) spans.push(Decoration.mark({ class: "mcl-led" }).range(from, to));
  }
  // After each pause the page says so again of a text without marks.
  if (spans.length || view.state.field(traced).size) view.dispatch({ effects: trace.of(Decoration.set(spans)) });
}

export function editorHide() {
  view?.dispatch({ effects: show.of(Decoration.none) });
}

/** The text that is shown. */
export const editorText = () => view?.state.doc.toString() ?? "";

/** The pieces of a text as it is coloured in a file of this name: a list of [class, text]. */
export function editorPieces(name, text) {
  const [support] = languageOf(name);
  return support ? colourText(text, support.language.parser) : [["", text]];
}
