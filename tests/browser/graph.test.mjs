// The graphs of the page: what they show, how they are searched, and what becomes of those that are too large to draw.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const vertices = (page) => page.locator(".vertex");

scene("the function graph is drawn, with values", async (page) => {
  await vertices(page).first().waitFor();
  await page.getByRole("tab", { name: /Functions/ }).click();
  await page.locator(".vertex[data-name*='math.mod']").first().waitFor();
  await page.locator(".vertex[data-name*='value']").first().waitFor();
});

scene("the function graph speaks the program's words, and the engine's on request", async (page) => {
  await page.getByRole("tab", { name: /Functions/ }).click();
  const named = (name) => page.locator(`.vertex[data-name^='${name}']`);
  await named("$mood, value ").waitFor();
  await named("math.mod($now, 10) < 5, value ").waitFor();
  assert.equal(await named("callSubgraphOutput").count(), 0);
  const n_words = await vertices(page).count();
  // A value is that of its vertex, however many are left out before it.
  await named("$now").click();
  await page.locator(".inspector .value").filter({ hasText: /^\d+$/ }).waitFor();
  await page.getByRole("button", { name: "All vertices" }).click();
  await named("callSubgraphOutput").first().waitFor();
  assert.ok(await vertices(page).count() > n_words);
  // The choice is kept.
  await page.reload();
  await page.getByRole("tab", { name: /Functions/ }).click();
  await named("callSubgraphOutput").first().waitFor();
  await page.getByRole("button", { name: "All vertices", pressed: true }).click();
  await named("$mood, value ").waitFor();
  assert.equal(await vertices(page).count(), n_words);
  // The choice of words leaves the running host alone.
  await write(page, 'print "constant" {}\n');
  await page.getByText("No variables yet").waitFor();
});

scene("keys of the page and of the browser leave the graph alone", async (page) => {
  await page.locator(".transport .status.good").waitFor();
  const transform = () => page.locator(".canvas > g").first().getAttribute("transform");
  // Whether the browser then does what it does with a key.
  const press = (init) => page.locator(".canvas").evaluate((canvas, init) =>
    canvas.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init })), init);
  const before = await transform();
  for (const key of ["+", "-", "0"]) await press({ key, ctrlKey: true });
  assert.ok(await press({ key: "ArrowLeft", altKey: true }));
  assert.equal(await transform(), before);
  await vertices(page).first().evaluate((vertex) =>
    vertex.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true })));
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.equal(await page.locator(".vertex.selected").count(), 0);
  await press({ key: "-" });
  await page.waitForFunction((before) => document.querySelector(".canvas > g").getAttribute("transform") !== before, before);
});

scene("vertices are searched, marked and visited in turn", async (page) => {
  await write(page, ["/srv/a1", "/srv/b", "/srv/a2"].map((path) => `file "${path}" { state => "exists", }\n`).join(""));
  await page.locator(".vertex.good[data-name*='/srv/a2']").waitFor();
  await page.locator(".vertex[data-name*='/srv/b']").click();
  await page.keyboard.press("/");
  await page.keyboard.type("SRV/A");
  // Before the last letter there are more.
  await page.waitForFunction(() => document.querySelectorAll(".vertex.found").length === 2);
  const inspected = (name) => page.locator(".inspector h2", { hasText: name }).waitFor();
  await page.keyboard.press("Enter");
  await inspected("/srv/a2");
  await page.locator(".find output", { hasText: "2 of 2" }).waitFor();
  await page.keyboard.press("Enter");
  await inspected("/srv/a1");
  await page.keyboard.press("Shift+Enter");
  await inspected("/srv/a2");
  await page.keyboard.press("Escape");
  await page.locator(".vertex.found").first().waitFor({ state: "detached" });
});

