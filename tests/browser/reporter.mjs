// The runner's report of each test as a line of JSON, for the gate, which reports the failures of all suites together.
import { relative } from "node:path";

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A file is a test as well, which fails with those in it.
    const error = data.details.error;
    if (error?.code === "ERR_TEST_FAILURE" && error.failureType === "subtestsFailed") continue;
    if (data.details.type === "suite" || (data.name?.endsWith(".test.mjs") && type === "test:pass")) continue;
    const cause = error?.cause ?? error;
    const why = error && [error.failureType, cause?.stack ?? String(cause)].filter(Boolean).join(": ");
    const file = data.file ? relative(import.meta.dirname, data.file) : "";
    yield `${JSON.stringify({ name: data.name, file, passed: type === "test:pass", ms: Math.round(data.details.duration_ms), why })}\n`;
  }
}
