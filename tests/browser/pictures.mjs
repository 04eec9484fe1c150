// Pictures that the page saves, and what is in them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** The file that comes of something: its name and bytes. */
export async function downloaded(page, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** An SVG as an XML parser reads it: its words, its elements, and what would run or load something. */
export async function parsed(page, svg) {
  // The site's own policy keeps its page from parsing anything.
  const elsewhere = await page.context().newPage();
  try {
    return await elsewhere.evaluate(read, svg);
  } finally {
    await elsewhere.close();
  }
}

function read(svg) {
  const document = new DOMParser().parseFromString(svg, "image/svg+xml");
  const all = [...document.querySelectorAll("*")];
  const words = (name) => all.filter((one) => one.localName === name).map((one) => one.textContent);
  return {
    root: document.documentElement.namespaceURI + " " + document.documentElement.localName,
    error: document.querySelector("parsererror")?.textContent ?? null,
    title: document.documentElement.querySelector(":scope > title")?.textContent,
    names: words("title").slice(1),
    texts: words("text"),
    elements: [...new Set(all.map((one) => one.localName))].sort(),
    attributes: [...new Set(all.flatMap((one) => one.getAttributeNames()))].sort(),
    values: all.flatMap((one) => [...one.attributes]).map((one) => one.value).filter((value) => /var\(|url\(|color-mix|^$/.test(value)),
  };
}

/** Width and height of a PNG, by its first chunk. */
export function sizeOf(png) {
  assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

export const sizeIn = (svg) => /width="(\d+)" height="(\d+)"/.exec(svg).slice(1).map(Number);

/** How many colours a PNG has, and the first of them. */
export const colours = (page, png) => page.evaluate(async (data) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  return { n_colours: new Set(pixels).size, first: [...new Uint8Array(pixels.buffer, 0, 4)] };
}, png.toString("base64"));

export const ELEMENTS = ["g", "path", "rect", "svg", "text", "title"];
export const ATTRIBUTES = [
  "d", "fill", "font-family", "font-size", "font-weight", "height", "role", "rx", "stroke", "stroke-linecap", "stroke-linejoin",
  "stroke-opacity", "stroke-width", "transform", "viewBox", "width", "x", "xmlns", "y",
];
