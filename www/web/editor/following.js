// Plugins that follow the text: they query the compiler after a pause, and use its answer if the text is still the same. If
// it takes too long, they query it again. A key waits while the compiler answers, so slow answers make the pause longer.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { current } from "./ask.js";

/** The longest pause. Units: milliseconds. */
const LONGEST_MS = 1000;

/** The class of a plugin: `question(view)` gives what is asked, or null; `take(view, answer)` gets the answer. */
export class Following {
  constructor(view, pauseMs) {
    this.pauseMs = pauseMs;
    /** How long the last answer took; the first one may have waited for the compiler to load, and does not count. */
    this.tookMs = 0;
    /** The last question and its text, with the answer. */
    this.last = null;
    this.plan(view);
  }

  update({ docChanged, view }) {
    if (docChanged) this.plan(view);
  }

  plan(view) {
    clearTimeout(this.timer);
    const pauseMs = Math.max(this.pauseMs, Math.min(2 * this.tookMs, LONGEST_MS));
    this.timer = setTimeout(() => this.ask(view), pauseMs);
  }

  async ask(view) {
    const question = this.question(view);
    if (!question) return;
    const { doc } = view.state;
    const asked = JSON.stringify(question);
    // What was typed has been taken back: the answer is known.
    if (this.last?.asked === asked && this.last.doc.eq(doc)) return this.take(view, this.last.answer);
    const begun = performance.now();
    const answer = await current(view, question);
    if (this.isGone) return;
    if (answer) {
      this.tookMs = this.last ? performance.now() - begun : 0;
      this.last = { asked, doc, answer };
      this.take(view, answer);
    }
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
