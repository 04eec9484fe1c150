// What only the compiler knows about a name, shown by its colour: parameters, modules, what nothing uses,
// the holes of strings. The highlighter's own colours are there at once; these follow.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { current } from "./ask.js";

const PAUSE_MS = 150;
const set = StateEffect.define();
const field = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) if (effect.is(set)) marks = effect.value;
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const marks = {};
const mark = (name) => (marks[name] ??= Decoration.mark({ class: name }));

function decorations(tokens, end) {
  const ranges = [];
  for (const { from, to, is, unused } of tokens) {
    if (from >= to || to > end) continue;
    if (["parameter", "module", "variable", "class"].includes(is)) ranges.push(mark(`mcl-is-${is}`).range(from, to));
    if (unused) ranges.push(mark("mcl-unused").range(from, to));
  }
  return Decoration.set(ranges, true);
}

const following = ViewPlugin.fromClass(class {
  constructor(view) {
    this.plan(view);
  }

  update(update) {
    if (update.docChanged || update.viewportChanged) this.plan(update.view);
  }

  plan(view) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(view), PAUSE_MS);
  }

  async ask(view) {
    const { from, to } = view.viewport;
    const answer = await current(view, { ask: "tokens", from, to });
    if (answer?.tokens) view.dispatch({ effects: set.of(decorations(answer.tokens, view.state.doc.length)) });
  }

  destroy() {
    clearTimeout(this.timer);
  }
});

export const colours = () => [field, following];
