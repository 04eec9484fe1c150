// Hints between the characters: types that are not written, and the names of parameters. They are no part of the text:
// neither the cursor nor a copy meets them.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { current } from "./ask.js";

const PAUSE_MS = 300;
const KEPT = "mclive.hints";
const set = StateEffect.define();

let isOn = kept() !== "off";
let button = null;

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    // The browser keeps nothing for this page.
    return null;
  }
}

function keep() {
  try {
    localStorage.setItem(KEPT, isOn ? "on" : "off");
  } catch {
    // The choice then lasts as long as the page.
  }
}

class Hint extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }

  eq(other) {
    return other.text === this.text;
  }

  toDOM() {
    const dom = document.createElement("span");
    dom.className = "mcl-hint";
    dom.dataset.text = this.text;
    dom.ariaHidden = "true";
    return dom;
  }
}

const field = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) if (effect.is(set)) marks = effect.value;
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A type stands behind its variable, and what is typed there comes before it; a name stands before its argument. */
const widget = ({ at, text }) => Decoration.widget({ widget: new Hint(text), side: text.startsWith(" ") ? 1 : -1 }).range(at);

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
    if (!isOn) return;
    const { from, to } = view.viewport;
    const answer = await current(view, { ask: "hints", from, to });
    const hints = answer?.hints?.filter(({ at }) => at <= view.state.doc.length);
    if (hints && isOn) view.dispatch({ effects: set.of(Decoration.set(hints.map(widget), true)) });
  }

  destroy() {
    clearTimeout(this.timer);
  }
});

/** Shows the hints, or hides them; the choice is kept. */
export function toggleHints(view) {
  isOn = !isOn;
  keep();
  button?.setAttribute("aria-pressed", String(isOn));
  if (isOn) view.plugin(following)?.ask(view);
  else view.dispatch({ effects: set.of(Decoration.none) });
  return true;
}

/** The button of the choice, for the bar above a view. */
export function hintsButton(view) {
  button = document.createElement("button");
  button.type = "button";
  button.textContent = "Types";
  button.title = "Show types and parameter names (Alt+Shift+T)";
  button.setAttribute("aria-pressed", String(isOn));
  button.onclick = () => toggleHints(view);
  return button;
}

export const hints = () => [field, following];
