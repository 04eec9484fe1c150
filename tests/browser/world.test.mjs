// Everything that a host has, to be seen and changed by hand.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";
import { start } from "./world.mjs";

const { scene } = scenes();

scene("manual changes are repaired, and manual faults cause failures", async (page) => {
  await start(page);
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  const shell = page.getByRole("textbox", { name: "bob: shell", exact: true });
  assert.equal(await shell.inputValue(), "/bin/zsh");
  await shell.fill("/bin/false");
  await shell.press("Enter");
  await page.locator(".moment-words").getByText(/converged/).waitFor();
  await page.waitForFunction(() => document.querySelector(".world input[aria-label='bob: shell']")?.value === "/bin/zsh");
  await page.getByRole("button", { name: "fill up: /" }).click();
  await page.getByText("full", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Files", exact: true }).click();
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.getByRole("button", { name: "delete it" }).click();
  await page.locator(".transport .status.bad").waitFor();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await page.getByRole("button", { name: "free space: /" }).click();
  await page.getByText("has space", { exact: true }).waitFor();
});

scene("a repaired resource is briefly shown as broken", async (page) => {
  await write(page, 'file "/srv/kept" {\n\tstate => "exists",\n\tcontent => "as it was\\n",\n}\n');
  const box = page.locator(".vertex.good[data-name*='/srv/kept']");
  await box.waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await box.click();
  await box.evaluate((box) => {
    globalThis.looks = [];
    new MutationObserver(() => globalThis.looks.push(...["bad", "good"].filter((look) => box.classList.contains(look))))
      .observe(box, { attributeFilter: ["class"] });
  });
  await page.getByRole("button", { name: "delete it" }).click();
  await page.waitForFunction(() => globalThis.looks.lastIndexOf("good") > globalThis.looks.indexOf("bad") && globalThis.looks.includes("bad"));
});

scene("a file and a directory are made by hand, and what exists is shown", async (page) => {
  await start(page);
  const path = page.getByRole("textbox", { name: "New file", exact: true });
  await path.fill("etc/mine");
  await path.press("Enter");
  await page.locator(".notice.bad").getByText("must begin with").waitFor();
  await path.fill("/etc/mine");
  await path.press("Enter");
  await page.getByRole("textbox", { name: "Content of /etc/mine", exact: true }).fill("by hand\n");
  await page.getByRole("button", { name: "Save file", exact: true }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "by hand\n");
  await path.fill("/srv/dir/");
  await path.press("Enter");
  await page.locator(".tree").getByRole("button", { name: "dir", exact: true }).waitFor();
  await path.fill("/etc/mine");
  await path.press("Enter");
  assert.equal(await page.getByRole("textbox", { name: "Content of /etc/mine", exact: true }).inputValue(), "by hand\n");
});

for (const width of [1440, 768, 390]) {
  scene(`things are added by hand, and what is impossible is told in words, ${width} px`, async (page) => {
    await page.locator(".transport").waitFor();
    await page.getByRole("tab", { name: /Host/ }).click();
    await page.getByRole("button", { name: "Everything else", exact: true }).click();
    const field = (what) => page.getByRole("textbox", { name: `New ${what}`, exact: true });
    const button = (what) => page.getByRole("button", { name: `Add ${what}`, exact: true });
    const isEmptied = (what) => page.waitForFunction((what) => document.querySelector(`.add input[aria-label='New ${what}']`)?.value === "", what);
    await field("user").waitFor();
    assert.ok(await button("user").isDisabled(), "there is no name");
    await field("user").fill("Carol");
    await field("user").press("Enter");
    await page.locator(".notice.bad").getByText("is not a valid account name").waitFor();
    assert.equal(await field("user").inputValue(), "Carol", "it can be corrected");
    await field("user").fill("carol");
    await field("user").press("Enter");
    assert.equal(await page.getByRole("textbox", { name: "carol: home", exact: true }).inputValue(), "/home/carol");
    await isEmptied("user");
    await field("user").fill("carol");
    await button("user").click();
    await page.locator(".notice.bad").getByText("user carol already exists").waitFor();
    const isFocused = (what) => page.waitForFunction((what) => document.activeElement?.getAttribute("aria-label") === `New ${what}`, what);
    await isFocused("user");
    await field("package").fill("emacs");
    await button("package").click();
    await page.locator(".notice.bad").getByText("cannot find package `emacs`").waitFor();
    await field("package").fill("nginx");
    await button("package").click();
    await page.getByRole("button", { name: "uninstall: libpcre2", exact: true }).waitFor();
    await isEmptied("package");
    await isFocused("package");
    await page.getByRole("button", { name: "start: nginx.service", exact: true }).waitFor();
    await field("value of all hosts").fill("motto");
    await field("value of all hosts").press("Enter");
    await page.getByRole("textbox", { name: "motto: value", exact: true }).waitFor();
    await field("network interface").fill("eth1");
    await field("network interface").press("Enter");
    await page.getByRole("textbox", { name: "eth1: addresses", exact: true }).waitFor();
    await page.locator(".world").evaluate((world) => world.scrollTo(0, 0));
    await accessible(page, "everything else");
    const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth, document.querySelector(".world").scrollWidth - document.querySelector(".world").clientWidth));
    assert.ok(wide <= 0, `${wide} px too wide`);
  }, { viewport: { width, height: width < 700 ? 844 : 900 } });
}

