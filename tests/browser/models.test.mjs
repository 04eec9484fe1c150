// Models in the page: a `.cf` program is as good a citizen as any other.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, reads, root, scenes, suggests, textOf, write } from "./setup.mjs";

const { scene } = scenes();
const vertex = (page, name) => page.locator(`.vertex[data-name*='${name}']`);
const tab = (page, name) => page.getByRole("tab", { name }).click();

/** The choice of the host that is looked at. */
const look = (page, name) => page.locator(".fleet .card").filter({ hasText: name }).click();

/** Opens one of the examples; with the first model, the worker for models is loaded. */
async function example(page, title) {
  await page.locator(".vertex").first().waitFor();
  await page.locator("[aria-controls='examples']").click();
  await page.locator("#examples").getByRole("button", { name: title }).first().click();
}

/** The text of a file on the simulated host that is looked at. */
const holds = (page, path, wanted) =>
  page.locator(`.host .entry[title='${path}']`).click().then(() =>
    page.waitForFunction((wanted) => document.querySelector(".file textarea")?.value === wanted, wanted));

/** The shop of `tests/models` in one file, with texts in place of its templates. */
function shop() {
  const file = (path) => readFileSync(join(root, "tests/models/shop", path), "utf8");
  const module = file("libs/shop/model/_init.cf").replace(/^import .*\n/gm, "");
  const main = file("main.cf").replace(/^"""[^]*?"""\n/, "").replace("import shop\n", module).replaceAll("shop::", "");
  return main
    .replace('"/srv/shop"', '"/srv"')
    .replace(/std::template\("shop\/service.conf.tmpl"\)/, '"{{name}} on {{host.name}} listens at {{host.ip}}:{{port}}"')
    .replace(/std::template\("shop\/clients.tmpl"[^)]*\)/, '"{{n}} clients"')
    .replace("implementation clients for Database:\n", "implementation clients for Database:\n    n = std::count(sites)\n");
}

scene("an example of several hosts is drawn, and each host is simulated", async (page) => {
  await example(page, "Several hosts");
  await page.getByText("No problems").waitFor();
  await tab(page, /Model/);
  await vertex(page, "Server").first().waitFor();
  await vertex(page, "Server").first().dispatchEvent("click");
  const rows = page.locator(".inspected dt");
  await rows.filter({ hasText: /^entity$/ }).waitFor();
  assert.deepEqual((await rows.allInnerTexts()).filter((name) => ["value", "type", "feeds"].includes(name)), []);
  await tab(page, /Host/);
  await look(page, "web2");
  await holds(page, "/srv/web.conf", "web2 serves web at port 8080 for 0");
  await look(page, "db1");
  await holds(page, "/srv/db.conf", "db1 serves db at port 5432 for 2");
  await tab(page, /Resources/);
  await vertex(page, "/srv/db.conf").waitFor();
  await accessible(page, "a model");
});

scene("two moments of a model are compared by its instances, and not by a function graph", async (page) => {
  await example(page, "Several hosts");
  await tab(page, /Host/);
  await look(page, "web1");
  await page.locator(".tree").getByRole("button", { name: "web.conf" }).waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await page.locator(".parts").getByRole("button", { name: "Changes", exact: true }).click();
  await page.getByRole("button", { name: "Keep this moment", exact: true }).click();
  await page.getByText("No differences.").waitFor();
  await write(page, `import fs
host = std::Host(name="web1", os=std::linux)
fs::File(host=host, path="/srv/motto", mode=644, content="short")
`);
  const section = (name) => page.locator(".differences section").filter({ has: page.getByRole("heading", { name, exact: true }) });
  await section("Model").locator("li").first().waitFor();
  assert.equal(await section("Function graph").count(), 0);
  await page.locator(".compared figure").filter({ hasText: "Model of the kept moment" }).locator(".vertex.removed").first().waitFor({ state: "attached" });
  assert.deepEqual(await page.locator(".compared figcaption").filter({ hasText: "Function graph" }).allInnerTexts(), []);
});

scene("a recorded run of a model opens while the editor holds a program in MCL", async (page) => {
  const good = page.locator(".vertex.good[data-name*='/srv/web.conf']");
  await example(page, "Several hosts");
  await tab(page, /Resources/);
  await good.waitFor();
  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: "Share" });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download the run" }).click(),
  ]);
  const buffer = readFileSync(await download.path());
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await write(page, '-- main.mcl --\nprint "in MCL" {}\n');
  await vertex(page, "print[in MCL]").waitFor();
  await page.locator("[aria-controls='examples']").click();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: /^Files…/ }).click()]);
  await chooser.setFiles({ name: "run.trace", mimeType: "application/octet-stream", buffer });
  await page.locator(".recorded").filter({ hasText: "Recorded run of web1" }).waitFor();
  await reads(page, (text) => /^# One model of several hosts/.test(text));
  await good.waitFor();
});

scene("a mistake in a model is told at its place, and its code is explained", async (page) => {
  await example(page, "A model");
  await page.getByText("No problems").waitFor();
  await write(page, 'entity A:\n    int n\nend\nimplement A using std::none\nA(n="x")\n');
  await page.locator(".cm-lintRange-error").first().waitFor();
  await page.locator(".problems .code").first().click();
  await page.locator("dialog .prose h3").first().waitFor();
  await page.keyboard.press("Escape");
  await write(page, "entity A:\n    int n\nend\nimplement A using std::none\nA(n=1)\n");
  await page.getByText("No problems").waitFor();
});

scene("a model is written with colours and suggestions, and laid out", async (page) => {
  await example(page, "A model");
  // The worker for models is there.
  await vertex(page, "/srv/blog/motto").first().waitFor();
  await write(page, "import fs\nx   =  std::Host( name = \"a\",os=std::linux )\n");
  // On a busy machine the editor colours later.
  await reads(page, (text) => text.startsWith("import fs"));
  await page.locator(".cm-line span[class]").nth(3).waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("y = std::co");
  await suggests(page, "count");
  await page.keyboard.press("Escape");
  await write(page, "x   =  1\n");
  await page.getByRole("button", { name: /Format/ }).click();
  await reads(page, (text) => text.startsWith("x = 1"));
  assert.match(await textOf(page), /^x = 1/);
});

scene("a model of three hosts and five services runs and is repaired", async (page) => {
  await example(page, "A model");
  await page.getByText("No problems").waitFor();
  await write(page, shop());
  await vertex(page, "/srv/").first().waitFor();
  await page.getByText("No problems").waitFor();
  await tab(page, /Host/);
  for (const [name, path, text] of [
    ["web1", "/srv/admin/service.conf", "admin on web1 listens at 10.0.0.11:8081"],
    ["web2", "/srv/shop/service.conf", "shop on web2 listens at 10.0.0.12:8080"],
    ["db1", "/srv/orders/clients", "3 clients"],
  ]) {
    await look(page, name);
    await holds(page, path, text);
  }
  await tab(page, /Resources/);
  await vertex(page, "/srv/orders/clients").click();
  await page.getByRole("button", { name: "delete it" }).click();
  await tab(page, /Log/);
  await page.locator(".log").getByText("someone removed /srv/orders/clients").waitFor();
  await tab(page, /Host/);
  await holds(page, "/srv/orders/clients", "3 clients");
});
