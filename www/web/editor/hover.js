// Tooltips: what the thing under the mouse or the cursor is, and the parameters of the call at work.
import { StateEffect, StateField } from "@codemirror/state";
import { ViewPlugin, closeHoverTooltips, hasHoverTooltips, hoverTooltip, showTooltip } from "@codemirror/view";
import { current, question } from "./ask.js";
import { code, line, markdown, reference, visible } from "./text.js";

function tooltip(hover, atCursor) {
  return {
    pos: hover.range.from,
    end: hover.range.to,
    above: true,
    create() {
      const dom = document.createElement("div");
      dom.className = "mcl-hover";
      if (atCursor) dom.setAttribute("role", "status");
      dom.append(code("mcl-head", hover.head));
      if (hover.values.length) {
        const now = document.createElement("div");
        now.className = "mcl-now";
        const shown = hover.values.slice(0, 3).map((value) => (value.length > 200 ? `${value.slice(0, 200)}…` : value));
        now.append(Object.assign(document.createElement("span"), { textContent: "now" }), code("mcl-value", shown));
        dom.append(now);
      }
      if (hover.doc) dom.append(markdown(hover.doc));
      if (hover.page) dom.append(reference(hover.page));
      return { dom };
    },
  };
}

const underMouse = hoverTooltip(async (view, pos) => {
  const answer = await current(view, { ask: "hover", at: pos });
  const hover = answer?.hover;
  // One description at a time: one that was opened with the keyboard stays.
  if (view.state.field(atCursor)) return null;
  return hover && hover.range.from <= pos && pos <= hover.range.to ? tooltip(hover, false) : null;
}, { hoverTime: 250 });

const setTip = StateEffect.define();
const setCall = StateEffect.define();

/** A tooltip that stays until the text or the cursor changes. */
const tips = (effect, survivesTyping) => StateField.define({
  create: () => null,
  update(tip, change) {
    for (const one of change.effects) if (one.is(effect)) return one.value;
    if (!tip) return tip;
    if (change.docChanged && survivesTyping) return { ...tip, pos: change.changes.mapPos(tip.pos) };
    return change.docChanged || change.selection ? (survivesTyping ? tip : null) : tip;
  },
  provide: (field) => showTooltip.from(field),
});
const atCursor = tips(setTip, false);
const atCall = tips(setCall, true);

/** Shows what the thing at the cursor is. */
export function describe(view) {
  const at = view.state.selection.main.head;
  current(view, { ask: "hover", at }).then((answer) => {
    if (answer?.hover) view.dispatch({ effects: [closeHoverTooltips, setTip.of(tooltip(answer.hover, true))] });
  });
  return true;
}

function callTooltip(help) {
  return {
    pos: help.paren,
    above: true,
    create() {
      const dom = document.createElement("div");
      dom.className = "mcl-hover mcl-call";
      dom.setAttribute("role", "status");
      for (const form of help.forms.slice(0, 4)) {
        const shown = document.createElement("pre");
        shown.className = "mcl-head";
        const [from, to] = form.params[help.active] ?? [0, 0];
        const active = Object.assign(document.createElement("b"), { textContent: visible(form.label.slice(from, to)) });
        shown.append(visible(form.label.slice(0, from)), active, visible(form.label.slice(to)));
        dom.append(shown);
      }
      if (help.doc) dom.append(line("mcl-doc", help.doc.split("\n")[0]));
      return { dom };
    },
  };
}

let asking = false;

/** Asks until the answer is about the place where the cursor is by then. */
async function showCall(view) {
  if (asking) return;
  asking = true;
  let before, answer;
  do {
    before = view.state;
    answer = await question(before, { ask: "signature", at: before.selection.main.head });
  } while (!view.state.doc.eq(before.doc) || !view.state.selection.eq(before.selection));
  asking = false;
  const help = answer?.signature ?? null;
  if (help || view.state.field(atCall)) view.dispatch({ effects: setCall.of(help ? callTooltip(help) : null) });
}

/** Shows the parameters of the call around the cursor. */
export function describeCall(view) {
  showCall(view);
  return true;
}

/** While a call is being typed its parameters follow the cursor. */
const following = ViewPlugin.fromClass(class {
  update(update) {
    if (!update.docChanged && !update.selectionSet) return;
    const shown = update.state.field(atCall) !== null;
    let opens = false;
    if (update.docChanged && update.transactions.some((one) => one.isUserEvent("input"))) {
      update.changes.iterChanges((_a, _b, _c, _d, inserted) => { opens ||= /[(,]/.test(inserted.toString()); });
    }
    if (!shown && !opens) return;
    const { view } = update;
    // The page first has the text checked, which it does as soon as this key is handled.
    setTimeout(() => showCall(view));
  }
});

/** Closes the descriptions at the cursor and under the mouse. */
export function closeTips(view) {
  const open = view.state.field(atCursor) || view.state.field(atCall) || hasHoverTooltips(view.state);
  if (open) view.dispatch({ effects: [closeHoverTooltips, setTip.of(null), setCall.of(null)] });
  return Boolean(open);
}

export const hovers = () => [underMouse, atCursor, atCall, following];
