// The agent itself as the server, for tests of what `mclive serve` does.
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./setup.mjs";

export const mclive = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug/mclive");
// A test that fails leaves its server behind, for which the whole suite would wait.
const children = new Set();

/** Builds it, which takes no time where the other tests have done so. */
export function build() {
  execFileSync("cargo", ["build", "-q", "-p", "mclive", "--features", "agent"], {
    cwd: root,
    env: { ...process.env, MCLIVE_EMBED: "fast" },
    stdio: "inherit",
  });
}

/** A server of the built site, on a free port or on this one. */
export function serve(port = 0, flags = []) {
  const args = ["serve", "--address", `127.0.0.1:${port}`, "--site", join(root, "www/dist"), ...flags];
  const child = spawn(mclive, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error("the server ended")));
    child.stdout.on("data", (data) => {
      const url = /http:\/\/\S+/.exec(String(data))?.[0];
      if (url) resolve({ url, port: Number(new URL(url).port), stop: () => stopped(child) });
    });
  });
}

export function stopped(child) {
  child.removeAllListeners("exit");
  return new Promise((resolve) => {
    child.on("exit", resolve);
    child.kill("SIGTERM");
  });
}

/** Ends what a failed test left. */
export function endAll() {
  for (const child of children) child.removeAllListeners("exit").kill("SIGKILL");
}
