// What can be undone survives a reload of the tab: the states of the files are kept in the tab's own storage when the
// page is left, and each comes back with its file, if the text is still the same.
import { historyField } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";

const KEPT = "mclive.undo";
/** Longer histories are dropped: the storage of a tab has 5 MB. Units: characters. */
const MOST = 2_000_000;
const fields = { history: historyField };

let kept = null;

function recalled() {
  if (kept) return kept;
  kept = new Map();
  try {
    kept = new Map(Object.entries(JSON.parse(sessionStorage.getItem(KEPT) ?? "{}")));
  } catch {
    // Nothing can be kept here, or something else wrote it.
  }
  return kept;
}

/** The state of a file as it was left, or null when its text is another one now. */
export function restored(name, text, extensions) {
  const json = recalled().get(name);
  recalled().delete(name);
  if (json?.doc !== text) return null;
  try {
    return EditorState.fromJSON(json, { extensions }, fields);
  } catch {
    // Another version of the page wrote it.
    return null;
  }
}

/** Deletes the stored history: another document was opened. */
export const forget = () => recalled().clear();

/** Keeps the states of these files: pairs of a name and a state; and those of files that were not shown since the last reload. */
export function keep(states) {
  const files = Object.fromEntries(recalled());
  for (const [name, state] of states) files[name] = state.toJSON(fields);
  try {
    const text = JSON.stringify(files);
    if (text.length <= MOST) sessionStorage.setItem(KEPT, text);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // The storage is full or disabled: undo then starts from here.
  }
}
