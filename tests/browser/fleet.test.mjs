// Several hosts under one program.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const PROGRAM = `file "/srv/\${hostname}" {
	state => "exists",
	content => "hello from \${hostname}\\n",
	Meta:export => ["*"],
}
collect file "/srv/web1" {}
`;
const ELECTED = `import "world"

schedule "web" {
	strategy => "alpha",
	max => 2,
}
if \$hostname in world.schedule("web") {
	file "/srv/serving" {
		state => "exists",
		content => "\${hostname}\n",
	}
} else {
	file "/srv/serving" {
		state => "absent",
	}
}
file "/srv/\${hostname}" {
	state => "exists",
}
file "/srv/of-\${hostname}" {
	state => "exists",
	Meta:hidden => true,
	Meta:export => ["*"],
}
collect file "/srv/of-web3" {}
`;
const card = (page, host) => page.locator(".fleet .card").filter({ hasText: host });

async function start(page, n_hosts, program = PROGRAM) {
  await page.locator(".vertex").first().waitFor();
  await write(page, program);
  await page.locator(".vertex[data-name*='/srv/web1']").first().waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  for (let n = 2; n <= n_hosts; n++) {
    await page.getByRole("button", { name: "Add host", exact: true }).click();
    await card(page, `web${n}`).waitFor();
  }
}

const hasFile = (page, name) =>
  page.waitForFunction((name) => [...document.querySelectorAll(".tree .entry")].some((entry) => entry.title === `/srv/${name}`), name);

scene("a connection to the shared store with a latency shows what is on the way", async (page) => {
  await start(page, 2);
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await card(page, "web2").click();
  await page.locator(".fleet .card[aria-current]").filter({ hasText: "web2" }).waitFor();
  const name = "connection to the shared store";
  const latency = page.getByRole("textbox", { name: `${name}: latency (ms)`, exact: true });
  await latency.fill("never");
  await latency.press("Enter");
  await page.locator(".notice.bad").getByText("is not a latency").waitFor();
  await latency.fill("600000");
  await latency.press("Enter");
  await card(page, "web1").click();
  await page.locator(".fleet .card[aria-current]").filter({ hasText: "web1" }).waitFor();
  const field = page.getByRole("textbox", { name: "New value of all hosts", exact: true });
  await field.fill("motto");
  await field.press("Enter");
  const motto = page.getByRole("textbox", { name: "motto: value", exact: true });
  await motto.waitFor();
  await card(page, "web2").click();
  const row = page.locator(".world li").filter({ has: page.locator("strong").getByText(name, { exact: true }) });
  await row.getByText("1 change", { exact: true }).waitFor();
  assert.equal(await motto.count(), 0);
  assert.equal(await latency.inputValue(), "600000");
  await accessible(page, "a latency");
  // A host that is back reads the store.
  await page.getByRole("button", { name: "Disconnect", exact: true }).click();
  await row.getByText("disconnected", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Reconnect", exact: true }).click();
  await motto.waitFor();
  await row.getByText("connected", { exact: true }).waitFor();
});

scene("a field keeps the focus when another one appears beside it", async (page) => {
  const ticking = 'import "datetime"\nimport "fmt"\n\n$now = datetime.now()\nfile "/srv/${hostname}" {\n\tstate => "exists",\n}\nif $hostname == "web1" {\n\tkv "tick" {\n\t\tkey => "tick",\n\t\tvalue => fmt.printf("%d", $now),\n\t}\n}\n';
  await start(page, 2, ticking);
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await card(page, "web2").click();
  await page.locator(".fleet .card[aria-current]").filter({ hasText: "web2" }).waitFor();
  const name = "connection to the shared store";
  const latency = page.getByRole("textbox", { name: `${name}: latency (ms)`, exact: true });
  await latency.fill("600000");
  await latency.press("Enter");
  const row = page.locator(".world li").filter({ has: page.locator("strong").getByText(name, { exact: true }) });
  await row.getByText(/^\d+ changes?$/).waitFor();
  assert.ok(await latency.evaluate((field) => field === document.activeElement));
});

scene("five hosts share what one exports; one is paused, and hears of it when it comes back", async (page) => {
  await start(page, 5);
  assert.equal(await page.locator(".fleet .card").count(), 5);
  await card(page, "web4").click();
  await hasFile(page, "web1");
  await hasFile(page, "web4");
  await page.getByRole("button", { name: "Pause host" }).click();
  await card(page, "web4").getByText("Paused").waitFor();
  await card(page, "web5").click();
  await page.getByRole("button", { name: "Remove host" }).click();
  await card(page, "web5").waitFor({ state: "detached" });
  // Another program: the hosts that run take it, the paused one does not.
  await write(page, PROGRAM.replace("hello", "greetings"));
  await card(page, "web2").click();
  await page.locator(".tree .entry[title='/srv/web2']").click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value.startsWith("greetings from web2"));
  await card(page, "web4").click();
  await page.locator(".tree .entry[title='/srv/web4']").click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value.startsWith("hello from web4"));
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value.startsWith("greetings from web4"));
  // Back before the pause: five hosts again.
  await page.getByRole("slider", { name: "Moments" }).focus();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log li").filter({ hasText: "someone paused this host" }).locator("button.moment").click();
  await card(page, "web5").waitFor();
  await card(page, "web4").getByText("Paused").waitFor();
});

scene("five hosts elect two; one of these vanishes, and the next one takes its place", async (page) => {
  await start(page, 5, ELECTED);
  const serves = async (host) => {
    await card(page, host).click();
    await hasFile(page, "serving");
  };
  await serves("web1");
  await serves("web2");
  for (const host of ["web3", "web5"]) {
    await card(page, host).click();
    await hasFile(page, host);
    await hasFile(page, "of-web3");
    // It may have served before it knew of the others.
    await page.locator(".tree .entry[title='/srv/serving']").waitFor({ state: "detached" });
  }
  await card(page, "web1").click();
  await page.getByRole("button", { name: "Remove host" }).click();
  await card(page, "web1").waitFor({ state: "detached" });
  await serves("web3");
  await serves("web2");
  await card(page, "web4").click();
  await hasFile(page, "web4");
  await page.locator(".tree .entry[title='/srv/serving']").waitFor({ state: "detached" });
});

scene("20 hosts have room on a phone, and the card of the displayed one is in sight", async (page) => {
  await start(page, 20);
  assert.equal(await page.locator(".fleet .card").count(), 20);
  for (const host of ["web20", "web3"]) {
    // Without scrolling to it, as another part of the page chooses a host.
    await card(page, host).evaluate((card) => card.click());
    await page.locator(".fleet .card[aria-current]").filter({ hasText: host }).waitFor();
    await page.waitForFunction(() => {
      const [fleet, card] = [".fleet", ".fleet .card[aria-current]"].map((one) => document.querySelector(one).getBoundingClientRect());
      return card.left >= fleet.left && card.right <= fleet.right;
    });
  }
  const { height } = await page.locator(".track").boundingBox();
  assert.ok(height >= 2 * 20, `${height} px for the moments of 20 hosts`);
  for (const view of ["Resources", "Functions", "Host", "Log"]) {
    await page.getByRole("tab", { name: new RegExp(view) }).click();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${view}: ${wide} px too wide`);
    const box = await page.locator(".stage .view").first().boundingBox();
    assert.ok(box.height >= 140, `${view}: ${box.height} px are left`);
  }
}, { viewport: { width: 390, height: 844 } });

