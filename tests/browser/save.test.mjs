// What can be taken out of the page: both graphs and a model, as pictures and as text. The rest: `pictures.test.mjs`.
import assert from "node:assert/strict";
import { ATTRIBUTES, colours, downloaded, ELEMENTS, parsed, sizeIn, sizeOf } from "./pictures.mjs";
import { accessible, says, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const tab = (page, name) => page.getByRole("tab", { name }).click();
const vertex = (page, name) => page.locator(`.vertex[data-name*='${name}']`);
const opener = (page) => page.getByRole("button", { name: "Save", exact: true });
const items = (page) => page.getByRole("list", { name: "Save the graph" }).getByRole("button");

/** The graph that is shown, in one of its forms. */
async function saved(page, form) {
  await opener(page).click();
  return downloaded(page, () => items(page).filter({ hasText: form }).click());
}

function isPlain(svg) {
  assert.equal(svg.error, null);
  assert.equal(svg.root, "http://www.w3.org/2000/svg svg");
  assert.deepEqual(svg.elements, ELEMENTS);
  assert.deepEqual(svg.attributes.filter((name) => !ATTRIBUTES.includes(name)), []);
  assert.deepEqual(svg.values, [], "a colour of the page's styles is not resolved");
}

scene("the resource graph is saved in each form", async (page) => {
  await write(page, 'file "/srv/a" {\n\tstate => "exists",\n}\nprint "b" {}\nFile["/srv/a"] -> Print["b"]\n');
  await vertex(page, "print[b]").waitFor();
  await page.locator(".vertex.good[data-name*='/srv/a']").waitFor();
  const svg = await saved(page, "SVG");
  assert.equal(svg.name, "resources.svg");
  const shown = await parsed(page, svg.bytes.toString());
  isPlain(shown);
  assert.equal(shown.title, "Resource graph");
  assert.deepEqual(shown.texts, ["/srv/a", "file", "b", "print"]);
  assert.match(shown.names[0], /^file\[\/srv\/a\]/);

  const png = await saved(page, "PNG");
  assert.equal(png.name, "resources.png");
  assert.deepEqual(sizeOf(png.bytes), sizeIn(svg.bytes.toString()).map((side) => side * 2));
  assert.ok((await colours(page, png.bytes)).n_colours > 20, "the picture is empty");

  const dot = await saved(page, "DOT");
  assert.equal(dot.name, "resources.dot");
  assert.match(dot.bytes.toString(), /^digraph resources \{\n[^]*label="file\[\/srv\/a\]"[^]*label="print\[b\]"[^]* -> [^]*\}\n$/);

  const json = await saved(page, "JSON");
  assert.equal(json.name, "resources.json");
  const graph = JSON.parse(json.bytes.toString());
  assert.deepEqual(graph.vertices.map((one) => `${one.kind}[${one.name}]`), ["file[/srv/a]", "print[b]"]);
  assert.deepEqual(graph.edges.map((edge) => [edge.from, edge.to]), [[0, 1]]);
});

scene("the function graph and a model are saved under their names", async (page) => {
  await write(page, 'import "fmt"\n$n = 1 + 2\nprint "x" {\n\tmsg => fmt.printf("%d", $n),\n}\n');
  await vertex(page, "print[x]").waitFor();
  await tab(page, /Functions/);
  await vertex(page, "value").first().waitFor();
  const spoken = await parsed(page, (await saved(page, "SVG")).bytes.toString());
  assert.ok(spoken.names.some((name) => name.startsWith("$n")), spoken.names.join("\n"));
  const words = (await saved(page, "DOT")).bytes.toString();
  assert.match(words, /^digraph functions \{[^]*label="\$n"[^]*\}\n$/);
  assert.doesNotMatch(words, /_operator|const:/);
  await page.getByRole("button", { name: "All vertices" }).click();
  await vertex(page, "printf: func").first().waitFor();
  const svg = await saved(page, "SVG");
  assert.equal(svg.name, "functions.svg");
  const shown = await parsed(page, svg.bytes.toString());
  isPlain(shown);
  assert.equal(shown.title, "Function graph");
  assert.equal(shown.names.length, await page.locator(".vertex").count());
  assert.ok(shown.names.some((name) => name.startsWith("printf: func(")), shown.names.join("\n"));
  const dot = await saved(page, "DOT");
  assert.match(dot.bytes.toString(), /^digraph functions \{[^]*printf: func\(/);
  const json = await saved(page, "JSON");
  assert.equal(json.name, "functions.json");
  assert.equal(JSON.parse(json.bytes.toString()).vertices.length, shown.names.length);

  await page.locator("[aria-controls='examples']").click();
  await page.locator("#examples").getByRole("button", { name: "Several hosts" }).first().click();
  await page.getByText("No problems").waitFor();
  await vertex(page, "Server").first().waitFor();
  const model = await saved(page, "SVG");
  assert.equal(model.name, "model.svg");
  isPlain(await parsed(page, model.bytes.toString()));
  const text = await saved(page, "DOT");
  assert.deepEqual([text.name, /^digraph model \{[^]*Server/.test(text.bytes.toString())], ["model.dot", true]);
  const instances = JSON.parse((await saved(page, "JSON")).bytes.toString()).instances;
  assert.ok(instances.some((one) => /Server/.test(one.entity)), JSON.stringify(instances[0]));
  await tab(page, /Resources/);
  await page.locator(".fleet .card").filter({ hasText: "db1" }).click();
  await vertex(page, "/srv/db.conf").waitFor();
  const resources = await parsed(page, (await saved(page, "SVG")).bytes.toString());
  assert.equal(resources.title, "Resource graph of db1");
});

// As program text; what each comes to is a name that a careless writer would let out of its place.
const HOSTILE = [
  ["<script>alert(1)</script>", "<script>alert(1)</script>"],
  ["</title></svg>", "</title></svg>"],
  ["\u{fffe}\u{ffff}x", "\u{fffe}\u{ffff}x"],
  ['\\"]; evil [label=\\"', '"]; evil [label="'],
  ["two\\nlines", "two\nlines"],
  ["&amp;]]>", "&amp;]]>"],
  ["\\a\\b\\v\\f", "\x07\b\v\f"],
];

scene("hostile names stay data in each form", async (page) => {
  await write(page, HOSTILE.map(([text]) => `print "${text}" {\n\tMeta:autogroup => false,\n}\n`).join(""));
  await vertex(page, "print[two").waitFor();
  await page.waitForFunction((n) => document.querySelectorAll(".vertex").length === n, HOSTILE.length);
  const svg = (await saved(page, "SVG")).bytes.toString();
  assert.doesNotMatch(svg, /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
  const shown = await parsed(page, svg);
  isPlain(shown);
  assert.equal(shown.names.length, HOSTILE.length);
  assert.ok(shown.names.some((name) => name.startsWith("print[<script>alert(1)</script>]")), shown.names.join("\n"));
  assert.ok(shown.names.some((name) => name.startsWith("print[&amp;]]>]")), shown.names.join("\n"));
  assert.ok(sizeOf((await saved(page, "PNG")).bytes).every((side) => side > 100));

  const json = JSON.parse((await saved(page, "JSON")).bytes.toString());
  assert.deepEqual(json.vertices.map((one) => one.name).sort(), HOSTILE.map(([, name]) => name).sort());
  // Each vertex is a line with one quoted text, however its name ends it.
  const dot = (await saved(page, "DOT")).bytes.toString();
  const labels = [...dot.matchAll(/^\t\S+ \[label="((?:[^"\\\n]|\\.)*)"\];$/gm)];
  assert.equal(labels.length, HOSTILE.length, dot);
  assert.equal(dot.split("\n").length, HOSTILE.length + 4, "a name begins a line of its own");
});

scene("a graph that is wide becomes a PNG within bounds, and says so", async (page) => {
  await write(page, `import "iter"\nimport "fmt"\n$l = iter.map(iter.range(900), func($i) { fmt.printf("/srv/a/long/path/n%d", $i) })\nfile "/srv/a/long/path/" {\n\tstate => "exists",\n}\nfile $l {\n\tstate => "exists",\n}\n`);
  await vertex(page, "/srv/a/long/path/n899").waitFor();
  const svg = (await saved(page, "SVG")).bytes.toString();
  const [width, height] = sizeIn(svg);
  assert.ok(width * height * 4 > 16_000_000 || width > 8_192, `${width} by ${height} is too small for this test`);
  const png = await saved(page, "PNG");
  const [w, h] = sizeOf(png.bytes);
  assert.ok(w * h <= 16_000_000 && w <= 16_384 && h <= 16_384, `${w} by ${h}`);
  assert.ok(Math.abs(w / h / (width / height) - 1) < 0.05, "its shape is another one");
  await says(page, "scaled down to ");
});

scene("the picture has the colours of the theme that is chosen", async (page) => {
  await page.locator(".vertex.good").first().waitFor();
  const light = (await saved(page, "PNG")).bytes;
  await page.getByRole("button", { name: "Use the dark theme" }).click();
  const dark = (await saved(page, "PNG")).bytes;
  assert.deepEqual((await colours(page, light)).first, [0xf4, 0xf4, 0xf1, 255]);
  assert.deepEqual((await colours(page, dark)).first, [0x12, 0x14, 0x17, 255]);
}, { colorScheme: "light" });

scene("the menu works by keys alone", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await opener(page).focus();
  await page.keyboard.press("Enter");
  await items(page).first().waitFor();
  assert.equal(await items(page).count(), 4);
  await accessible(page, "the menu");
  await page.keyboard.press("Escape");
  await items(page).first().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowDown");
  const { name } = await downloaded(page, () => page.keyboard.press("Enter"));
  assert.equal(name, "resources.dot");
  await items(page).first().waitFor({ state: "detached" });
  assert.ok(await opener(page).evaluate((button) => button === document.activeElement), "the focus is lost");
  await page.keyboard.press("ArrowDown");
  await items(page).first().waitFor();
  await page.keyboard.press("End");
  assert.ok(await items(page).last().evaluate((item) => item === document.activeElement), "End goes to the last item");
  await page.keyboard.press("Home");
  assert.ok(await items(page).first().evaluate((item) => item === document.activeElement), "Home goes to the first item");
  await page.keyboard.press("End");
  await page.keyboard.press("Tab");
  await items(page).first().waitFor({ state: "detached" });
});

for (const [width, height] of [[390, 844], [844, 390], [1280, 500]]) {
  scene(`the menu can be used at ${width} by ${height}`, async (page) => {
    await page.locator(".vertex").first().waitFor();
    await opener(page).click();
    // Both in one look: a page that still opens moves what is below a line that appears.
    const { list, graph } = await page.evaluate(() => {
      const of = (selector) => document.querySelector(selector).getBoundingClientRect().toJSON();
      return { list: of("#save-graph"), graph: of(".graph") };
    });
    assert.ok(list.y >= graph.y && list.y + list.height <= graph.y + graph.height && list.x >= 0, JSON.stringify({ list, graph }));
    for (const form of ["SVG", "JSON"]) {
      if (form !== "SVG") await opener(page).click();
      const { name } = await downloaded(page, () => items(page).filter({ hasText: form }).click());
      assert.equal(name, `resources.${form.toLowerCase()}`);
    }
    await opener(page).click();
    await accessible(page, `the menu at ${width} by ${height}`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/save-${width}.png` });
  }, { viewport: { width, height } });
}

scene("a graph that is too large to draw is saved as the list that is displayed", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const names = Array.from({ length: 3200 }, (_, n) => `"/srv/${n}"`).join(", ");
  await write(page, `file [${names}] { state => "exists", }\nprint "the last one" {}\n`);
  const list = page.locator(".graph.listed");
  await list.getByText("3201 resources, too many to draw").waitFor();
  await list.locator(".group").last().click();
  await list.locator(".listed-vertex", { hasText: "the last one" }).waitFor();
  const svg = await saved(page, "SVG");
  assert.equal(svg.name, "resources.svg");
  const shown = await parsed(page, svg.bytes.toString());
  assert.equal(shown.error, null);
  assert.deepEqual(shown.values, [], "a colour of the page's styles is not resolved");
  const texts = shown.texts.map((text) => text.replaceAll("\u00a0", " "));
  assert.ok(texts.some((text) => /^file: 3200\b/.test(text)) && texts.includes("the last one"), texts.join("\n"));
  assert.ok(!texts.some((text) => text.includes("/srv/")), "a closed group has no rows");
  await list.getByRole("textbox", { name: "Search the graph" }).fill("srv/31");
  await list.getByText("111 of 3201 resources").waitFor();
  const found = await parsed(page, (await saved(page, "SVG")).bytes.toString());
  assert.equal(found.texts.filter((text) => text.includes("/srv/31")).length, 111);
  const png = await saved(page, "PNG");
  assert.equal(png.name, "resources.png");
  assert.ok((await colours(page, png.bytes)).n_colours > 5, "the picture is empty");
});
