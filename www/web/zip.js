// Zip archives, read and written with the browser's own streams. What the names may be is the Rust part's to say.
import { saveBlob } from "./files.js";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const [STORED, DEFLATED] = [0, 8];
/** Names are UTF-8. */
const UTF8 = 1 << 11;
const damaged = "this zip archive is damaged";

/**
 * The files of an archive: [path, bytes] each, of at most `most` files and `largest` bytes together, which are counted while they are
 * unpacked. Throws a sentence without its full stop.
 */
export async function readZip(bytes, most, largest) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return await unpacked(bytes, data, most, largest);
  } catch (why) {
    throw typeof why === "string" ? why : damaged;
  }
}

async function unpacked(bytes, data, most, largest) {
  const end = endOf(data);
  const count = data.getUint16(end + 10, true);
  if (count > most * 2) throw `this zip archive has ${count} entries; a program can have at most ${most} files`;
  let at = data.getUint32(end + 16, true);
  let room = largest;
  const files = [];
  for (let entry = 0; entry < count; entry += 1) {
    if (data.getUint32(at, true) !== ENTRY) throw damaged;
    const [flags, method] = [data.getUint16(at + 8, true), data.getUint16(at + 10, true)];
    const [packed, size] = [data.getUint32(at + 20, true), data.getUint32(at + 24, true)];
    const [named, extra, comment] = [28, 30, 32].map((field) => data.getUint16(at + field, true));
    const local = data.getUint32(at + 42, true);
    const name = new TextDecoder("utf-8", { fatal: true }).decode(part(bytes, at + 46, named));
    const sum = data.getUint32(at + 16, true);
    at += 46 + named + extra + comment;
    if (name.endsWith("/") || isLitter(name)) continue;
    if (flags & 1) throw `${JSON.stringify(name)} is encrypted`;
    if (size > room) throw `this zip archive unpacks to more than ${largest >> 10} KiB`;
    if (data.getUint32(local, true) !== LOCAL) throw damaged;
    const start = local + 30 + data.getUint16(local + 26, true) + data.getUint16(local + 28, true);
    const content = await inflated(part(bytes, start, packed), method, room, largest);
    if (content.length !== size || crc32(content) !== sum) throw damaged;
    room -= size;
    files.push([name, content]);
    if (files.length > most) throw `this zip archive has more than ${most} files`;
  }
  return files;
}

/** What systems and version control put beside a program. */
const isLitter = (name) => name.startsWith("__MACOSX/") || name.split("/").some((folder) => folder === ".git" || folder === ".DS_Store");

function part(bytes, from, length) {
  if (from + length > bytes.length) throw damaged;
  return bytes.subarray(from, from + length);
}

/** Where the last record is: a comment of any length may stand behind it. */
function endOf(data) {
  for (let at = data.byteLength - 22; at >= 0 && at >= data.byteLength - 22 - 0xffff; at -= 1) {
    if (data.getUint32(at, true) === END) return at;
  }
  throw damaged;
}

async function inflated(bytes, method, room, largest) {
  if (method === STORED) return bytes;
  if (method !== DEFLATED) throw "this zip archive uses an unsupported compression method";
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    // The sizes in the archive are only claims.
    if (size > room) {
      reader.cancel().catch(() => {});
      throw `this zip archive unpacks to more than ${largest >> 10} KiB`;
    }
    chunks.push(value);
  }
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Gives files as a zip archive to keep: [path, bytes] each. The same files are the same bytes. */
export function saveZip(name, files) {
  saveBlob(name, new Blob(zipOf(files), { type: "application/zip" }));
}

/** The parts of an archive, one after the other; nothing in it is compressed. */
export function zipOf(files) {
  const [parts, entries] = [[], []];
  let at = 0;
  for (const [path, content] of files) {
    const named = new TextEncoder().encode(path);
    // 2.0, flags, method, no time, 1980-01-01, checksum, both sizes, the name's length, nothing extra.
    const shared = fields([2, 20], [2, UTF8], [2, STORED], [2, 0], [2, 0x21], [4, crc32(content)], [4, content.length], [4, content.length], [2, named.length], [2, 0]);
    parts.push(fields([4, LOCAL]), shared, named, content);
    entries.push(fields([4, ENTRY], [2, 20]), shared, fields([2, 0], [2, 0], [2, 0], [4, 0], [4, at]), named);
    at += 30 + named.length + content.length;
  }
  const size = entries.reduce((sum, entry) => sum + entry.length, 0);
  const end = fields([4, END], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]);
  return [...parts, ...entries, end];
}

/** Numbers in a row, little-endian: [bytes, value] each. */
function fields(...all) {
  return Uint8Array.from(all.flatMap(([width, value]) => Array.from({ length: width }, (_, byte) => (value >>> (8 * byte)) & 0xff)));
}
