// The page's promises, one test each, in a real browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, open, scenes, textOf, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;
const vertices = (page) => page.locator(".vertex");
const status = (page) => page.locator(".transport .status");

scene("the first visit shows a program and its resource graph, without any problem", async (page) => {
  await vertices(page).first().waitFor();
  assert.equal(await vertices(page).count(), 3);
  await page.getByText("No problems").waitFor();
});

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
  // Each change begins the animation anew.
  for (const changing of [now.locator("rect"), page.locator("path.flow")]) {
    const first = await changing.elementHandle();
    await page.waitForFunction((element) => !element.isConnected, first);
  }
});

scene("what changes is calm for whoever wants no motion", async (page) => {
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
  // The value itself goes on.
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

scene("a mistake gets a squiggle and an entry, and both disappear when it is fixed", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'print "x" {\n\tmsg => $nothing,\n}\n');
  await page.locator(".cm-lintRange-error").first().waitFor();
  await page.locator(".problems li.bad").first().waitFor();
  await write(page, 'print "x" {\n\tmsg => "something",\n}\n');
  await page.getByText("No problems").waitFor();
  await page.locator(".cm-lintRange-error").first().waitFor({ state: "detached" });
});

scene("the line that is being written stays in sight when the list of problems opens", async (page) => {
  await vertices(page).first().waitFor();
  const text = Array.from({ length: 60 }, (_, n) => `file "/srv/f${n}" { state => "exists", }\n`).join("");
  await write(page, text);
  await page.getByText("No problems").waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("=");
  await page.locator(".problems li.bad").first().waitFor();
  await page.locator(".cm-lintRange-error").first().waitFor();
  await page.waitForFunction(() => {
    const editor = document.querySelector(".editor").shadowRoot;
    const [line, sight] = [".cm-activeLine", ".cm-scroller"].map((name) => editor.querySelector(name)?.getBoundingClientRect());
    return line && line.bottom <= sight.bottom + 1;
  });
});

scene("several mistakes are listed at once, and a code is explained", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'print "x" {\n\tmsg => $nothing,\n}\nprint "y" {\n\tmsg => $neither,\n}\n');
  await page.locator(".problems li.bad").nth(1).waitFor();
  await page.locator(".problems .code").first().click();
  await page.locator("dialog .prose h3").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
});

scene("the simulated host converges, and repairs what is broken", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, 'file "/srv/kept" {\n\tstate => $const.res.file.state.exists,\n\tcontent => "as it was\\n",\n}\n');
  await page.locator(".vertex.good[data-name*='/srv/kept']").waitFor();
  await status(page).getByText("Converged").waitFor();
  await page.locator(".vertex[data-name*='/srv/kept']").click();
  await page.getByRole("button", { name: "delete it" }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.locator(".log").getByText("someone removed /srv/kept").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.waitForFunction(() => document.querySelector(".file textarea")?.value === "as it was\n");
});

/** A file of many lines, each of which changes each second. */
const TICKING = `import "datetime"
import "fmt"
$now = datetime.now()
file "/srv/long" {
	state => "exists",
	content => fmt.printf("${"%d\\n".repeat(30)}", ${Array(30).fill("$now").join(", ")}),
}
`;

scene("the log follows rows that are taller than it, stays where it is read, and counts what repeats", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, TICKING);
  await page.locator(".vertex[data-name*='/srv/long']").waitFor();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("tab", { name: /Log/ }).click();
  await page.getByRole("button", { name: "Start over with an empty host" }).click();
  const tall = page.locator(".log pre");
  await tall.first().waitFor({ state: "detached" });
  // Each event comes while the log is open: the file is written, and then written again.
  const about = page.locator(".log li").filter({ hasText: "/srv/long" });
  while (await about.count() < 3 || await tall.count() === 0) {
    const moment = (track) => track.getAttribute("aria-valuenow") + track.getAttribute("aria-valuetext");
    const before = await page.locator(".track").evaluate(moment);
    await page.getByRole("button", { name: "Step to the next event" }).click();
    await page.waitForFunction((before) => {
      const track = document.querySelector(".track");
      return track.getAttribute("aria-valuenow") + track.getAttribute("aria-valuetext") !== before;
    }, before);
  }
  const atEnd = () => {
    const log = document.querySelector(".log");
    return log.scrollHeight > 1.3 * log.clientHeight && log.scrollHeight - log.scrollTop - log.clientHeight < 2;
  };
  await page.waitForFunction(atEnd);
  // A reader at the beginning stays there, whatever comes.
  await page.locator(".log").evaluate((log) => log.scrollTo(0, 0));
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const counts = (most) => page.waitForFunction(
    (most) => [...document.querySelectorAll(".log .badge")].some((badge) => Number(badge.textContent.slice(1)) >= most), most);
  await counts(3);
  const n = await page.locator(".log li").count();
  await counts(6);
  assert.ok(await page.locator(".log li").count() <= n + 1, "what repeats is one row");
  assert.equal(await page.locator(".log").evaluate((log) => log.scrollTop), 0);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".log-bar").getByRole("button", { name: "Save", exact: true }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "log.txt");
}, { viewport: { width: 1280, height: 500 } });

scene("a vertex tells where it comes from", async (page) => {
  await vertices(page).first().waitFor();
  await vertices(page).first().click();
  await page.locator(".inspector").waitFor();
  await page.locator(".mcl-shown").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".inspector").waitFor({ state: "detached" });
});

