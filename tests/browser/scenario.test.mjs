// A scenario in the page: its moments on the line of time, and what was done in the page saved as one.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { printed } from "./built.mjs";
import { accessible, open, reads, says, scenes, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;

const PROGRAM = `file "/etc/motd" {
	state => "exists",
	content => "welcome\\n",
}
`;
const archive = (program, wanted) => `-- main.mcl --
${program}-- main.scenario --
run
write /etc/motd "somebody's"
expect file /etc/motd holds "${wanted}" within 10s
remove /etc/motd
expect file /etc/motd holds "${wanted}" within 10s
`;
const track = (page) => page.getByRole("slider", { name: "Moments" });
const words = (page) => page.locator(".moment-words");
const notice = (page, text) => page.locator(".notice").filter({ hasText: text });

/** What a key does to a button that has the focus. */
async function press(button) {
  await button.focus();
  await button.press("Enter");
}

/** Saves what was done up to the moment that is shown: the text of the file. */
async function saved(page) {
  const download = page.waitForEvent("download");
  await press(page.getByRole("button", { name: "Save as a scenario" }));
  return readFileSync(await (await download).path(), "utf8");
}

/** Opens a text archive by pasting it. */
async function paste(page, text) {
  await page.locator(".vertex").first().waitFor();
  await write(page, text);
  await page.locator(".vertex[data-name*='/etc/motd']").first().waitFor();
}

scene("a scenario that fails shows where on the timeline, and passes when its program is fixed", async (page) => {
  await paste(page, archive(PROGRAM.replace("welcome", "hello"), "welcome\\n"));
  await notice(page, /main\.scenario failed at line 3: expect file \/etc\/motd/).waitFor();
  // It is the last moment and shown as bad, and keys lead to the moments before it.
  await page.locator(".track rect.moment.bad").first().waitFor();
  await track(page).focus();
  await page.keyboard.press("End");
  await words(page).getByText(/expect file/).waitFor();
  await page.keyboard.press("Home");
  for (let n = 0; n < 40 && !/write \/etc\/motd "somebody's"/.test(await words(page).innerText()); n++) {
    const before = await track(page).getAttribute("aria-valuenow");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((before) => document.querySelector(".track").getAttribute("aria-valuenow") !== before, before);
  }
  assert.match(await words(page).innerText(), /write \/etc\/motd "somebody's"/);
  // The program is fixed in the editor: the scenario is played again.
  await write(page, PROGRAM);
  await says(page, "main.scenario passed");
});

test("the user's actions are saved as a scenario, which the link opens and which passes in `mclive test`", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await open(house.browser, house.url);
  await page.locator(".vertex").first().waitFor();
  await write(page, PROGRAM);
  await page.locator(".vertex.good[data-name*='/etc/motd']").waitFor();
  // With the keyboard only: the file is changed, a host is added, and another one is paused.
  await press(page.getByRole("tab", { name: /Host/ }));
  await press(page.locator(".tree").getByRole("button", { name: "motd" }));
  await page.locator(".file textarea").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("somebody's\n");
  await press(page.getByRole("button", { name: "Save file", exact: true }));
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "welcome\n");
  await press(page.getByRole("button", { name: "Add host", exact: true }));
  const second = page.locator(".fleet .card").filter({ hasText: "web2" });
  await second.waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await press(second);
  await press(page.getByRole("button", { name: "Pause host" }));
  await second.getByText("Paused").waitFor();
  const text = await saved(page);
  assert.match(text, /^(on web1 )?write \/etc\/motd "somebody's\\n"$/m);
  assert.match(text, /^host web2$/m);
  assert.match(text, /^on web2 pause$/m);
  const link = await page.getByRole("dialog", { name: "Share" }).getByRole("textbox", { name: "long link" }).inputValue();
  await page.keyboard.press("Escape");
  // Up to an earlier moment, it is what was done until then.
  await track(page).focus();
  for (let n = 0; n < 60 && !/someone wrote \/etc\/motd/.test(await words(page).innerText()); n++) {
    const before = await track(page).getAttribute("aria-valuenow");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((before) => document.querySelector(".track").getAttribute("aria-valuenow") !== before, before);
  }
  const earlier = await saved(page);
  assert.match(earlier, /^(on web1 )?write \/etc\/motd/m);
  assert.doesNotMatch(earlier, /web2/);
  const folder = mkdtempSync(join(tmpdir(), "mclive-scenario-"));
  try {
    writeFileSync(join(folder, "saved.txtar"), text);
    writeFileSync(join(folder, "earlier.txtar"), earlier);
    const said = printed("mclive", "test", folder).toString();
    assert.match(said, /2 scenarios: all passed/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // Somebody else opens the link: the same program, the same moments.
  const other = await open(house.browser, link);
  await says(other.page, "passed");
  await other.page.getByRole("tab", { name: "program-2/main.mcl" }).click();
  await reads(other.page, (text) => /welcome/.test(text));
  await track(other.page).focus();
  await other.page.keyboard.press("End");
  await other.page.locator(".fleet .card").filter({ hasText: "web2" }).waitFor({ state: "attached" });
  await other.close();
  await close();
  // The page asks whether there is a store for short links; this server has none.
  assert.deepEqual([...faults, ...other.faults].filter((fault) => !/status of 404/.test(fault)), []);
});

test("a link to a program with a scenario carries both, and a reload keeps them", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await open(house.browser, house.url);
  await paste(page, archive(PROGRAM, "welcome\\n"));
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.getByText("Contains the whole program with its scenario").waitFor();
  const link = await dialog.getByRole("textbox", { name: "long link" }).inputValue();
  await close();
  const other = await open(house.browser, link);
  await says(other.page, "main.scenario passed");
  await reads(other.page, (text) => /welcome/.test(text) && !/remove/.test(text));
  // From here on it is the tab's own program, which the address does not hold.
  await write(other.page, PROGRAM.replace("welcome", "hello"));
  await notice(other.page, /main\.scenario failed at line 3/).waitFor();
  await other.page.waitForFunction(() => location.hash === "");
  await other.page.reload();
  await notice(other.page, /main\.scenario failed at line 3/).waitFor();
  await other.close();
  // The page asks whether there is a store for short links; this server has none.
  assert.deepEqual([...faults, ...other.faults].filter((fault) => !/status of 404/.test(fault)), []);
});

