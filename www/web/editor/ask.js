// Questions to the compiler in its worker. Offsets are UTF-16 units of the editor's text.

/**
 * How long an answer is of use to whoever waits for it. The compiler may be busy with a check, or not be there yet. The page
 * has the same limit for what it has not yet sent (`page/app.rs`). Units: milliseconds.
 */
const PATIENCE_MS = 10_000;

/** The answer when the compiler was lost over a question, as the page gives it (`page/app.rs`). */
export const LOST = "lost";

let ask = async () => null;

/** Says who answers: `answer(text, query)` promises an object, null, `LOST`, or undefined when it is too late. */
export function connect(answer) {
  ask = answer;
}

/** The file that the editor holds. */
export let FILE = "/main.mcl";

/** Says which file the editor holds, by its path below the program's directory. */
export function setFile(name) {
  FILE = `/${name}`;
}

/** The answer to a question about a state's text; null if there is none, undefined if it takes too long, and `LOST`. */
export async function asked(state, service) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  try {
    return await Promise.race([ask(state.doc.toString(), { file: FILE, units: "utf16", ...service }), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same for callers that report nothing: null also if the compiler was lost. */
export async function question(state, service) {
  const answer = await asked(state, service);
  return answer === LOST ? null : answer;
}

/** The same for a view; null too when the text has changed in the meantime. */
export async function current(view, service) {
  const { doc } = view.state;
  const answer = await question(view.state, service);
  return view.state.doc.eq(doc) ? answer : null;
}
