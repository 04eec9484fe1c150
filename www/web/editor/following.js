// Plugins that follow the text: they query the compiler after a pause, and use its answer if the text is still the same. If
// it takes too long, they query it again.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { current } from "./ask.js";

/** The class of a plugin: `question(view)` gives what is asked, or null; `take(view, answer)` gets the answer. */
export class Following {
  constructor(view, pauseMs) {
    this.pauseMs = pauseMs;
    this.plan(view);
  }

  update({ docChanged, view }) {
    if (docChanged) this.plan(view);
  }

  plan(view) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(view), this.pauseMs);
  }

  async ask(view) {
    const question = this.question(view);
    const answer = question && (await current(view, question));
    if (this.isGone) return;
    if (answer) this.take(view, answer);
    // Nobody types, and still there is no answer.
    else if (answer === undefined) this.plan(view);
  }

  destroy() {
    clearTimeout(this.timer);
    this.isGone = true;
  }
}

/**
 * Decorations of the part of the text that is in sight, which move with the text until there are others: `name` is the
 * question, and `decorations(answer, end)` makes a set of its answer, or null to leave what is there. While `isOn()` is
 * false nothing is asked.
 */
export function decorated(name, pauseMs, decorations, isOn = () => true) {
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
  const plugin = ViewPlugin.fromClass(class extends Following {
    constructor(view) {
      super(view, pauseMs);
    }

    update(update) {
      if (update.docChanged || update.viewportChanged) this.plan(update.view);
    }

    question({ viewport: { from, to } }) {
      return isOn() ? { ask: name, from, to } : null;
    }

    take(view, answer) {
      const marks = decorations(answer, view.state.doc.length);
      if (marks && isOn()) view.dispatch({ effects: set.of(marks) });
    }
  });
  return {
    extension: [field, plugin],
    ask: (view) => view.plugin(plugin)?.ask(view),
    clear: (view) => view.dispatch({ effects: set.of(Decoration.none) }),
  };
}