scene("machines get leases and files from the servers of a host, and the votes of pools are shown", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, [
    'dhcp:server ":67" {\n\tinterface => "eth0",\n}',
    'dhcp:range "r" {\n\tfrom => "192.0.2.20/24",\n\tto => "192.0.2.21",\n}',
    'tftp:server ":69" {}',
    'tftp:file "menu" {\n\tfilename => "/menu.cfg",\n\tdata => "default linux",\n\tserver => ":69",\n}',
    'schedule "web" {}\n',
  ].join("\n"));
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  const thing = (name) => page.locator(".world li").filter({ hasText: name });
  await press("let a new machine ask: server :67 on eth0");
  await thing("192.0.2.20 on eth0").getByText("02:00:00:01:00:01", { exact: true }).waitFor();
  await press("release: 192.0.2.20 on eth0");
  await thing("192.0.2.20 on eth0").waitFor({ state: "detached" });
  const file = page.getByRole("textbox", { name: "server :69: fetch a file", exact: true });
  await file.fill("/menu.cfg");
  await file.press("Tab");
  await thing("/menu.cfg from :69").getByText("13 bytes", { exact: true }).waitFor();
  await thing("vote of").getByText("rr, max 1", { exact: true }).waitFor();
  await accessible(page, "servers and pools");
});

