// The editor services together, with their keys.
import { forEachDiagnostic } from "@codemirror/lint";
import { Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { colours } from "./colours.js";
import { completion } from "./completion.js";
import { hints, toggleHints } from "./hints.js";
import { closeTips, describe, describeCall, hovers } from "./hover.js";
import { isMac } from "./mac.js";
import { closePanel, goBack, goToDefinition, navigation, rename, showUses } from "./navigate.js";
import { focusOutline } from "./outline.js";
export { connect, setFile } from "./ask.js";

/** Applies the first suggestion of a problem on the cursor's line. */
function mend(view) {
  const line = view.state.doc.lineAt(view.state.selection.main.head);
  let found = null;
  forEachDiagnostic(view.state, (problem, from, to) => {
    if (!found && from <= line.to && to >= line.from && problem.actions?.length) found = { problem, from, to };
  });
  found?.problem.actions[0].apply(view, found.from, found.to);
  return Boolean(found);
}

const keys = Prec.high(keymap.of([
  { key: "F12", run: (view) => goToDefinition(view) },
  { key: "Shift-F12", run: showUses },
  { key: "F2", run: rename },
  { key: "Mod-i", run: describe, preventDefault: true },
  { key: "Mod-Shift-Space", run: describeCall },
  { key: "Mod-.", run: mend },
  { key: "Mod-Shift-o", run: focusOutline, preventDefault: true },
  { key: "Alt-Shift-t", run: toggleHints, preventDefault: true },
  // On a Mac, the cursor goes back by a word with it.
  { key: "Alt-ArrowLeft", mac: "Ctrl--", run: goBack },
  { key: "Escape", run: (view) => closeTips(view) || closePanel(view) },
]));

/** On a Mac, Option turns a letter into another one, which no shortcut has: so the key is identified by its position. */
const macKeys = EditorView.domEventHandlers({
  keydown(event, view) {
    const isOption = isMac && event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey;
    return isOption && event.code === "KeyT" && toggleHints(view);
  },
});

export const services = () => [hovers(), completion(), navigation(), colours(), hints(), keys, macKeys];