scene("a vertex is focused with what feeds and follows it, and the overview moves the graph", async (page) => {
  const files = ["a", "b", "c", "d"].map((name) => `file "/srv/${name}" { state => "exists", }\n`).join("");
  await write(page, `${files}File["/srv/a"] -> File["/srv/b"]\nFile["/srv/b"] -> File["/srv/c"]\n`);
  const vertex = (name) => page.locator(`.vertex[data-name*='/srv/${name}']`);
  await page.locator(".vertex.good[data-name*='/srv/d']").waitFor();
  assert.equal(await page.getByRole("button", { name: "Focus", exact: true }).count(), 0);
  await vertex("b").click();
  await page.keyboard.press("f");
  await page.locator(".canvas.focused").waitFor();
  assert.equal(await page.locator(".vertex.around").count(), 3);
  assert.equal(await vertex("d").evaluate((box) => box.classList.contains("around")), false);
  // Another selection takes the focus along.
  await vertex("a").click();
  await page.getByRole("button", { name: "Focus", exact: true, pressed: true }).click();
  await page.locator(".canvas.focused").waitFor({ state: "detached" });
  await vertex("a").focus();
  await page.keyboard.press("0");
  await page.locator(".mini").waitFor({ state: "detached" });
  for (let n = 0; n < 8; n += 1) await page.keyboard.press("+");
  const mini = await page.locator(".mini").boundingBox();
  const place = () => page.locator(".canvas > g").getAttribute("transform");
  const moves = (from) => page.waitForFunction((from) => document.querySelector(".canvas > g").getAttribute("transform") !== from, from);
  const before = await place();
  await page.mouse.click(mini.x + mini.width - 2, mini.y + mini.height - 2);
  await moves(before);
  const corner = await place();
  await page.mouse.click(mini.x + 2, mini.y + 2);
  await moves(corner);
});

const CLOCK = 'import "datetime"\nimport "fmt"\n$now = datetime.now()\nprint "x" {\n\tmsg => fmt.printf("%d", $now),\n}\n';

scene("a value that changes is seen in the function graph, and flows on", async (page) => {
  await write(page, CLOCK);
  await page.getByRole("tab", { name: /Functions/ }).click();
  const now = page.locator(".vertex[data-name^='$now']");
  await now.locator("rect.fresh").waitFor();
  // Each change restarts the animation.
  await now.locator("rect").evaluate((rect) => {
    globalThis.begun = 0;
    rect.addEventListener("animationstart", () => { globalThis.begun += 1; });
  });
  await page.waitForFunction(() => globalThis.begun >= 3);
  const flow = await page.locator("path.flow").elementHandle();
  await page.waitForFunction((element) => !element.isConnected, flow);
});

scene("a vertex whose value changes in the middle of a click is selected", async (page) => {
  await write(page, CLOCK);
  await page.getByRole("tab", { name: /Functions/ }).click();
  const now = page.locator(".vertex[data-name^='$now']");
  await now.locator("rect.fresh").waitFor();
  // Beside its texts.
  await now.locator("rect").hover({ position: { x: 4, y: 20 } });
  await page.mouse.down();
  const value = await now.getAttribute("data-name");
  await page.waitForFunction((value) => document.querySelector(".vertex[data-name^='$now']").dataset.name !== value, value);
  await page.mouse.up();
  await page.locator(".inspector .value").filter({ hasText: /^\d+$/ }).waitFor();
});

scene("changes are not animated with reduced motion", async (page) => {
  await write(page, CLOCK);
  await page.getByRole("tab", { name: /Functions/ }).click();
  await page.locator(".cm-content").focus();
  const moves = (wanted) => page.waitForFunction((wanted) => {
    const cursor = document.querySelector(".editor").shadowRoot.querySelector(".cm-cursorLayer");
    const all = [document.querySelector("rect.fresh"), document.querySelector("path.flow"), cursor];
    return all.every((element) => element !== null && (getComputedStyle(element).animationName !== "none") === wanted);
  }, wanted);
  await moves(true);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await moves(false);
  assert.equal(await page.locator("path.flow").evaluate((flow) => getComputedStyle(flow).opacity), "0", "it is seen while it moves only");
  // The value itself continues to change.
  const value = await page.locator(".vertex[data-name^='$now']").getAttribute("data-name");
  await page.waitForFunction((value) => document.querySelector(".vertex[data-name^='$now']").dataset.name !== value, value);
});