scene("a value of several lines is changed by hand", async (page) => {
  await page.locator(".transport").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  const field = page.getByRole("textbox", { name: "New value of all hosts", exact: true });
  await field.fill("motto");
  await field.press("Enter");
  const value = page.getByRole("textbox", { name: "motto: value", exact: true });
  await value.fill("one\ntwo\n");
  await value.press("Tab");
  await page.waitForFunction(() => document.querySelector(".world textarea[aria-label='motto: value']")?.value === "one\ntwo\n");
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log .player").getByText("set value of motto", { exact: false }).waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  scene(`content at a URL is added, changed, made unreachable and deleted: ${colorScheme}`, async (page) => {
    const url = "https://example.com/motd";
    const part = (name) => page.locator(".parts").getByRole("button", { name, exact: true }).click();
    await page.locator(".vertex").first().waitFor();
    await write(page, `http:client "/srv/motd" {\n\turl => "${url}",\n\tMeta:poll => 5,\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}\n`);
    await page.locator(".vertex[data-name*='/srv/motd']").waitFor();
    await page.getByRole("tab", { name: /Host/ }).click();
    await part("Everything else");
    const field = page.getByRole("textbox", { name: "New URL", exact: true });
    await field.fill("example.com/motd");
    await field.press("Enter");
    await page.locator(".notice.bad").getByText("is not a URL").waitFor();
    await field.fill(url);
    await field.press("Enter");
    const content = page.getByRole("textbox", { name: `${url}: content`, exact: true });
    await content.fill("welcome\n");
    await content.press("Tab");
    await part("Files");
    await page.locator(".tree").getByRole("button", { name: "motd", exact: true }).click();
    await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "welcome\n");
    await part("Everything else");
    await page.getByRole("button", { name: `make unreachable: ${url}`, exact: true }).press("Enter");
    await page.getByText("unreachable", { exact: true }).waitFor();
    const back = page.getByRole("button", { name: `make reachable: ${url}`, exact: true });
    await back.waitFor();
    assert.ok(await back.evaluate((button) => button === document.activeElement));
    await content.scrollIntoViewIfNeeded();
    await accessible(page, "content at a URL");
    await page.getByRole("button", { name: `delete: ${url}`, exact: true }).press("Enter");
    await content.waitFor({ state: "detached" });
    // The focus stays near what has gone.
    await page.waitForFunction(() => document.activeElement?.textContent === "Internet, as seen from this host");
  }, { colorScheme });
}

for (const colorScheme of ["light", "dark"]) {
  scene(`commands that ran are listed, and an answer is scripted: ${colorScheme}`, async (page) => {
    await page.locator(".vertex").first().waitFor();
    await write(page, 'exec "get" {\n\tcmd => "fetch --all",\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}\n');
    await page.locator(".vertex[data-name*='get']").waitFor();
    await page.getByRole("tab", { name: /Host/ }).click();
    await page.getByRole("button", { name: "Everything else", exact: true }).click();
    const row = page.locator(".world li").filter({ has: page.locator("strong").getByText("fetch --all", { exact: true }) });
    await row.getByText("executable file not found").waitFor();
    // It is tried again all the time, which does not disturb what is being typed.
    const staysWhileTyped = async (field) => {
      const before = await field.inputValue();
      await field.fill("typed");
      const runs = Number(await row.locator("code").first().innerText());
      await page.waitForFunction((runs) => [...document.querySelectorAll(".world li")]
        .some((row) => row.querySelector("strong").textContent === "fetch --all" && Number(row.querySelector("code").textContent) > runs), runs);
      assert.equal(await field.inputValue(), "typed");
      await field.fill(before);
    };
    await staysWhileTyped(page.getByRole("textbox", { name: "USER: value", exact: true }));
    await staysWhileTyped(page.getByRole("textbox", { name: "Host name", exact: true }));
    const field = page.getByRole("textbox", { name: "New scripted command", exact: true });
    await field.fill("fetch --all");
    await field.press("Enter");
    await page.locator(".notice.bad").getByText("`fetch --all` is already listed").waitFor();
    await page.getByRole("button", { name: "script an answer: fetch --all", exact: true }).click();
    await row.getByText("exit status 0", { exact: true }).waitFor();
    await page.locator(".transport .status").getByText("Converged").waitFor();
    const status = page.getByRole("textbox", { name: "fetch --all: exit status", exact: true });
    await status.fill("never");
    await status.press("Enter");
    await page.locator(".notice.bad").getByText("is not an exit status").waitFor();
    assert.equal(await status.inputValue(), "never", "it can be corrected");
    await page.getByRole("textbox", { name: "fetch --all: prints", exact: true }).focus();
    assert.equal(await status.inputValue(), "0", "nothing has changed");
    await accessible(page, "a scripted command");
    await page.getByRole("button", { name: "remove the answer: fetch --all", exact: true }).click();
    await page.getByRole("button", { name: "script an answer: fetch --all", exact: true }).waitFor();
    await field.fill("fetch --new");
    await field.press("Enter");
    await page.getByRole("textbox", { name: "fetch --new: prints", exact: true }).waitFor();
  }, { colorScheme });
}

