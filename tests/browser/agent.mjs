// The agent itself as the server, for tests of what `mclive serve` does.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { built, root } from "./built.mjs";

export const mclive = built("mclive");
// A test that fails leaves its server behind, for which the whole suite would wait.
const children = new Set();

/** A server of the built site, on a free port. */
export function serve(flags = []) {
  const args = ["serve", "--address", "127.0.0.1:0", "--site", join(root, "www/dist"), ...flags];
  const child = spawn(mclive, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error("the server ended")));
    child.stdout.on("data", (data) => {
      const url = /http:\/\/\S+/.exec(String(data))?.[0];
      if (url) resolve({ url, stop: () => stopped(child) });
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

/** A third-party site with one page of this HTML. */
export function elsewhere(html) {
  const page = `<!doctype html><title>x</title>${html}`;
  const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(page));
  return new Promise((resolve) => {
    site.listen(0, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${site.address().port}/`, close: () => site.close() }));
  });
}
