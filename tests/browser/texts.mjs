// Hostile texts, and what tells that one of them became more than text. Whatever shows a stranger's words is tried with
// all of them, in each browser (`texts.test.mjs`).
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";

/** To a page that takes them for more than text, these are scripts, markup or addresses. Each of them reports itself. */
export const TEXTS = [
  "<script>pwned()</script>",
  '<img src="pwned.png" onerror="pwned()">',
  '"><svg onload=pwned()>',
  "' autofocus onfocus=pwned() x='",
  '" style="background:url(pwned.png)" onmouseover="pwned()',
  "</textarea></title></style></script></svg><script>pwned()</script>",
  "--><script>pwned()</script><!--",
  "]]><script>pwned()</script>",
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<object data="pwned.svg"></object><embed src="pwned.svg">',
  "<style>@import 'pwned.css';</style><link rel=stylesheet href=pwned.css>",
  '<base href="https://pwned.invalid/"><meta http-equiv="refresh" content="0;url=https://pwned.invalid/">',
  '<form action="https://pwned.invalid/"><button autofocus>x</button></form>',
  "<details open ontoggle=pwned()>x</details>",
  '<svg><use href="data:image/svg+xml,<svg id=x onload=pwned()>#x"/><foreignObject><img src=pwned.png></foreignObject></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=pwned.png onerror=pwned()&gt;">',
  "&lt;img src=pwned.png onerror=pwned()&gt;",
  "[x](javascript:pwned()) ![x](pwned.png) `<img src=pwned.png>` **<b onclick=pwned()>**",
  "javascript:pwned()//",
  "data:text/html,<script>pwned()</script>",
  "{{constructor.constructor('pwned()')()}}",
  "__proto__",
  "\u202e<b>pwned</b>\u2066\u200b",
  "<\u0000script>pwned()</script>",
];

/** What a program can say: the language has no NUL. */
export const SAYABLE = TEXTS.filter((text) => !text.includes("\0"));

/** A string of MCL. */
export const quoted = (text) => `"${text.replace(/[\\"$]/g, "\\$&")}"`;

const base64 = (bytes) => Buffer.from(bytes).toString("base64url");

/** The fragment of a link with a program. */
export const linkOf = (program) => `#c=${base64([1, ...deflateRawSync(program)])}`;

/** The fragment of a link with anything that a server might have stored. */
export const packedLinkOf = (stored) => `#p=${base64([1, ...deflateRawSync(JSON.stringify(stored))])}`;

/** Watches a page from its next load on: `harmless` fails when a text ran, or was taken for more than text. */
export async function watched(page) {
  const harm = [];
  page.on("dialog", (dialog) => {
    harm.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("request", (request) => {
    // A text in the address of a stored program is one too, and asks for nothing.
    if (/\/pwned\.\w+$|^https:\/\/pwned/.test(request.url())) harm.push(`a request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    globalThis.ran = [];
    globalThis.pwned = () => void globalThis.ran.push(new Error("ran").stack);
  });
  return async function harmless() {
    const { ran, taken } = await page.evaluate(found);
    assert.deepEqual([...harm, ...ran, ...taken], []);
  };
}

/** A text as labels show it: characters that would turn or hide others are named. */
export const shownAs = (text) => text.replace(/[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, (one) => `\\u{${one.charCodeAt(0).toString(16)}}`);

/** Fails unless each text is in the list, as it is shown. */
export function holdsAll(list, texts, where) {
  assert.deepEqual(texts.map(shownAs).filter((text) => !list.some((one) => one.includes(text))), [], `missing in ${where}: ${list.join("\n")}`);
}

/** In the page: what ran, and elements and attributes that only a text can have put there. */
function found() {
  const taken = [];
  const FOREIGN = "img:not(.cm-widgetBuffer), iframe, object, embed, base, form[action], math, foreignObject, use, link[href*=pwned], meta[http-equiv=refresh], script:not([src])";
  function look(root) {
    for (const one of root.querySelectorAll("*")) {
      const told = () => one.outerHTML.slice(0, 200);
      if (one.matches(FOREIGN)) taken.push(told());
      for (const { name, value } of one.attributes) {
        const isAddress = /^(href|src|action|formaction|data|xlink:href)$/.test(name);
        if (/^on/.test(name) || name === "srcdoc" || (isAddress && /^\s*(javascript|data:text)/i.test(value))) taken.push(told());
      }
      if (one.shadowRoot) look(one.shadowRoot);
    }
  }
  look(document);
  if ({}.polluted !== undefined) taken.push("the prototype of all objects");
  return { ran: globalThis.ran, taken };
}
