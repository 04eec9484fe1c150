// Share links: raw deflate and base64url, with limits on both sides of the inflating, since a link
// comes from anyone. The version byte and the text's shape are the Rust part's.

const MAX_COMPRESSED = 64 * 1024;
const MAX_INFLATED = 1024 * 1024;

/** Text to base64url of one version byte and the deflated bytes. */
export async function packLink(version, text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const body = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = String.fromCharCode(version);
  for (const byte of body) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The version byte of a link, or -1 when it is no base64url at all. */
export function linkVersion(packed) {
  return /^[A-Za-z0-9_-]{2,}$/.test(packed) ? atob(packed.slice(0, 2).replace(/-/g, "+").replace(/_/g, "/")).charCodeAt(0) : -1;
}

/** The text of a link; throws a sentence that says what is wrong with it. */
export async function unpackLink(packed) {
  if (packed.length > MAX_COMPRESSED * 4 / 3) throw "this link is too long to be one of ours";
  let bytes;
  try {
    const binary = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
    bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0)).subarray(1);
  } catch {
    throw "this link is damaged: it holds characters that no link has";
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw "this link is cut off or damaged";
    }
    if (part.done) break;
    size += part.value.length;
    if (size > MAX_INFLATED) {
      reader.cancel().catch(() => {});
      throw "this link unfolds to more than a megabyte and was not opened";
    }
    chunks.push(part.value);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await new Blob(chunks).arrayBuffer());
  } catch {
    throw "this link is damaged: it does not hold text";
  }
}

/** Puts text on the clipboard; rejects where the browser forbids it. */
export async function copyText(text) {
  await navigator.clipboard.writeText(text);
  return "";
}
