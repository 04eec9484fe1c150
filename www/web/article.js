// An entry of the reference, or a section with all of its entries, as a picture: an SVG of its lines of text.
import { saveBlob } from "./files.js";
import { savePicture } from "./picture.js";

const SVG = "http://www.w3.org/2000/svg";
// Units: pixels.
const [WIDTH, MARGIN, TITLE, LINE] = [960, 16, 40, 18];
/** The most characters of a line, if its words are not longer, and of a line of a program. */
const [N_TEXT, N_CODE] = [110, 125];
const BLOCKS = "h3, p, li, pre, tr";
/** The most lines of a picture; the others are counted. */
const MOST = 800;

/** Saves an entry or a section as a picture in one of two forms, `SVG` or `PNG`. Throws a sentence without its full stop. */
export async function saveArticle(article, form) {
  const { id } = article.id ? article : article.querySelector("h2");
  const name = `${id.replace(/[^\w.-]+/g, "-")}.${form.toLowerCase()}`;
  const { svg, height } = drawn(article);
  if (form === "PNG") await savePicture(name, svg, WIDTH, height);
  else saveBlob(name, new Blob([svg], { type: "image/svg+xml" }));
}

/** The picture, and its height. */
function drawn(article) {
  const head = article.querySelector("h2, h3");
  const title = oneLine(head.textContent);
  const blocks = [...article.querySelectorAll(BLOCKS)].filter((block) => block !== head && !block.parentElement.closest(BLOCKS));
  const lines = blocks.flatMap(linesOf);
  if (lines.length > MOST) lines.push(`${lines.splice(MOST).length} more lines not shown`);
  const height = 2 * MARGIN + TITLE + LINE * lines.length;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const svg = element("svg", { width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}`, "font-family": "monospace", role: "img" });
  svg.append(element("title", {}, title), element("rect", { width: WIDTH, height, fill: colour("ground") }));
  svg.append(element("text", { x: MARGIN, y: MARGIN + 16, "font-size": 16, fill: colour("text") }, title));
  for (const [at, line] of lines.entries()) {
    if (!line) continue;
    const y = MARGIN + TITLE + LINE * (at + 1) - 6;
    // Several usual spaces would be drawn as one.
    svg.append(element("text", { x: MARGIN, y, "font-size": 12, fill: colour("text") }, line.replaceAll(" ", "\u{a0}")));
  }
  return { svg: new XMLSerializer().serializeToString(svg), height };
}

function element(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

/** The lines of a part of an entry, the last one empty. */
function linesOf(block) {
  if (block.matches("pre")) return [...block.textContent.split("\n").map((line) => cut(`    ${line.replaceAll("\t", "    ")}`)), ""];
  if (block.matches("tr")) return wrapped([...block.cells].map((cell) => oneLine(cell.textContent)).join(" | "));
  if (block.matches(".examples li")) {
    const [call, result] = [".call > code", "samp"].map((part) => block.querySelector(part)?.textContent ?? "");
    return wrapped(`${call} ${block.matches(".fails") ? "fails:" : "→"} ${result}`);
  }
  if (block.matches("h3")) return ["", `## ${oneLine(block.textContent)}`, ""];
  const lines = wrapped(block.textContent);
  if (block.matches("li")) return lines.map((line, at) => `${at === 0 ? "•" : " "} ${line}`);
  return [...lines, ""];
}

const oneLine = (text) => text.split(/\s+/).filter(Boolean).join(" ");

const cut = (line) => (line.length > N_CODE ? `${line.slice(0, N_CODE - 1)}…` : line);

/** A text in lines, broken between words. */
function wrapped(text) {
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= N_TEXT) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map(cut);
}