scene("a user that is added against the program is removed again", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'user "bob" {\n\tstate => "absent",\n}\n');
  await page.locator(".vertex.good[data-name*='bob']").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await page.getByRole("textbox", { name: "New user", exact: true }).fill("bob");
  await page.getByRole("button", { name: "Add user", exact: true }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log .player").getByText("added bob").waitFor();
  await page.locator(".log li").filter({ hasText: "user[bob]" }).first().waitFor();
});

scene("a cloud server that is stopped by hand is started again", async (page) => {
  const server = "web at https://api.hetzner.cloud/v1";
  await page.locator(".vertex").first().waitFor();
  await write(page, `hetzner:vm "web" {
	apitoken => "hush",
	state => "running",
	servertype => "cx22",
	image => "debian-12",
	userdata => "hush",
	Meta:poll => 1,
}
`);
  await page.locator(".vertex.good[data-name*='web']").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await page.getByRole("button", { name: `stop: ${server}`, exact: true }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log .player").getByText(`stop: ${server}`).waitFor();
  await page.locator(".log li").filter({ hasText: "start the server web" }).first().waitFor();
});

/** Waits until the log reports a step after a manual change. */
async function repairs(page, done, step) {
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.waitForFunction(([done, step]) => {
    const rows = [...document.querySelectorAll(".log li")];
    const at = rows.findIndex((row) => row.matches(".player") && row.textContent.includes(done));
    return at >= 0 && rows.slice(at + 1).some((row) => row.textContent.includes(step));
  }, [done, step]);
}

scene("a file that loses its permissions has them back", async (page) => {
  await start(page);
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.getByRole("button", { name: "chmod 0", exact: true }).click();
  await repairs(page, "set the mode of /srv/kept to 0000", "set mode of /srv/kept to 0644");
});

scene("a unit that is killed by hand is started again", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const unit = "/etc/systemd/system/demo.service";
  await write(page, `file "${unit}" {
	state => "exists",
	content => "[Service]\\nExecStart=/usr/bin/sleep infinity\\n",
}
svc "demo" {
	state => "running",
}
File["${unit}"] -> Svc["demo"]
`);
  await page.locator(".vertex.good[data-name*='svc[demo]']").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await page.getByRole("button", { name: "kill: demo.service", exact: true }).click();
  await repairs(page, "kill: demo.service", "start demo.service");
  // It runs again, so it can be killed again.
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await page.getByRole("button", { name: "kill: demo.service", exact: true }).waitFor();
});

scene("a file has its owner and mode back", async (page) => {
  await start(page);
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  const mode = page.getByRole("textbox", { name: "Mode" });
  await mode.fill("0600");
  await mode.press("Enter");
  await page.waitForFunction(() => [...document.querySelectorAll(".rights input")].some((input) => input.value === "0644"));
  await page.getByRole("textbox", { name: "Owner" }).fill("nobody-known");
  await page.getByRole("textbox", { name: "Owner" }).press("Enter");
  await page.locator(".notice.bad").getByText("cannot find user nobody-known").waitFor();
});

scene("the mode of a file can be typed while its content changes, and a refused one goes with the field", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'import "datetime"\nimport "fmt"\n\nfile "/srv/now" {\n\tstate => "exists",\n\tcontent => fmt.printf("%d\\n", datetime.now()),\n}\n');
  await page.locator(".vertex.good[data-name*='/srv/now']").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "now", exact: true }).click();
  const mode = page.getByRole("textbox", { name: "Mode" });
  const before = await mode.inputValue();
  await mode.fill("typed");
  const content = await page.locator(".file textarea").inputValue();
  await page.waitForFunction((content) => document.querySelector(".file textarea").value !== content, content);
  assert.equal(await mode.inputValue(), "typed");
  await page.getByRole("textbox", { name: "Owner" }).focus();
  assert.equal(await mode.inputValue(), before);
});

