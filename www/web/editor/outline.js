// The outline: what the program defines and declares, in one list above the text. It shows where the
// cursor is, and leads to whatever is chosen.
import { ViewPlugin, showPanel } from "@codemirror/view";
import { FILE } from "./ask.js";
import { Following } from "./following.js";
import { hintsButton } from "./hints.js";
import { labels } from "./mac.js";
import { goTo } from "./navigate.js";
import { visible } from "./text.js";

const PAUSE_MS = 200;
let select = null;

function bar(view) {
  const dom = document.createElement("div");
  dom.className = "mcl-outline";
  select = document.createElement("select");
  select.setAttribute("aria-label", "Outline: go to a definition or resource");
  select.title = `Outline (${labels("Ctrl+Shift+O")})`;
  dom.append(select, hintsButton(view));
  return { dom, top: true };
}

export function focusOutline() {
  select?.focus();
  return Boolean(select);
}

const following = ViewPlugin.fromClass(class extends Following {
  constructor(view) {
    super(view, PAUSE_MS);
    this.symbols = [];
    /** The entries of the list. */
    this.listed = [];
    queueMicrotask(() => {
      select.onchange = () => {
        const symbol = this.symbols[Number(select.value)];
        if (symbol) goTo(view, symbol.name_range.from);
      };
    });
  }

  update(update) {
    if (update.docChanged) this.plan(update.view);
    else if (update.selectionSet) this.showPlace(update.view);
  }

  question() {
    return { ask: "symbols" };
  }

  take(view, { symbols }) {
    if (!symbols) return;
    this.symbols = symbols;
    this.list([FILE.slice(1), ...symbols.map((symbol) => `${"\u2003".repeat(symbol.depth)}${visible(shown(symbol))}`)]);
    this.showPlace(view);
  }

  /** Lists the file and its symbols. Most edits only move them, and a large list takes long to make. */
  list(names) {
    if (names.length === this.listed.length && names.every((name, at) => name === this.listed[at])) return;
    this.listed = names;
    const entry = (name, at) => {
      const value = at === 0 ? "" : String(at - 1);
      return Object.assign(document.createElement("option"), { value, textContent: name });
    };
    select.replaceChildren(...names.map(entry));
  }

  /** The innermost symbol around the cursor. */
  showPlace(view) {
    const at = view.state.selection.main.head;
    const around = this.symbols.findLastIndex(({ range }) => range.from <= at && at <= range.to);
    select.value = around < 0 ? "" : String(around);
  }
});

function shown({ kind, name }) {
  return ["function", "class", "include", "import"].includes(kind) ? `${{ function: "func" }[kind] ?? kind} ${name}` : name;
}

export const outline = () => [showPanel.of(bar), following];
