// Deflating and inflating of what share links hold. The envelope around it is the Rust part's.

/** Text to raw deflated bytes. */
export async function deflateText(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The text of raw deflated bytes, of at most so many bytes; throws "damaged", "too much" or "no text". */
export async function inflateText(deflated, most) {
  const reader = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw "damaged";
    }
    if (part.done) break;
    size += part.value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw "too much";
    }
    chunks.push(part.value);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await new Blob(chunks).arrayBuffer());
  } catch {
    throw "no text";
  }
}

/** Puts text on the clipboard; rejects with a text where the browser forbids it. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    // Without https there is no clipboard, but selected text can be copied.
    if (!copyMarked(text)) throw String(error);
  }
  return "";
}

function copyMarked(text) {
  const field = document.createElement("textarea");
  const before = document.activeElement;
  field.value = text;
  field.className = "sr";
  // Text outside of an open dialog cannot be selected.
  (before?.closest("dialog") ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    before?.focus?.();
  }
}
