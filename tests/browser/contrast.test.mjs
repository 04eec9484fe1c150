// The contrast of the colours of both themes, from the style sheet: axe sees only what is shown at the moment, and no selected text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./built.mjs";

const sheet = readFileSync(join(root, "www/web/styles/tokens.css"), "utf8");
const [light, ofSystem, chosen] = [...sheet.matchAll(/:root[^{]*\{([^}]*)\}/g)]
  .map(([, rules]) => new Map([...rules.matchAll(/--([\w-]+): #(\w{6});/g)].map(([, name, hex]) => [name, rgb(hex)])));

function rgb(hex) {
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function luminance(colour) {
  const [red, green, blue] = colour.map((byte) => byte / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** As `color-mix(in srgb, …)` mixes: `share` of one. */
const mixed = (one, other, share) => one.map((byte, at) => byte * share + other[at] * (1 - share));

const PAGE = ["ground", "surface", "raised", "line-here"];
/** Each text colour with its backgrounds; marks without a text. */
const TEXTS = [
  [["text", "muted"], [...PAGE, "accent-soft", "good-soft", "warn-soft", "bad-soft", "info-soft"]],
  [["faint"], PAGE],
  [["accent", "good", "warn", "bad", "info"], PAGE],
  [["accent", "accent-strong", "text"], ["accent-soft"]],
  [["good"], ["good-soft"]],
  [["warn"], ["warn-soft"]],
  [["bad"], ["bad-soft"]],
  [["info"], ["info-soft"]],
  [["accent-text"], ["accent", "accent-strong"]],
  [["text", ...[...light.keys()].filter((name) => name.startsWith("syntax-"))], [...PAGE, "selection", "shown", "led-soft"]],
];
const MARKS = [["edge", "led", "good", "warn", "bad", "info", "accent"], PAGE];

for (const [theme, colours] of [["light", light], ["dark", chosen]]) {
  test(`in the ${theme} theme, texts have a contrast of at least 4.5, and marks of at least 3`, () => {
    const all = new Map([...colours, ["led-soft", mixed(colours.get("led"), colours.get("surface"), 0.2)]]);
    const low = (names, grounds, least) => names.flatMap((name) => grounds.map((ground) => [name, ground, contrast(all.get(name), all.get(ground))]))
      .filter(([, , found]) => found < least);
    assert.deepEqual([...TEXTS.flatMap(([names, grounds]) => low(names, grounds, 4.5)), ...low(...MARKS, 3)], []);
  });
}

test("the dark theme is the same if the system or the visitor chooses it", () => {
  assert.deepEqual(ofSystem, chosen);
});
