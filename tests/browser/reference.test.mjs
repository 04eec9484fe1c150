// The reference: everything is there, is found by typing, and its examples run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, scenes, textOf } from "./setup.mjs";

const { scene } = scenes();
const path = "reference.html";
const listed = (page) => page.locator("#entries li:not(.group) a");

scene("every function and kind has an entry", async (page) => {
  assert.ok(await page.locator("article").count() >= 390 + 60);
  for (const id of ["len", "strings.to_upper", "golang/strings.to_upper", "iter.map", "kind:file", "kind:exec", "meta:retry", "scenarios", "api"]) {
    await page.locator(`[id="${id}"]`).waitFor({ state: "attached" });
  }
  const broken = await page.evaluate(() => [...document.querySelectorAll("#entries a, h3 a")]
    .filter((link) => !document.getElementById(decodeURIComponent(link.hash.slice(1)))).map((link) => link.hash));
  assert.deepEqual(broken, []);
}, { path });

scene("typing finds, best first, and the keyboard goes there", async (page) => {
  await page.locator("h1").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("to_upper");
  await page.locator("#entries.searching").waitFor();
  assert.match((await listed(page).allInnerTexts())[0], /to_upper$/);
  await page.locator("#found").filter({ hasText: /entr/ }).waitFor();
  await page.locator("#find").fill("selinux absolute");
  assert.deepEqual(await listed(page).allInnerTexts(), ["file"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#kind:file");
  await page.locator("article.arrived[id='kind:file']").waitFor();
  await page.waitForFunction(() => {
    const { top } = document.getElementById("kind:file").getBoundingClientRect();
    return top >= 0 && top < innerHeight / 2;
  });
  await page.keyboard.press("/");
  await page.keyboard.type("zyzzyva quux");
  await page.getByText("No matches.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#entries:not(.searching)").waitFor();
  assert.ok(await listed(page).count() > 450);
}, { path });

for (const width of [1440, 768]) {
  scene(`words of the reference are whole, ${width} px`, async (page) => {
    await page.locator("article").first().waitFor();
    const broken = await page.evaluate(() => [...document.querySelectorAll("main :is(p, li, td) code")]
      .filter((code) => /^\w{2,10}$/.test(code.textContent) && code.getClientRects().length > 1).map((code) => code.textContent));
    assert.deepEqual(broken, []);
  }, { path, viewport: { width, height: 900 } });
}

scene("an address that names a kind or a module arrives", async (page) => {
  await page.locator("article.arrived[id='kind:file']").waitFor();
  await page.evaluate(() => { location.hash = "#golang/strings"; });
  await page.locator("h2.arrived[id='module:golang/strings']").waitFor();
  await page.evaluate(() => { location.hash = "#%E0%A4%A"; });
  await page.locator("h1").waitFor();
}, { path: `${path}#file` });

for (const width of [1280, 390]) {
  scene(`the entry that the address names is saved as a picture, ${width} px`, async (page) => {
    const saved = async (form) => {
      const button = page.locator("article.arrived[id='kind:file']").getByRole("button", { name: `Save this entry as ${form}`, exact: true });
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const svg = await saved("SVG");
    assert.equal(svg.name, "kind-file.svg");
    // The site's own policy keeps its page from parsing anything.
    const elsewhere = await page.context().newPage();
    const { root, texts } = await elsewhere.evaluate((svg) => {
      const document = new DOMParser().parseFromString(svg, "image/svg+xml");
      return { root: document.documentElement.localName, texts: [...document.querySelectorAll("text")].map((one) => one.textContent) };
    }, svg.bytes.toString());
    await elsewhere.close();
    assert.equal(root, "svg");
    assert.match(texts[0], /^file/);
    assert.ok(texts.length > 20 && texts.some((text) => text.includes("content")), texts.join("\n"));
    const png = await saved("PNG");
    assert.equal(png.name, "kind-file.png");
    assert.deepEqual([...png.bytes.subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "it is too wide");
    // Only the one that is looked at.
    await page.evaluate(() => document.querySelectorAll("article:not(.arrived)").forEach((one) => one.remove()));
    await accessible(page, "an entry with its pictures");
    await page.evaluate(() => { location.hash = "#nothing"; });
    await page.locator(".pictures").waitFor({ state: "detached" });
  }, { path: `${path}#kind:file`, viewport: { width, height: 844 } });
}

scene("the section that the address names is saved as a picture with its entries", async (page) => {
  const saved = async (form) => {
    const button = page.locator("section").getByRole("button", { name: `Save this section as ${form}`, exact: true });
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const svg = await saved("SVG");
  assert.equal(svg.name, "module-golang-strings.svg");
  const text = svg.bytes.toString().replaceAll("\u00a0", " ");
  const entries = await page.locator("section:has(> h2[id='module:golang/strings']) h3 a").allInnerTexts();
  assert.ok(entries.length > 3);
  for (const part of [">golang/strings<", ...entries.slice(0, 3).map((name) => `## ${name}`)]) assert.ok(text.includes(part), part);
  // A tall picture is scaled down.
  const png = await saved("PNG");
  assert.equal(png.name, "module-golang-strings.png");
  assert.deepEqual([...png.bytes.subarray(1, 4)], [...Buffer.from("PNG")]);
  assert.equal(await page.locator(".pictures [role=status]").innerText(), "");
}, { path: `${path}#module:golang/strings` });

scene("an example runs in the playground", async (page) => {
  const run = page.locator("article[id='strings.to_upper'] .examples a").first();
  await run.scrollIntoViewIfNeeded();
  await run.click();
  await page.locator(".vertex[data-name*='value[v]']").waitFor();
  assert.match(await textOf(page), /import "strings"[^]*strings\.to_upper\("aé1"\)/);
  await page.getByText("No problems").waitFor();
}, { path });

scene("the example of a kind runs in the playground", async (page) => {
  await page.locator("article[id='kind:file'] .program a").click();
  await page.locator(".vertex.good[data-name*='/srv/app/port']").waitFor();
}, { path });

scene("the playground leads to the reference", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const [manual] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link", { name: "Reference" }).click()]);
  await manual.locator("h1").filter({ hasText: "Reference" }).waitFor();
});

scene("the theme is the visitor's, here and there", async (page) => {
  await page.getByRole("button", { name: /dark and light/ }).click();
  await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
  await page.goto(new URL("./", page.url()).href);
  await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
  await page.locator(".vertex").first().waitFor();
}, { path, colorScheme: "light" });

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    scene(`no accessibility fault in the reference: ${colorScheme}, ${width} px`, async (page) => {
      await page.locator("#find").fill("file");
      await page.locator("#entries.searching").waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "it is too wide");
      // Entries are alike; axe takes minutes over all of them.
      await page.evaluate(() => document.querySelectorAll("section article:nth-of-type(n + 4)").forEach((one) => one.remove()));
      await accessible(page, "reference");
    }, { path, colorScheme, viewport: { width, height: 844 } });
  }
}
