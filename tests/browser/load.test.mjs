// The bench of the server (`make load`) runs to its end. What it measures is of no interest here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { mclive } from "./agent.mjs";
import { built, root } from "./built.mjs";

test("the bench of the server measures each kind of request and judges each goal", { timeout: 300_000 }, () => {
  const few = ["--programs", "200", "--seconds", "1", "--connections", "2"];
  const told = execFileSync(built("load"), [mclive, join(root, "www/dist"), ...few], { encoding: "utf8", timeout: 280_000 });
  for (const row of [
    "index.html, 0 programs stored",
    "/s/ID, 20 programs",
    "/s/ID, 200 programs",
    "/api/v1/programs/ID, 200 programs",
    "a new program",
    "check",
  ]) {
    const line = told.split("\n").find((line) => line.startsWith(`${row}  `)) ?? "";
    const numbers = line.slice(row.length).trim().split(/\s+/).map(Number);
    assert.ok(numbers.length === 4 && numbers.every(Number.isFinite), `${row}: ${line}\n${told}`);
  }
  const goals = told.slice(told.indexOf("\ngoals:")).match(/^ {2}(met|MISSED|unknown) /gm);
  assert.equal(goals?.length, 4, told);
});
