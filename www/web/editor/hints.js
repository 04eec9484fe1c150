// Hints between the characters: types that are not written, and the names of parameters. They are no part of the text:
// neither the cursor nor a copy meets them.
import { Decoration, WidgetType } from "@codemirror/view";
import { decorated } from "./following.js";
import { labels } from "./mac.js";
import { visible } from "./text.js";
import { embedded } from "../server.js";

const PAUSE_MS = 300;
const KEPT = "mclive.hints";

let isOn = kept() !== "off";
let button = null;

function kept() {
  // In a frame of another site, nothing about the visitor is read or stored.
  if (embedded()) return null;
  try {
    return localStorage.getItem(KEPT);
  } catch {
    // The browser keeps nothing for this page.
    return null;
  }
}

function keep() {
  if (embedded()) return;
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
    dom.dataset.text = visible(this.text);
    dom.ariaHidden = "true";
    return dom;
  }
}

/** A type follows its variable, and text that is typed there comes before it; a name precedes its argument. */
const widget = ({ at, text }) => Decoration.widget({ widget: new Hint(text), side: text.startsWith(" ") ? 1 : -1 }).range(at);

const decorations = ({ hints }, end) => hints && Decoration.set(hints.filter(({ at }) => at <= end).map(widget), true);
const told = decorated("hints", PAUSE_MS, decorations, () => isOn);

/** Shows the hints, or hides them; the choice is kept. */
export function toggleHints(view) {
  isOn = !isOn;
  keep();
  button?.setAttribute("aria-pressed", String(isOn));
  if (isOn) told.ask(view);
  else told.clear(view);
  return true;
}

/** The button of the choice, for the bar above a view. */
export function hintsButton(view) {
  button = document.createElement("button");
  button.type = "button";
  button.textContent = "Types";
  button.title = `Show types and parameter names (${labels("Alt+Shift+T")})`;
  button.setAttribute("aria-pressed", String(isOn));
  button.onclick = () => toggleHints(view);
  return button;
}

export const hints = () => told.extension;
