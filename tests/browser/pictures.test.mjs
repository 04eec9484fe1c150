// The text of a program, the host, the timeline, the log, changes and lessons are saved as pictures.
import assert from "node:assert/strict";
import { ATTRIBUTES, colours, downloaded, ELEMENTS, parsed, sizeIn, sizeOf } from "./pictures.mjs";
import { accessible, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const tab = (page, name) => page.getByRole("tab", { name }).click();
const vertex = (page, name) => page.locator(`.vertex[data-name*='${name}']`);

scene("the text of a program is saved as a picture, with its problems", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, '# a <comment>\nfile "/srv/a" {\n\tstate => $missing,\n}\n');
  await page.locator(".problem").first().waitFor();
  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.keyboard.press("ControlOrMeta+s");
  const save = (form) => downloaded(page, () => page.getByRole("button", { name: `Save the displayed file as ${form}`, exact: true }).click());
  const svg = await save("SVG");
  assert.equal(svg.name, "main.mcl.svg");
  const shown = await parsed(page, svg.bytes.toString());
  assert.equal(shown.error, null);
  assert.deepEqual(shown.elements.filter((name) => ![...ELEMENTS, "tspan"].includes(name)), []);
  assert.deepEqual(shown.attributes.filter((name) => !ATTRIBUTES.includes(name)), []);
  assert.deepEqual(shown.values, [], "a colour of the page's styles is not resolved");
  assert.equal(shown.title, "main.mcl");
  const texts = shown.texts.map((text) => text.replaceAll("\u00a0", " "));
  for (const text of ["# a <comment>", 'file "/srv/a" {', "    state => $missing,", "Problems"]) {
    assert.ok(texts.includes(text), `${text} is missing in\n${texts.join("\n")}`);
  }
  assert.ok(texts.some((text) => text.startsWith("3:")), texts.join("\n"));
  const png = await save("PNG");
  assert.deepEqual(sizeOf(png.bytes), sizeIn(svg.bytes.toString()).map((side) => side * 2));
  assert.ok((await colours(page, png.bytes)).n_colours > 20, "the picture is empty");
  await accessible(page, "share with pictures");
});

scene("wide characters do not run off the picture of a program", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, `# ${"漢".repeat(100)}\nprint "a" {}\n`);
  await vertex(page, "print[a]").waitFor();
  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.keyboard.press("ControlOrMeta+s");
  const svg = await downloaded(page, () => page.getByRole("button", { name: "Save the displayed file as SVG", exact: true }).click());
  const { error, texts } = await parsed(page, svg.bytes.toString());
  assert.equal(error, null);
  const line = texts.find((text) => text.includes("漢"));
  assert.match(line, /漢…$/);
  const end = await page.evaluate((line) => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = "12px monospace";
    return 64 + context.measureText(line).width;
  }, line);
  const [width] = sizeIn(svg.bytes.toString());
  assert.ok(end <= width, `the line ends at ${end} of ${width}`);
});

const HOSTILE_HOST = 'file "/srv/<img src=x onerror=alert(1)>" {\n\tstate => "exists",\n\tcontent => "]]>&amp;\\n",\n}\n';