test("a link displays the scenario that was displayed, also beside another one in a tab", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await open(house.browser, house.url);
  await paste(page, archive(PROGRAM, "welcome\\n"));
  await notice(page, /main\.scenario passed/).waitFor();
  await page.getByRole("button", { name: "Add a file", exact: true }).click();
  await page.getByLabel("Name of the file").fill("a.scenario");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "a.scenario", selected: true }).waitFor();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const link = await page.getByRole("dialog", { name: "Share" }).getByRole("textbox", { name: "long link" }).inputValue();
  await close();
  const other = await open(house.browser, link);
  await notice(other.page, /main\.scenario passed/).waitFor();
  await other.page.getByRole("tab", { name: "a.scenario" }).waitFor();
  assert.equal(await other.page.getByRole("tab", { name: "main.scenario" }).count(), 0, "it is on the timeline");
  await other.close();
  // The page asks whether there is a store for short links; this server has none.
  assert.deepEqual([...faults, ...other.faults].filter((fault) => !/status of 404/.test(fault)), []);
});

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    scene(`a failing scenario can be read and used: ${colorScheme}, ${width} px`, async (page) => {
      await paste(page, archive(PROGRAM, "farewell\\n"));
      await notice(page, /failed at line 3/).waitFor();
      await page.locator(".track rect.moment.bad").first().waitFor();
      await accessible(page, "a failing scenario");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      const box = await notice(page, /failed at line 3/).boundingBox();
      assert.ok(box.width <= width && box.x >= 0, JSON.stringify(box));
      // It hides nothing of the line that it is about.
      assert.ok(box.y + box.height <= (await track(page).boundingBox()).y);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/scenario-${width}-${colorScheme}.png` });
    }, { colorScheme, viewport: { width, height: width < 700 ? 844 : 800 } });
  }
}
