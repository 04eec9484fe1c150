// The programs of the workspace that tests of the page call.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

// With the features of the gate (`tests/gate/src/stage.rs`), so that nothing is built twice.
const BUILD = [
  "build", "--quiet", "--workspace", "--lib", "--bins", "--tests", "--features",
  "mclive/agent,mclive-playground/worker",
];
let folder = process.env.MCLIVE_BUILT;

/** A program's path. The gate has built all of them; without it they are built here. */
export function built(name) {
  if (!folder) {
    execFileSync("cargo", BUILD, { cwd: root, env: { MCLIVE_EMBED: "fast", ...process.env }, stdio: "inherit" });
    folder = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug");
  }
  return join(folder, name);
}

/** What a program of the workspace prints. */
export const printed = (name, ...args) => execFileSync(built(name), args, { cwd: root, maxBuffer: 1 << 30 });
