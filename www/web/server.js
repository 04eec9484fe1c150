// The server that this page comes from, if it is one that stores programs. Nothing is sent before somebody asks for it.

/** The time limit for a server's list of its versions. Units: milliseconds. */
const PATIENCE_MS = 4_000;

/** The time limit for anything else, since a connection may stay silent indefinitely. Units: seconds. */
const LIMIT_S = 60;
const SILENT = `the server of this page did not answer within ${LIMIT_S} seconds`;

/** Where the site begins: this script lies there, whichever page runs it. */
export const root = new URL("./", import.meta.url);

/** Whether the page is in a frame of another site. */
export const embedded = () => document.documentElement.dataset.embed !== undefined;

/** Whether the page around this frame makes the program read-only. */
export const readOnly = () => embedded() && new URLSearchParams(location.hash.slice(1)).has("readonly");

/** Whether the server stores programs under short links. A host that only serves files does not; null if there is no answer in time. */
export async function serverShares() {
  try {
    return (await asked("api/v1/")).shares === true;
  } catch (error) {
    return error === SILENT ? null : false;
  }
}

/** The course of lessons at this address, as an object; throws a sentence without its full stop. */
export const loadCourse = (address) => asked(address);

/** The version below whose folder the page lies, if it lies beside a newer one. */
export const olderVersion = () => /\/v\/([^/]+)\/$/.exec(root.pathname)?.[1];

/** Where the server has the page of a version, or its page for frames; null without it. */
export async function siteOfVersion(version) {
  // Without an answer, the link is opened here.
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { versions } = await asked("api/v1/", { signal }).catch(() => ({}));
  if (!versions?.includes(version)) return null;
  const site = new URL(`v/${encodeURIComponent(version)}/`, root);
  if (!embedded()) return site.href;
  // The site of an older version may have no page for frames.
  const frame = new URL("embed/", site);
  const answer = await fetch(frame, { method: "HEAD", signal }).catch(() => null);
  return answer?.ok ? frame.href : null;
}

/** Stores a program in JSON, and returns its short link; throws a sentence without its full stop. */
export async function storeProgram(body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await asked("api/v1/programs", { method: "POST", headers, body });
  return answer.url;
}

/** A stored program, as an object; throws a sentence without its full stop. */
export function loadProgram(id) {
  return asked(`api/v1/programs/${encodeURIComponent(id)}`);
}

/** The object that the server answers with; throws a sentence without its full stop. */
async function asked(path, { signal = AbortSignal.timeout(LIMIT_S * 1_000), ...options } = {}) {
  let answer;
  try {
    answer = await fetch(new URL(path, root), { ...options, signal });
  } catch {
    throw signal.aborted ? SILENT : "the server of this page is not responding";
  }
  const said = await answer.json().catch(() => {
    // The answer may begin in time, and never end.
    if (signal.aborted) throw SILENT;
    return {};
  });
  if (!answer.ok) throw said.error ?? `the server returned ${answer.status}`;
  return said;
}

/** Opens an address in a separate tab, which cannot access this page. */
export function openTab(address) {
  open(address, "_blank", "noopener");
}
