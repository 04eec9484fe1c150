// Text as elements. Text nodes only: programs are never markup.

/** A line of text in which `backticks` become code. */
export function line(kind, text) {
  const element = document.createElement("div");
  element.className = kind;
  text.split("`").forEach((part, index) => {
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
  element.textContent = lines.join("\n");
  return element;
}

export function button(kind, text, run) {
  const element = document.createElement("button");
  element.className = kind;
  element.textContent = text;
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
