// Questions to the compiler in its worker. Offsets are UTF-16 units of the editor's text.

let ask = async () => null;

/** Says who answers: `answer(text, query)` promises an object, or null. */
export function connect(answer) {
  ask = answer;
}

/** The file that the editor holds. */
export let FILE = "/main.mcl";

/** Says which file the editor holds, by its path below the program's directory. */
export function setFile(name) {
  FILE = `/${name}`;
}

/** The answer to a question about a state's text, or null when there is none. */
export async function question(state, service) {
  return ask(state.doc.toString(), { file: FILE, units: "utf16", ...service });
}

/** The same for a view; null too when the text has changed in the meantime. */
export async function current(view, service) {
  const { doc } = view.state;
  const answer = await question(view.state, service);
  return view.state.doc.eq(doc) ? answer : null;
}