scene("a large graph shows its titles when they can be read", async (page) => {
  await vertices(page).first().waitFor();
  await write(page, Array.from({ length: 400 }, (_, n) => `file "/srv/f${n}" { state => "exists", }\n`).join(""));
  const first = page.locator(".vertex[data-name*='/srv/f0'] .title");
  await page.locator(".vertex.good[data-name*='/srv/f399']").waitFor();
  assert.equal(await vertices(page).count(), 400);
  await first.waitFor({ state: "hidden" });
  await page.locator(".vertex[tabindex='0']").focus();
  for (let press = 0; press < 9; press++) await page.keyboard.press("+");
  await first.waitFor({ state: "visible" });
  await page.keyboard.press("0");
  await first.waitFor({ state: "hidden" });
});

test("a shared link opens the same program", { timeout: 300_000 }, async () => {
  const first = await open(house.browser, house.url);
  await vertices(first.page).first().waitFor();
  await write(first.page, '# a shared program ✓\nprint "shared" {}\n');
  await first.page.getByRole("button", { name: "Share", exact: true }).click();
  await first.page.waitForFunction(() => location.hash.startsWith("#c="));
  const link = first.page.url();
  await first.close();
  const second = await open(house.browser, link);
  await second.page.locator(".vertex[data-name*='print[shared]']").waitFor();
  assert.match(await textOf(second.page), /a shared program ✓/);
  await second.close();
});

// One link of each version that was ever given out. None may go, and none may change.
for (const link of [
  "ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA",
  "BLn00uErKMrMK1FQyk4tKFFIyy9SSC1LLVJSqK7lAgA",
]) {
  scene(`an old link opens: ${link.slice(0, 4)}`, async (page) => {
    await page.locator(".vertex[data-name*='print[kept for ever]']").waitFor();
  }, { path: `#c=${link}` });
}

test("a cut-off, a damaged and an exploding link give one clear error and leave the text", { timeout: 300_000 }, async () => {
  const { page, close } = await open(house.browser, house.url);
  await vertices(page).first().waitFor();
  await write(page, 'print "mine" {}\n');
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.waitForFunction(() => location.hash.startsWith("#c="));
  const whole = await page.evaluate(() => location.hash);
  // Of version 1, which has no checksum.
  const bomb = await page.evaluate(async () => {
    const deflated = await globalThis.mclive.deflateText("# ".repeat(2_000_000));
    return btoa(String.fromCharCode(1, ...deflated)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  });
  const swapped = whole[20] === "A" ? "B" : "A";
  for (const [bad, words] of [
    [whole.split("&")[0].slice(0, -6), /truncated or modified/],
    [whole.slice(0, 20) + swapped + whole.slice(21), /truncated or modified/],
    ["#c=!!!", /damaged/],
    ["#c=CQAA", /newer version/],
    [`#c=${bomb}`, /more than a megabyte/],
  ]) {
    await page.evaluate((hash) => { location.hash = hash; }, bad);
    await page.locator(".notice.bad").filter({ hasText: words }).waitFor();
    assert.match(await textOf(page), /"mine"/);
  }
  await close();
});

scene("a program that explodes leaves the page usable", async (page) => {
  await vertices(page).first().waitFor();
  const doubling = Array.from({ length: 40 }, (_, n) => `func f${n + 1}($x) {\n\tf${n}($x) + f${n}($x)\n}\n`).join("");
  for (const text of ["$x = " + "[".repeat(100_000) + "\n", `func f0($x) {\n\t$x\n}\n${doubling}print "x" {\n\tmsg => "\${f40(1)}",\n}\n`]) {
    await write(page, text);
    await page.locator(".problems li.bad, .stopped").first().waitFor();
  }
  await write(page, 'print "after" {}\n');
  await page.locator(".vertex[data-name*='print[after]']").waitFor();
});

scene("the keyboard alone reaches a vertex and leaves the editor", async (page) => {
  await vertices(page).first().waitFor();
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement?.className), "editor");
  await page.locator(".vertex[tabindex='0']").focus();
  await page.keyboard.press("Enter");
  await page.locator(".inspector").waitFor();
  await page.locator(".inspector").getByRole("button", { name: "Close", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".inspector").waitFor({ state: "detached" });
  assert.ok(await page.evaluate(() => document.activeElement?.matches(".vertex")), "the focus is lost");
});

scene("keys lead through the tabs that are there, and one is open at any width", async (page) => {
  await vertices(page).first().waitFor();
  const open = () => page.locator(".tabs [role=tab][aria-selected=true]").innerText();
  const visited = async (keys) => {
    const names = [];
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForFunction(() => document.activeElement?.matches(".tabs [aria-selected=true]"));
      names.push((await open()).match(/\w+/)[0]);
    }
    return names;
  };
  await page.getByRole("tab", { name: /Resources/ }).focus();
  assert.deepEqual(await visited(["ArrowLeft", "ArrowRight", "ArrowRight", "End", "Home"]), ["Log", "Resources", "Functions", "Log", "Resources"]);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await visited(["Home"]), ["Program"]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator(".stage .graph").waitFor();
  assert.match(await open(), /Resources/);
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    scene(`no accessibility fault: ${colorScheme}, ${width} px`, async (page) => {
      await vertices(page).first().waitFor();
      for (const view of ["Resources", "Functions", "Host", "Log", ...(width < 700 ? ["Program"] : [])]) {
        await page.getByRole("tab", { name: new RegExp(view) }).click();
        await accessible(page, view);
      }
    }, { colorScheme, viewport: { width, height: 844 } });
  }
}
