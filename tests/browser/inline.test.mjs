// The pages of the build hold no inline script, style or event attribute: the policy of the server forbids them, and a
// page that needed one would be broken for everybody.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./built.mjs";

const dist = join(root, "www/dist");

/** What the policy would refuse in a page. */
function inline(html) {
  const found = [];
  const text = html.replace(/<!--[\s\S]*?-->/g, "");
  for (const [tag, name, rest] of text.matchAll(/<([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g)) {
    const attributes = [...rest.matchAll(/([^\s"'=/<>]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g)];
    const names = attributes.map(([, name]) => name.toLowerCase());
    if (name.toLowerCase() === "style" || names.includes("style")) found.push(tag);
    if (name.toLowerCase() === "script" && !names.includes("src")) found.push(tag);
    if (names.some((name) => name.startsWith("on") || name === "srcdoc")) found.push(tag);
    if (attributes.some(([, , value]) => /^["']?\s*javascript:/i.test(value ?? ""))) found.push(tag);
  }
  // What stands between the tags of a script with an address is not run either, and so is a mistake.
  for (const [, body] of text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/gi)) if (body.trim()) found.push(body);
  return found;
}

test("the scan sees what is inline", () => {
  for (const html of [
    "<script>1</script>", '<SCRIPT type="module">1</SCRIPT>', '<script src="x">1</script>', "<style>a{}</style>", '<p style="color:red">',
    "<p class='a' STYLE = red>", "<img src=x onerror=alert(1)>", '<a title="a>b" onclick="x">', '<a href="javascript:x">', "<iframe srcdoc=x>",
  ]) assert.notDeepEqual(inline(html), [], html);
  for (const html of [
    '<script src="a.js"></script>', '<p title="style=x onclick=y">on style= </p>', "<!-- <script>1</script> -->", '<link rel="stylesheet" href="a.css">',
    '<pre>&lt;script&gt;</pre>', '<path d="M1 2" stroke="red"/>', '<meta name="description" content="a <b> onload=x">',
  ]) assert.deepEqual(inline(html), [], html);
});

test("no page of the build holds an inline script, style or event attribute", () => {
  const pages = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".html"));
  for (const expected of ["index.html", "reference.html", join("embed", "index.html")]) assert.ok(pages.includes(expected), expected);
  for (const page of pages) assert.deepEqual(inline(readFileSync(join(dist, page), "utf8")), [], page);
});
