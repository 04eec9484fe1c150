// The program's editor: CodeMirror inside a shadow root, where its styles are constructed sheets
// that a strict policy lets through. The page talks to it by the functions exported here; all
// offsets are UTF-16 units of the text.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { forceLinting, lintGutter, lintKeymap, nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { highlighting, language } from "./language.js";
import { models } from "./models.js";
import { look } from "./look.js";
import { outline } from "./outline.js";
import { connect, services, setSuffix } from "./services.js";
import { keepsInSight } from "./sight.js";
import { line } from "./text.js";

let view = null;
let said = { changed: () => {}, explain: () => {} };
/** While the page itself sets the text, it need not be told. */
let quiet = false;

const languages = { mcl: language, cf: models };
const spoken = new Compartment();

const show = StateEffect.define();
/** The span of the vertex that is looked at. */
const shown = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) {
      if (effect.is(show)) marks = effect.value;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const extensions = (suffix) => [
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  EditorState.tabSize.of(4),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  shown,
  services(),
  outline(),
  keymap.of([
    // Tab indents; Escape first lets it leave the editor, as the label says.
    { key: "Tab", run: indentMore, shift: indentLess },
    { key: "Escape", run: leave },
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...lintKeymap,
  ]),
  spoken.of(languages[suffix]),
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
    if (update.docChanged && !quiet) said.changed(update.state.doc.toString());
  }),
];

/** Escape, where it has nothing else to close: the next Tab moves the focus instead of the text. */
function leave(view) {
  view.setTabFocusMode(2000);
  return false;
}

/**
 * Makes the editor inside an element. `changed(text)` after each edit, `explain(code)` on demand;
 * `ask(text, query)` promises what the compiler says to a question, as an object, or null. `suffix` is how the file's name ends.
 */
export function editorMount(element, text, suffix, changed, explain, ask) {
  said = { changed, explain };
  setSuffix(suffix);
  connect(ask);
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const box = document.createElement("div");
  root.replaceChildren(box);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: block; min-height: 0 } :host > div { height: 100% }");
  root.adoptedStyleSheets = [sheet];
  view = new EditorView({ parent: box, root, state: EditorState.create({ doc: text, extensions: extensions(suffix) }) });
}

/** Replaces the text by the smallest change, so that the cursor stays close; undo brings it back. */
export function editorSetText(text, suffix) {
  if (!view) return;
  setSuffix(suffix);
  view.dispatch({ effects: spoken.reconfigure(languages[suffix]) });
  const old = view.state.doc.toString();
  let from = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
  let tail = 0;
  const most = Math.min(old.length, text.length) - from;
  while (tail < most && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail += 1;
  quiet = true;
  view.dispatch({
    changes: { from, to: old.length - tail, insert: text.slice(from, text.length - tail) },
    // A step of its own, however soon it comes after another one.
    annotations: isolateHistory.of("full"),
  });
  quiet = false;
}

/** Opens another document: nothing of the one before can be undone into it. */
export function editorOpen(text, suffix) {
  if (!view) return;
  setSuffix(suffix);
  view.setState(EditorState.create({ doc: text, extensions: extensions(suffix) }));
}

/** Shows problems: a list of {from, to, severity, code, message, note, help: [], edits: [{from, to, insert, title}]}. */
export function editorSetProblems(problems) {
  if (!view) return;
  const end = view.state.doc.length;
  const clamp = (at) => Math.min(at, end);
  const doc = view.state.doc;
  const list = (problems ?? []).map((problem) => ({
    from: clamp(problem.from),
    to: clamp(problem.to),
    severity: problem.severity,
    message: problem.message,
    renderMessage: () => message(problem),
    actions: problem.edits.map((edit) => ({
      // A button holds plain text.
      name: edit.title.replaceAll("`", ""),
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

/** Marks a range and scrolls it into sight; with `focus` the cursor goes there. */
export function editorShow(from, to, focus) {
  if (!view) return;
  const end = view.state.doc.length;
  const [start, stop] = [Math.min(from, end), Math.min(to, end)];
  const marks = stop > start ? Decoration.set([Decoration.mark({ class: "mcl-shown" }).range(start, stop)]) : Decoration.none;
  view.dispatch({
    effects: [show.of(marks), EditorView.scrollIntoView(start, { y: "center" })],
    ...(focus ? { selection: { anchor: start } } : {}),
  });
  if (focus) view.focus();
}

export function editorHide() {
  view?.dispatch({ effects: show.of(Decoration.none) });
}

export function editorNextProblem() {
  if (!view) return;
  view.focus();
  nextDiagnostic(view);
  forceLinting(view);
}
