// Text as elements. Text nodes only: programs are never markup.

/** What hides, turns or steers text: the characters of `mclive_base::unicode::visible`, except tabs and line breaks. */
const DECEPTIVE = /[\p{Cc}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;

const ESCAPES = new Map([["\t", "\t"], ["\n", "\n"], ["\r", "\\r"]]);

/** A text with such characters escaped as `\u{202e}`. */
export const visible = (text) => text.replace(DECEPTIVE, (char) => ESCAPES.get(char) ?? `\\u{${char.codePointAt(0).toString(16)}}`);

/** A line of text in which `backticks` become code. */
export function line(kind, text) {
  const element = document.createElement("div");
  element.className = kind;
  visible(text).split("`").forEach((part, index) => {
    const piece = index % 2 ? document.createElement("code") : document.createTextNode("");
    piece.textContent = part;
    element.append(piece);
  });
  return element;
}

/** The little of Markdown that our own definitions use: paragraphs and fenced code. */
export function markdown(text) {
  const box = document.createElement("div");
  box.className = "mcl-doc";
  text.split("```").forEach((part, index) => {
    if (index % 2) {
      box.append(code("mcl-example", [part.replace(/^\w*\n/, "").trimEnd()]));
      return;
    }
    for (const paragraph of part.split(/\n\s*\n/)) {
      if (paragraph.trim()) box.append(line("mcl-paragraph", paragraph.trim().replace(/\n/g, " ")));
    }
  });
  return box;
}

/** Lines in the language's own notation. */
export function code(kind, lines) {
  const element = document.createElement("pre");
  element.className = kind;
  element.textContent = visible(lines.join("\n"));
  return element;
}

export function button(kind, text, run) {
  const element = document.createElement("button");
  element.className = kind;
  element.textContent = visible(text);
  element.onclick = run;
  return element;
}

/** A way to the manual's page on a name. */
export function reference(page) {
  const link = Object.assign(document.createElement("a"), { className: "mcl-more", textContent: "Open in the reference" });
  link.href = `reference.html#${encodeURIComponent(page)}`;
  link.target = "_blank";
  return link;
}