for (const width of [1440, 768, 390]) {
  scene(`the host and the timeline are saved as pictures, ${width} px`, async (page) => {
    if (width < 700) await page.getByRole("tab", { name: /Program/ }).click();
    await page.locator(".cm-content").first().waitFor();
    await write(page, HOSTILE_HOST);
    await tab(page, /Host/);
    await page.locator(".tree").getByRole("button", { name: "onerror" }).waitFor();
    await page.getByRole("button", { name: "Add host", exact: true }).click();
    await page.locator(".fleet .card").filter({ hasText: "web2" }).waitFor();
    const save = (what, form) => downloaded(page, () => page.getByRole("button", { name: `Save the ${what} as ${form}`, exact: true }).click());
    const host = await save("host", "SVG");
    assert.equal(host.name, "host-web1.svg");
    const shown = await parsed(page, host.bytes.toString());
    assert.equal(shown.error, null);
    assert.deepEqual(shown.elements.filter((name) => !ELEMENTS.includes(name)), []);
    assert.deepEqual(shown.attributes.filter((name) => !ATTRIBUTES.includes(name)), []);
    assert.deepEqual(shown.values, [], "a colour of the page's styles is not resolved");
    assert.match(shown.title, /^Host web1 at /);
    for (const text of ["Hosts", "web2", "Files", "/srv/<img src=x onerror=alert(1)>", "Users and groups", "alice"]) {
      assert.ok(shown.texts.includes(text), `${text} is missing in\n${shown.texts.join("\n")}`);
    }
    assert.ok(shown.texts.some((text) => text.endsWith("]]>&amp;")), "the content is shown as it is");
    const png = await save("host", "PNG");
    assert.equal(png.name, "host-web1.png");
    assert.deepEqual(sizeOf(png.bytes), sizeIn(host.bytes.toString()).map((side) => side * 2));
    assert.ok((await colours(page, png.bytes)).n_colours > 20, "the picture is empty");
    await page.getByRole("button", { name: "Resource lanes", exact: true }).click();
    await page.locator(".lanes li").filter({ hasText: "onerror" }).waitFor();
    const timeline = await save("timeline", "SVG");
    assert.equal(timeline.name, "timeline.svg");
    const lanes = await parsed(page, timeline.bytes.toString());
    assert.equal(lanes.error, null);
    assert.deepEqual(lanes.values, []);
    assert.match(lanes.title, /^Timeline from /);
    for (const text of ["web1", "web2", "Resources of web1"]) assert.ok(lanes.texts.includes(text), `${text} is missing`);
    assert.ok(lanes.texts.some((text) => text.endsWith("onerror=alert(1)>]")), lanes.texts.join("\n"));
    assert.ok(lanes.elements.includes("path"), "there are no bars");
    assert.ok((await colours(page, (await save("timeline", "PNG")).bytes)).n_colours > 20, "the picture is empty");
    await accessible(page, "host with lanes");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
  }, { viewport: { width, height: width < 700 ? 844 : 900 } });
}

scene("the log and the changes are saved as pictures", async (page) => {
  await write(page, 'file "/srv/a" {\n\tstate => "exists",\n}\n');
  await page.locator(".vertex.good[data-name*='/srv/a']").waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  const save = (what, form) => downloaded(page, () => page.getByRole("button", { name: `Save the ${what} as ${form}`, exact: true }).click());
  await tab(page, /Log/);
  const log = await save("log", "SVG");
  assert.equal(log.name, "log.svg");
  const lines = await parsed(page, log.bytes.toString());
  assert.deepEqual([lines.error, lines.title, lines.values], [null, "Log", []]);
  assert.ok(lines.texts.includes("file[/srv/a]"), lines.texts.join("\n"));
  assert.ok((await colours(page, (await save("log", "PNG")).bytes)).n_colours > 20, "the picture is empty");
  await tab(page, /Host/);
  await page.getByRole("button", { name: "Changes", exact: true }).click();
  await page.getByRole("button", { name: "Keep this moment", exact: true }).click();
  await page.getByRole("button", { name: "Everything else", exact: true }).click();
  await page.getByRole("textbox", { name: "New user", exact: true }).fill("carol");
  await page.getByRole("button", { name: "Add user", exact: true }).click();
  await page.getByRole("textbox", { name: "carol: home", exact: true }).waitFor();
  await page.getByRole("button", { name: "Changes", exact: true }).click();
  await page.locator(".differences strong").getByText("carol", { exact: true }).waitFor();
  const changes = await save("changes", "SVG");
  assert.equal(changes.name, "changes.svg");
  const differences = await parsed(page, changes.bytes.toString());
  assert.deepEqual([differences.error, differences.values], [null, []]);
  assert.match(differences.title, /^web1 at .* → web1 at /);
  assert.ok(differences.texts.includes("carol") && differences.texts.some((text) => text.startsWith("added, ")), differences.texts.join("\n"));
});

scene("a lesson is saved as a picture", async (page) => {
  const heading = page.locator(".lesson-text h2");
  await heading.waitFor();
  const save = (form) => downloaded(page, () => page.getByRole("button", { name: `Save the lesson as ${form}`, exact: true }).click());
  const svg = await save("SVG");
  assert.match(svg.name, /^lesson-[^/]+\.svg$/);
  const lesson = await parsed(page, svg.bytes.toString());
  assert.deepEqual([lesson.error, lesson.values, lesson.title], [null, [], (await heading.innerText()).trim()]);
  assert.deepEqual(lesson.elements.filter((name) => !ELEMENTS.includes(name)), []);
  assert.ok(lesson.texts.includes("Task"), lesson.texts.join("\n"));
  assert.ok((await colours(page, (await save("PNG")).bytes)).n_colours > 8, "the picture is empty");
}, { path: "#learn" });
