// What could be typed here: the compiler's candidates as CodeMirror shows them.
import { autocompletion, completionKeymap, pickedCompletion, snippet } from "@codemirror/autocomplete";
import { question } from "./ask.js";
import { code, markdown, visible } from "./text.js";

/** The editor's icon for each kind. */
const TYPES = {
  variable: "variable", function: "function", class: "class", module: "namespace", kind: "interface",
  field: "property", keyword: "keyword", type: "type", resource: "constant",
};

async function source(context) {
  const { state, pos, explicit } = context;
  if (state.readOnly) return null;
  const before = state.sliceDoc(Math.max(0, pos - 1), pos);
  if (!explicit && !/[\w$.:"]/.test(before)) return null;
  const answer = await question(state, { ask: "completion", at: pos });
  const found = answer?.completion;
  if (context.aborted || !found || found.candidates.length === 0) return null;
  // Behind a quote only paths and names are wanted, and behind nothing nobody asked.
  if (!explicit && found.replace.from === pos && !/[$.:"{]/.test(before)) return null;
  return { from: found.replace.from, options: found.candidates.map(option), validFor: /^[$\w:]*$/ };
}

function option(candidate) {
  const shown = visible(candidate.label);
  return {
    label: candidate.label,
    // With another label than the one that is typed, no matching letters are marked.
    ...(shown === candidate.label ? {} : { displayLabel: shown }),
    type: TYPES[candidate.kind],
    detail: visible(short(candidate.detail)),
    boost: candidate.rank * 10,
    apply: (view, completion, from, to) => apply(view, candidate, completion, from, to),
    info: candidate.doc || candidate.detail ? () => info(candidate) : undefined,
  };
}

function short(detail) {
  return detail.length > 44 ? `${detail.slice(0, 43)}…` : detail;
}

function info(candidate) {
  const box = document.createElement("div");
  box.append(code("mcl-head", [`${candidate.label}${candidate.detail.startsWith("(") ? "" : " "}${candidate.detail}`]));
  if (candidate.doc) box.append(markdown(candidate.doc));
  return box;
}

function apply(view, candidate, completion, from, to) {
  // Earlier text is changed first, so that the position of the word is adjusted.
  const { edits } = candidate;
  const changes = view.state.changes(edits.map(({ range, text }) => ({ from: range.from, to: range.to, insert: text })));
  if (edits.length) view.dispatch({ changes });
  const [start, end] = [changes.mapPos(from, 1), changes.mapPos(to, 1)];
  if (candidate.template) {
    snippet(indented(view, start, candidate.template))(view, completion, start, end);
  } else {
    view.dispatch({
      changes: { from: start, to: end, insert: candidate.label },
      selection: { anchor: start + candidate.label.length },
      annotations: pickedCompletion.of(completion),
      userEvent: "input.complete",
    });
  }
}

/** CodeMirror adds the line's indentation itself; a name that is filled in loses its braces. */
function indented(_view, _at, template) {
  return template.replace(/#\{(\$)/g, "$1#{");
}

export const completion = () => [
  autocompletion({ override: [source], defaultKeymap: true, icons: true, activateOnTypingDelay: 60 }),
];
export { completionKeymap };
