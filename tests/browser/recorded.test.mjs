// A run that was recorded elsewhere opens in the page: chosen, or dropped on it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { printed } from "./built.mjs";
import { accessible, reads, scenes, textOf, write } from "./setup.mjs";

const { scene } = scenes();
const PROGRAM = 'file "/srv/recorded" {\n\tstate => $const.res.file.state.exists,\n\tcontent => "kept\\n",\n}\n';
const dir = mkdtempSync(join(tmpdir(), "mclive-"));
const program = join(dir, "main.mcl");
let trace;

before(() => {
  writeFileSync(program, PROGRAM);
  trace = printed("record", program, "30");
});
after(() => rmSync(dir, { recursive: true }));

async function choose(page, name, buffer) {
  await page.locator("[aria-controls='examples']").click();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: /^Files…/ }).click()]);
  await chooser.setFiles({ name, mimeType: "application/octet-stream", buffer });
}

const banner = (page) => page.locator(".recorded").filter({ hasText: "Recorded run of recorded1" });

scene("a recorded run that is chosen plays, with its program", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await choose(page, "run.trace", trace);
  await banner(page).waitFor();
  await page.locator(".vertex.good[data-name*='/srv/recorded']").waitFor();
  assert.equal((await textOf(page)).trimEnd(), PROGRAM.trimEnd());
  await accessible(page, "a recorded run");
  await page.getByRole("button", { name: "Step to the next event" }).click();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByText("No files to show").waitFor();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "/srv/recorded" }).first().waitFor();
  await page.getByRole("button", { name: "Run it here" }).click();
  await banner(page).waitFor({ state: "detached" });
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "recorded", exact: true }).waitFor();
});

scene("an edit leaves the recorded run", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await choose(page, "run.trace", trace);
  await banner(page).waitFor();
  await write(page, PROGRAM.replaceAll("recorded", "live"));
  await page.locator(".vertex.good[data-name*='/srv/live']").waitFor();
  await banner(page).waitFor({ state: "detached" });
});

scene("a recorded run leaves the work of the tab as it is, one click away", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "my own work" {}\n');
  const isKept = () => page.evaluate(() => [sessionStorage, localStorage].every((storage) => storage["mclive.text"]?.includes("my own work")));
  await page.waitForFunction(() => localStorage["mclive.text"]?.includes("my own work"));
  await choose(page, "run.trace", trace);
  await banner(page).waitFor();
  await page.locator(".vertex.good[data-name*='/srv/recorded']").waitFor();
  assert.ok(await isKept(), "the program of the run is stored in place of the work");
  await page.getByRole("button", { name: "Previous program", exact: true }).click();
  await reads(page, (text) => /my own work/.test(text));
  await banner(page).waitFor({ state: "detached" });
  await page.locator(".vertex.good[data-name*='my own work']").waitFor();
});

scene("a file that is dropped opens: a run, a program, or a clear error", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const drop = (bytes) => page.locator(".cm-content").evaluate((element, bytes) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(bytes)], "dropped"));
    for (const type of ["dragover", "drop"]) {
      element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, composed: true }));
    }
  }, [...bytes]);
  await drop(trace);
  await banner(page).waitFor();
  await drop(Buffer.from('print "dropped" {}\n'));
  await page.locator(".vertex[data-name*='print[dropped]']").waitFor();
  await banner(page).waitFor({ state: "detached" });
  await drop(Buffer.from([0xff, 0x00, 0xfe]));
  await page.locator(".notice.bad").filter({ hasText: "neither a program nor a recorded run" }).waitFor();
  await drop(Buffer.from('{"mclive-trace":99,"mclive":"9.0","hostname":"h"}\n'));
  await page.locator(".notice.bad").filter({ hasText: /version 99/ }).waitFor();
  assert.match(await textOf(page), /print "dropped"/);
});
