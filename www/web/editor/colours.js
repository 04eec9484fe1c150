// What only the compiler knows about a name, shown by its colour: parameters, modules, what nothing uses,
// the holes of strings. The highlighter's own colours are there at once; these follow.
import { Decoration } from "@codemirror/view";
import { decorated } from "./following.js";

const PAUSE_MS = 150;
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

const told = decorated("tokens", PAUSE_MS, ({ tokens }, end) => tokens && decorations(tokens, end));

export const colours = () => told.extension;
