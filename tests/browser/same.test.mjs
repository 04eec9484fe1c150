// The compiler in a browser gives byte for byte what it gives natively: both graphs and the diagnostics of every
// program of the corpus. (The component in the agent: `host-agent/src/embed/same.rs`.) MCLIVE_CORPUS names
// further folders.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "node:test";
import { printed } from "./built.mjs";
import { launch } from "./setup.mjs";

const ORIGIN = "http://face.test/";

test("every program gives the same JSON in a browser as natively", { timeout: 1_200_000 }, async () => {
  const others = (process.env.MCLIVE_CORPUS ?? "").split(delimiter).filter(Boolean);
  const lines = printed("graphs", "tests/corpus", ...others).toString();
  const programs = lines.trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(programs.length > 50, `${programs.length} programs`);
  const face = mkdtempSync(join(tmpdir(), "mclive-face-"));
  const browser = await launch();
  try {
    printed("mclive-www", "face", face);
    const page = await browser.newPage();
    await page.route(`${ORIGIN}**`, (route) => {
      const { pathname } = new URL(route.request().url());
      return pathname === "/"
        ? route.fulfill({ contentType: "text/html", body: "<!doctype html><title>face</title>" })
        : route.fulfill({ path: join(face, pathname) });
    });
    await page.goto(ORIGIN);
    await page.evaluate(async () => {
      const compiler = await import("/face.js");
      await compiler.default({ module_or_path: fetch("/face_bg.wasm") });
      globalThis.compiler = compiler;
    });
    const differ = [];
    for (const { name, hostname, files, ...expected } of programs) {
      const said = await page.evaluate(({ hostname, files }) => ({
        functions: compiler.functionGraphJson(files, "/", hostname) ?? null,
        resources: compiler.resourceGraphJson(files, "/", hostname) ?? null,
        diagnostics: compiler.diagnosticsJson(files, "/", hostname),
      }), { hostname, files });
      for (const what of Object.keys(expected)) {
        if (said[what] !== expected[what]) differ.push(`${name}: ${what}`);
      }
    }
    assert.deepEqual(differ, []);
    console.log(`${programs.length} programs`);
  } finally {
    await browser.close();
    rmSync(face, { recursive: true });
  }
});