/** The most rows that a list gets at once: `AT_ONCE` of `graphs/portions.rs`, by `COST` of `page/host_files.rs` and `page/world.rs`. */
const [FILES_AT_ONCE, THINGS_AT_ONCE] = [600 / 3, 600 / 8];

/** Shows a section of the host, and gives the most rows that one of its lists got at once until it had this one. */
async function atOnce(page, section, rows, last) {
  await page.evaluate((rows) => {
    globalThis.most = 0;
    globalThis.observer = new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element);
      const counts = new Map();
      for (const row of new Set(added.flatMap((node) => [node, ...node.querySelectorAll("li")]))) {
        if (row.matches(rows)) counts.set(row.parentElement, (counts.get(row.parentElement) ?? 0) + 1);
      }
      globalThis.most = Math.max(globalThis.most, ...counts.values());
    });
    globalThis.observer.observe(document.querySelector("#view"), { subtree: true, childList: true });
  }, rows);
  await page.locator(".parts").getByRole("button", { name: section, exact: true }).click();
  await page.locator(rows).filter(last).first().waitFor();
  return page.evaluate(() => {
    globalThis.observer.disconnect();
    return globalThis.most;
  });
}

scene("more than a thousand files and hundreds of values are listed in portions, and completely", async (page) => {
  const hasFiles = () => [...document.querySelectorAll(".tree .entry")].filter((entry) => /^\/srv\/\d+$/.test(entry.title)).length === 1500;
  await page.locator(".vertex").first().waitFor();
  const names = Array.from({ length: 1500 }, (_, n) => `"/srv/${n}"`).join(", ");
  const values = Array.from({ length: 200 }, (_, n) => `kv "many${n}" {\n\tvalue => "x",\n}\n`);
  await write(page, `file [${names}] { state => "exists", }\n${values.join("")}`);
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.waitForFunction(hasFiles);
  await page.locator(".transport .status").getByText("Converged").waitFor();
  const things = await atOnce(page, "Everything else", ".world li", { hasText: "many99" });
  assert.ok(things > 0 && things <= THINGS_AT_ONCE, `${things} things at once`);
  await page.waitForFunction(() => [...document.querySelectorAll(".world li strong")].filter((name) => name.textContent.includes("many")).length === 200);
  const files = await atOnce(page, "Files", ".tree li", { has: page.locator(".entry[title='/srv/999']") });
  assert.ok(files > 0 && files <= FILES_AT_ONCE, `${files} files at once`);
  await page.waitForFunction(hasFiles);
  // Rows stay as they are when another file is shown or added, and one that has the focus keeps it.
  const last = page.locator(".tree .entry[title='/srv/999']");
  await last.evaluate((entry) => { entry.isSame = true; });
  await last.press("Enter");
  await page.locator(".tree .entry[aria-current][title='/srv/999']").waitFor();
  assert.equal(await page.locator(".tree .entry[aria-current]").count(), 1);
  assert.ok(await last.evaluate((entry) => entry.isSame && document.activeElement === entry));
  const path = page.getByRole("textbox", { name: "New file", exact: true });
  await path.fill("/etc/a-new-one");
  await path.press("Enter");
  await page.locator(".tree .entry[aria-current][title='/etc/a-new-one']").waitFor();
  assert.ok(await last.evaluate((entry) => entry.isSame));
});

for (const width of [1440, 768, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    scene(`everything on the host can be read and used: ${colorScheme}, ${width} px`, async (page) => {
      await page.locator(".vertex").first().waitFor();
      await page.getByRole("tab", { name: /Host/ }).click();
      await page.getByRole("button", { name: "Everything else", exact: true }).click();
      // The host reports its objects once the program runs on it.
      await page.locator(".world section").nth(8).waitFor();
      await accessible(page, "world");
      const wide = await page.locator(".world").evaluate((world) => world.scrollWidth - world.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/world-${width}-${colorScheme}.png` });
    }, { colorScheme, viewport: { width, height: width < 700 ? 844 : 900 } });
  }
}
