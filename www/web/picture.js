// A graph as a bitmap: its SVG, drawn by the browser.
import { saveBlob } from "./files.js";

/** Pixels of the bitmap for one of the drawing. */
const SCALE = 2;
/** Pixels that a bitmap has at most, and its longer side: browsers of phones draw no larger ones. */
const MOST = 16_000_000;
const LONGEST = 16_384;

/** Gives an SVG of this size as a PNG to keep. At which scale it was drawn; throws a sentence without its full stop. */
export async function savePicture(name, svg, width, height) {
  const scale = Math.min(SCALE, Math.sqrt(MOST / (width * height)), LONGEST / width, LONGEST / height);
  const image = new Image();
  // As data, which the site's policy allows for pictures: nothing is loaded from anywhere.
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  let blob = null;
  try {
    await image.decode();
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } catch {
    // Told below: a picture that is too large for this browser fails here or gives nothing.
  }
  if (!blob) throw "this browser cannot create an image of this size; save an SVG instead";
  saveBlob(name, blob);
  return scale;
}