scene("a graph that is too large to draw is a list, folded by kind and searched", async (page) => {
  const names = Array.from({ length: 3200 }, (_, n) => `"/srv/${n}"`).join(", ");
  await write(page, `file [${names}] { state => "exists", }\nprint "the last one" {}\n`);
  const list = page.locator(".graph.listed");
  await list.getByText("3201 resources, too many to draw").waitFor();
  const groups = list.locator(".group");
  const named = async () => (await groups.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  const counted = async () => (await named()).map((text) => text.replace(/ \d+ (failed|with warnings|in progress|waiting|up to date)/g, ""));
  assert.deepEqual(await counted(), ["file 3200", "print 1"]);
  await groups.filter({ hasText: /print/ }).getByText("1 up to date").waitFor();
  // Without classes nothing is folded by them.
  assert.deepEqual(await list.getByLabel("Group by").locator("option").allInnerTexts(), ["kind", "module", "declaration"]);
  // A list of names, like a loop, is one declaration.
  await list.getByLabel("Group by").selectOption("declaration");
  assert.deepEqual(await counted(), ["main.mcl, line 1 3200", "main.mcl, line 2 1"]);
  // The groups open and close with the keyboard.
  await groups.last().focus();
  await page.keyboard.press("Enter");
  await list.locator(".listed-vertex", { hasText: "the last one" }).waitFor();
  await page.keyboard.press("Space");
  await list.locator(".listed-vertex", { hasText: "the last one" }).waitFor({ state: "detached" });
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/folded.png` });
  await list.getByLabel("Group by").selectOption("kind");
  await groups.first().click();
  await list.getByText("3000 more; search to find them").waitFor();
  assert.equal(await list.locator(".listed-vertex").count(), 200);
  await groups.first().click();
  await list.getByRole("textbox", { name: "Search the graph" }).fill("srv/3199");
  await list.getByText("1 of 3201 resources").waitFor();
  await list.locator(".listed-vertex", { hasText: "/srv/3199" }).click();
  await page.locator(".inspector h2", { hasText: "/srv/3199" }).waitFor();
  await page.keyboard.press("Escape");
  await accessible(page, "the list of a large graph");
});

scene("a graph that is too large to draw is folded by class", async (page) => {
  const names = Array.from({ length: 3000 }, (_, n) => `"/srv/${n}"`).join(", ");
  await write(page, `class many {\n\tfile [${names}] { state => "exists", }\n}\ninclude many\nprint "beside" {}\n`);
  const list = page.locator(".graph.listed");
  await list.getByText("3001 resources, too many to draw").waitFor();
  await list.getByLabel("Group by").selectOption("class");
  await list.locator(".group", { hasText: /many\s*3000/ }).waitFor();
  await list.locator(".group", { hasText: /no class\s*1/ }).waitFor();
  assert.equal(await list.locator(".group").count(), 2);
});

scene("a graph that is too large to draw is folded by module", async (page) => {
  const names = Array.from({ length: 3000 }, (_, n) => `"/srv/${n}"`).join(", ");
  const module = `class many {\n\tfile [${names}] { state => "exists", }\n}\n`;
  await write(page, `-- main.mcl --\nimport "lib/"\ninclude lib.many\nprint "beside" {}\n-- lib/main.mcl --\n${module}`);
  const list = page.locator(".graph.listed");
  await list.getByText("3001 resources, too many to draw").waitFor();
  await list.getByLabel("Group by").selectOption("module");
  await list.locator(".group", { hasText: /lib\/main\.mcl\s*3000/ }).waitFor();
  await list.locator(".group", { hasText: /main\.mcl\s*1/ }).waitFor();
  assert.equal(await list.locator(".group").count(), 2);
});

scene("a graph that is too large to draw is folded by loop", async (page) => {
  const names = Array.from({ length: 1600 }, (_, n) => `"${n}"`).join(", ");
  const loop = (folder) => `for $i, $name in $names {\n\tfile "/srv/${folder}/\${name}" { state => "exists", }\n}\n`;
  await write(page, `$names = [${names}]\n${loop("a")}${loop("b")}print "beside" {}\n`);
  const list = page.locator(".graph.listed");
  await list.getByText("3201 resources, too many to draw").waitFor();
  assert.deepEqual(await list.getByLabel("Group by").locator("option").allInnerTexts(), ["kind", "module", "loop", "declaration"]);
  await list.getByLabel("Group by").selectOption("loop");
  // Both have the same variables.
  await list.locator(".group", { hasText: /main\.mcl, line\s+2: for \$i, \$name\s*1600/ }).waitFor();
  await list.locator(".group", { hasText: /main\.mcl, line\s+5: for \$i, \$name\s*1600/ }).waitFor();
  await list.locator(".group", { hasText: /no loop\s*1/ }).waitFor();
  assert.equal(await list.locator(".group").count(), 3);
});

scene("a vertex tells where it comes from", async (page) => {
  await vertices(page).first().waitFor();
  await vertices(page).first().click();
  await page.locator(".inspector").waitFor();
  await page.locator(".mcl-shown").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".inspector").waitFor({ state: "detached" });
});

/** The vertices that are added at once, at most: the cost of each is 2 (`playground/src/graphs/portions.rs`). */
const MOST_AT_ONCE = 600 / 2;

/** Whether there are vertices in sight, all of them with their titles. */
const haveTitles = () => {
  const room = document.querySelector(".canvas").getBoundingClientRect();
  const isInSight = (vertex) => {
    const box = vertex.querySelector("rect").getBoundingClientRect();
    return box.right > room.left && box.left < room.right && box.bottom > room.top && box.top < room.bottom;
  };
  const inSight = [...document.querySelectorAll(".canvas .vertex")].filter(isInSight);
  return inSight.length > 0 && inSight.every((vertex) => vertex.querySelector(".title"));
};

scene("a large graph shows its titles when they can be read", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, Array.from({ length: 400 }, (_, n) => `file "/srv/f${n}" { state => "exists", }\n`).join(""));
  const titles = page.locator(".vertex .title");
  await page.waitForFunction(() => document.querySelectorAll(".vertex.good").length === 400);
  await titles.first().waitFor({ state: "detached" });
  await page.locator(".vertex[tabindex='0']").focus();
  for (let press = 0; press < 9; press++) await page.keyboard.press("+");
  await page.waitForFunction(haveTitles);
  // Vertices that come into sight get their titles; those far away have none.
  const box = await page.locator(".canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let move = 1; move <= 10; move++) await page.mouse.move(x - 30 * move, y + 20 * move);
  await page.mouse.up();
  await page.waitForFunction(haveTitles);
  assert.ok(await titles.count() < 300, "titles that are out of sight");
  await page.getByRole("button", { name: "Show the whole graph", exact: true }).click();
  await titles.first().waitFor({ state: "detached" });
  assert.equal(await vertices(page).count(), 400);
});

scene("a very large graph is drawn in portions, and completely", async (page) => {
  await vertices(page).first().waitFor();
  await page.evaluate(() => {
    globalThis.most = 0;
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.matches?.(".vertex"));
      globalThis.most = Math.max(globalThis.most, added.length);
    }).observe(document.querySelector("#view"), { subtree: true, childList: true });
  });
  const names = Array.from({ length: 2000 }, (_, n) => `"/srv/${n}"`).join(", ");
  await write(page, `file [${names}] { state => "exists", }\n`);
  await page.waitForFunction(() => document.querySelectorAll(".vertex").length === 2000);
  const most = await page.evaluate(() => globalThis.most);
  assert.ok(most > 0 && most <= MOST_AT_ONCE, `${most} vertices at once`);
  // Their states are drawn in portions too, and completely.
  await page.waitForFunction(() => document.querySelectorAll(".vertex.good").length === 2000);
  // Each vertex is the one that it shows.
  await page.locator(".vertex[data-name*='/srv/1999]']").dispatchEvent("click");
  await page.locator(".inspector h2", { hasText: "/srv/1999" }).waitFor();
});
