// A fleet from beginning to end: a host is paused, another one is elected in its place, it comes back; had it come back
// sooner, none would have been. `mclive test` finds the same of both.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { printed } from "./built.mjs";
import { open, scenes, write } from "./setup.mjs";

const house = scenes();
// The vote of a paused host ends after 10 seconds: before that, something happens twice.
const PROGRAM = `import "datetime"
import "math"
import "world"

schedule "web" {
	strategy => "alpha",
	max => 2,
}
if $hostname in world.schedule("web") {
	file "/srv/serving" {
		state => "exists",
		content => "\${hostname}\\n",
	}
} else {
	file "/srv/serving" {
		state => "absent",
	}
}
file "/srv/\${hostname}" {
	state => "exists",
}
if $hostname == "web5" {
	print "tick" {
		msg => if math.mod(datetime.now(), 8) < 4 { "tick" } else { "tock" },
	}
}
`;
const card = (page, host, isShown = false) => page.locator(`.fleet .card${isShown ? "[aria-current]" : ""}`).filter({ hasText: host });
const tab = (page, name) => page.getByRole("tab", { name }).click();
const track = (page) => page.getByRole("slider", { name: "Moments" });
const words = (page, text) => page.locator(".moment-words").filter({ hasText: text });
const now = async (page) => Number(await track(page).getAttribute("aria-valuenow"));

/** Goes to the moment beside by a key; returns which one that is. */
async function move(page, key) {
  const before = await now(page);
  await page.keyboard.press(key);
  await page.waitForFunction((before) => Number(document.querySelector(".track").getAttribute("aria-valuenow")) !== before, before);
  return now(page);
}

async function look(page, host) {
  await card(page, host).click();
  await card(page, host, true).waitFor();
}

/** Waits until a host serves, or does not. */
async function serves(page, host, isServing = true) {
  await tab(page, /Host/);
  await look(page, host);
  await page.waitForFunction(([host, isServing]) => {
    const titles = [...document.querySelectorAll(".tree .entry")].map((entry) => entry.title);
    return titles.includes(`/srv/${host}`) && titles.includes("/srv/serving") === isServing;
  }, [host, isServing]);
}

/** How often the third host started or stopped serving, according to its log. */
async function changes(page) {
  await look(page, "web3");
  await tab(page, /Log/);
  const lines = page.locator(".log li");
  await lines.filter({ hasText: "file[/srv/web3]" }).first().waitFor();
  return lines.filter({ hasText: "file[/srv/serving]" }).count();
}

/** Goes to what was done on the first host. */
async function goTo(page, text) {
  await page.locator(".log li").filter({ hasText: text }).locator("button.moment").click();
  await words(page, new RegExp(`\\d · .*${text}`)).waitFor();
}

async function goToTheEnd(page) {
  await track(page).focus();
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Latest", exact: true }).waitFor({ state: "detached" });
}

/** What was done so far, as a text archive with a scenario. */
async function saved(page) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a scenario" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  return text;
}

test("another host is elected while one is paused, and is not if that one comes back sooner", { timeout: 300_000 }, async () => {
  const { page, faults, close } = await open(house.browser, house.url);
  try {
    await page.locator(".vertex").first().waitFor();
    await write(page, PROGRAM);
    await page.locator(".vertex[data-name*='/srv/web1']").first().waitFor();
    await tab(page, /Host/);
    for (const host of ["web2", "web3", "web4", "web5"]) {
      await page.getByRole("button", { name: "Add host", exact: true }).click();
      await card(page, host).waitFor();
    }
    for (const [host, isServing] of [["web1", true], ["web2", true], ["web3", false]]) await serves(page, host, isServing);

    await page.getByRole("combobox", { name: "Speed" }).selectOption("5");
    await look(page, "web1");
    await page.getByRole("button", { name: "Pause host", exact: true }).click();
    await card(page, "web1").getByText("Paused").waitFor();
    await serves(page, "web3");
    await look(page, "web1");
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await card(page, "web1").getByText("Paused").waitFor({ state: "detached" });
    await serves(page, "web3", false);
    await serves(page, "web1");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const late = await saved(page);
    const before = await changes(page);
    assert.ok(before >= 2, `the third host changed ${before} times`);

    // Back in time: it comes back seconds after it was paused.
    await look(page, "web1");
    await tab(page, /Log/);
    await goTo(page, "someone paused this host");
    // The first moment after it may be of the same time; the second one is before its vote ends.
    await track(page).focus();
    await move(page, "ArrowRight");
    const wanted = await move(page, "ArrowRight");
    await goToTheEnd(page);
    await goTo(page, "someone resumed this host");
    await track(page).focus();
    await page.keyboard.press("Enter");
    await words(page, "Move this event with the arrow keys").waitFor();
    while (await now(page) > wanted) await move(page, "ArrowLeft");
    await words(page, /^\s*Press Enter to do this at/).waitFor();
    await page.keyboard.press("Enter");
    await words(page, /\d · .*someone resumed this host/).waitFor();
    await goToTheEnd(page);
    await serves(page, "web3", false);
    await serves(page, "web1");
    const after = await changes(page);
    assert.ok(after < before, `the third host changed ${after} times after all, and ${before} before`);
    const soon = await saved(page);

    for (const text of [late, soon]) {
      assert.match(text, /^on web1 pause$/m);
      assert.match(text, /^on web1 resume$/m);
    }
    assert.notEqual(late, soon);
    const folder = mkdtempSync(join(tmpdir(), "mclive-elected-"));
    try {
      writeFileSync(join(folder, "late.txtar"), late);
      writeFileSync(join(folder, "soon.txtar"), soon);
      assert.match(printed("mclive", "test", folder).toString(), /2 scenarios: all passed/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    await close();
  }
  // The page asks whether there is a store for short links; this server has none.
  assert.deepEqual(faults.filter((fault) => !/status of 404/.test(fault)), []);
});