scene("a host with a long name has a card of usual size", async (page) => {
  const name = `web-${"long-".repeat(10)}name`;
  await page.locator(".vertex").first().waitFor();
  await write(page, `-- main.mcl --\n${PROGRAM}-- main.scenario --\nhost web1\nhost ${name}\nrun\nexpect no steps for 1s\n`);
  await page.getByRole("tab", { name: /Host/ }).click();
  await card(page, name).waitFor();
  const { width } = await card(page, name).boundingBox();
  assert.ok(width <= 260, `${width} px`);
  await accessible(page, "a long name");
}, { viewport: { width: 390, height: 844 } });

scene("on a phone, the bar of the host has two rows", async (page) => {
  await start(page, 2);
  for (const name of ["Pause host", "Disconnect", "Remove host", "Add host", "Files", "Save the host as PNG"]) {
    const { x, width } = await page.locator(".host-bar").getByRole("button", { name, exact: true }).boundingBox();
    assert.ok(x >= 0 && x + width <= 390, `${name} is out of sight`);
  }
  assert.ok((await page.getByRole("textbox", { name: "Host name" }).boundingBox()).width >= 72, "a short name fits");
  const { height } = await page.locator(".host-bar").boundingBox();
  assert.ok(height <= 100, `${height} px are more than two rows`);
}, { viewport: { width: 390, height: 844 } });

for (const width of [1440, 768, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    scene(`a fleet can be read and used: ${colorScheme}, ${width} px`, async (page) => {
      await start(page, 4);
      await accessible(page, "fleet");
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".fleet")).overflowX), "auto");
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/fleet-${width}-${colorScheme}.png` });
    }, { colorScheme, viewport: { width, height: width < 700 ? 844 : 900 } });
  }
}
