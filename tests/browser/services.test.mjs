// What the editor knows from the compiler, one test each, in a real browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PATIENCE_MS, accessible, open, placeOf, reads, scenes, suggests, textOf, write } from "./setup.mjs";

const house = scenes();
const { scene } = house;

const PROGRAM = `import "fmt"
import "strings"

# what everyone is called
$name = "ada"

func shout($text) {
	strings.to_upper($text) + "!"
}

file "/srv/greeting" {
	state => $const.res.file.state.exists,
	content => shout($name),
}
`;

/** The program, running on the simulated host. */
async function begin(page, text = PROGRAM) {
  await page.locator(".vertex").first().waitFor();
  await write(page, text);
  await page.locator(".vertex.good[data-name*='/srv/greeting']").waitFor();
  // Hints move the text after them, so positions on the screen are only stable once they are shown.
  if (text === PROGRAM) await page.locator(".mcl-hint").first().waitFor();
}

/** Types at the end of the program, which has an error by that. */
async function typeAtEnd(page, text) {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(text);
}

async function click(page, needle, options) {
  const { x, y } = await placeOf(page, needle, options);
  await page.mouse.click(x, y);
}

/** Points at a text until the tooltip says all of this. */
async function hover(page, needle, said, options) {
  const { x, y } = await placeOf(page, needle, options);
  const tip = said.reduce((tip, hasText) => tip.filter({ hasText }), page.locator(".mcl-hover"));
  for (let tries = 8; ; tries -= 1) {
    await page.mouse.move(x + 500, y);
    await page.mouse.move(x, y);
    // Pointing again starts again: if the answer takes long, the waiting time is increased each time.
    const found = tip.waitFor({ timeout: 4_000 * (9 - tries) });
    if (tries === 0) return found;
    if (await found.then(() => true, () => false)) return undefined;
  }
}

const here = (page, hasText) => page.locator(".cm-activeLine").filter({ hasText }).waitFor();

scene("hover shows the type, the documentation and the current value", async (page) => {
  await begin(page);
  await hover(page, "$name)", ["$name str", "what everyone is called", '"ada"']);
  await hover(page, "shout($name", ["func shout($text)", '"ADA!"']);
  await hover(page, "to_upper", ["strings.to_upper(a str) str", "upper case"], { offset: 3 });
  await hover(page, "content", ["content str", "Content of the file"]);
  await hover(page, 'file "', ["Manages a file, directory"]);
  await hover(page, "exists", ['= "exists"']);
});

scene("hover leads to the reference", async (page) => {
  await begin(page);
  await hover(page, "to_upper", ["Open in the reference"], { offset: 3 });
  const link = page.locator(".mcl-hover a");
  assert.equal(await link.getAttribute("href"), "reference.html#strings.to_upper");
  const [manual] = await Promise.all([page.waitForEvent("popup"), link.click()]);
  await manual.locator("article.arrived h3").filter({ hasText: "strings.to_upper" }).waitFor();
});

scene("the value under the mouse is that of the moment", async (page) => {
  const clock = 'import "datetime"\nimport "fmt"\n\n$now = datetime.now()\n\nprint "now" {\n\tmsg => fmt.printf("%d", $now),\n}\n';
  await page.locator(".vertex").first().waitFor();
  await write(page, clock);
  await page.locator(".vertex[data-name*='print[now]']").waitFor();
  await hover(page, "$now", ["$now int", /\d{10}/]);
  const value = () => page.locator(".mcl-hover .mcl-value").innerText();
  const first = await value();
  assert.match(first, /^\d{10}$/);
  const deadline = Date.now() + PATIENCE_MS;
  while (await value() === first) {
    assert.ok(Date.now() < deadline, "the value stays");
    await hover(page, "$now", ["$now int", /\d{10}/]);
  }
});

scene("the keyboard asks what stands at the cursor", async (page) => {
  await begin(page);
  await click(page, "$name)");
  await page.keyboard.press("ControlOrMeta+i");
  await page.locator(".mcl-hover[role=status]").filter({ hasText: "$name str" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".mcl-hover").waitFor({ state: "detached" });
});

scene("one description is open at a time, and Escape closes that of the mouse", async (page) => {
  await begin(page);
  await click(page, "$name)");
  const described = page.locator(".mcl-hover");
  await hover(page, "to_upper", ["Open in the reference"], { offset: 3 });
  await page.keyboard.press("Escape");
  await described.waitFor({ state: "detached" });
  await hover(page, "to_upper", ["Open in the reference"], { offset: 3 });
  await page.keyboard.press("ControlOrMeta+i");
  await page.locator(".mcl-hover[role=status]").filter({ hasText: "$name str" }).waitFor();
  assert.equal(await described.count(), 1);
  await page.keyboard.press("Escape");
  await described.waitFor({ state: "detached" });
});

for (const [what, typed, label, gives] of [
  ["names in scope", "$other = $na", "$name", "$other = $name"],
  ["the members of a module", "$other = strings.to_l", "to_lower", "$other = strings.to_lower("],
  ["a module that is not imported yet, and imports it", "$other = math.sq", "sqrt", 'import "math"'],
  ["kinds of resources", "firew", "firewalld", 'firewalld "'],
  ["modules in an import", 'import "dateti', "datetime", 'import "datetime"'],
  ["the fields of a kind", 'file "/srv/other" {\n\tconte', "content", "content => "],
  ["meta parameters", 'file "/srv/other" {\n\tMeta:auto', "autoedge", "Meta:autoedge => "],
  ["edges", 'file "/srv/other" {\n\tDepe', "Depend", "Depend => "],
]) {
  scene(`completion knows ${what}`, async (page) => {
    await begin(page);
    await typeAtEnd(page, typed);
    await (await suggests(page, label)).click();
    await reads(page, (text) => text.includes(gives));
  });
}

scene("a candidate is explained beside the list", async (page) => {
  await begin(page);
  await typeAtEnd(page, "$other = strings.to_u");
  await suggests(page, "to_upper");
  const info = page.locator(".cm-completionInfo").filter({ hasText: "Converts all letters to upper case" });
  await info.waitFor();
  const inside = await info.evaluate((box) => {
    const { x, y, width, height } = box.getBoundingClientRect();
    return box.contains(box.getRootNode().elementFromPoint(x + width / 2, y + height / 2));
  });
  assert.ok(inside, "the explanation is cut off");
});

scene("the parameters of a call follow the cursor", async (page) => {
  await begin(page);
  await typeAtEnd(page, "$other = strings.replace_all(");
  const active = (hasText) => page.locator(".mcl-call b").filter({ hasText }).waitFor();
  await active("s str");
  await page.keyboard.type('"abc", ');
  await active("old str");
  await page.keyboard.type('"b", "c"');
  await active("new str");
  // Candidates that are offered close first.
  await page.locator(".mcl-call").waitFor();
  for (let tries = 0; tries < 8 && (await page.locator(".mcl-call").count()) > 0; tries += 1) {
    await page.keyboard.press("Escape");
    await page.locator(".mcl-call").waitFor({ state: "detached", timeout: 2_000 }).catch(() => {});
  }
  assert.equal(await page.locator(".mcl-call").count(), 0);
});

scene("a definition is found, and the way back", async (page) => {
  await begin(page);
  await click(page, "shout($name", { offset: 2 });
  await page.keyboard.press("F12");
  await here(page, "func shout");
  await page.keyboard.press("Alt+ArrowLeft");
  await here(page, "content =>");
  const { x, y } = await placeOf(page, "$name)");
  await page.keyboard.down("ControlOrMeta");
  await page.mouse.click(x, y);
  await page.keyboard.up("ControlOrMeta");
  await here(page, '$name = "ada"');
});

scene("a name that is not defined in the program is reported", async (page) => {
  await begin(page);
  await click(page, "to_upper", { offset: 3 });
  await page.keyboard.press("F12");
  await page.locator(".mcl-panel [role=status]").filter({ hasText: "not defined in this program" }).waitFor();
});

scene("the uses of a name are listed, and each is one key away", async (page) => {
  await begin(page);
  await click(page, "$name =");
  await page.keyboard.press("Shift+F12");
  await page.locator(".mcl-panel").filter({ hasText: "2 places" }).waitFor();
  assert.equal(await page.locator(".mcl-panel li").count(), 2);
  await accessible(page, "uses");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await here(page, "content =>");
});

scene("a name is renamed everywhere, and a bad one is refused", async (page) => {
  await begin(page);
  await click(page, "$name =");
  await page.keyboard.press("F2");
  const input = page.locator(".mcl-panel input");
  await input.fill("If so");
  await input.press("Enter");
  await page.locator(".mcl-refused").filter({ hasText: "lower case" }).waitFor();
  await accessible(page, "rename");
  await input.fill("person");
  await input.press("Enter");
  const text = await reads(page, (text) => text.includes("shout($person)"));
  assert.match(text, /\$person = "ada"/);
  assert.doesNotMatch(text, /\$name/);
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => text.includes("shout($name)") && text.includes('$name = "ada"'));
});

scene("a text is searched and replaced, and that can be undone", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, 'print "old one" {}\nprint "old two" {}\n');
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+f");
  for (const [name, text] of [["search", "old"], ["replace", "new"]]) {
    const field = page.locator(`.cm-search input[name=${name}]`);
    await field.fill(text);
    // The panel follows the keys.
    await field.press("End");
  }
  await page.locator(".cm-searchMatch").nth(1).waitFor();
  await page.locator(".cm-search button[name=replaceAll]").click();
  await reads(page, (text) => text.includes('"new one"') && text.includes('"new two"'));
  await page.keyboard.press("Escape");
  await page.locator(".cm-search").waitFor({ state: "detached" });
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => text.includes('"old one"') && text.includes('"old two"'));
});

scene("edits before a reload can be undone after it", async (page) => {
  await write(page, "$first = 1\n");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("$second = 2");
  await reads(page, (text) => text.includes("$second"));
  // The program is kept when typing pauses.
  await page.waitForFunction(() => Object.values({ ...sessionStorage, ...localStorage }).some((value) => value.includes("$second")));
  await page.reload();
  await reads(page, (text) => text.includes("$second"));
  await page.locator(".cm-content").focus();
  // Keys that came slowly are undone in several steps.
  for (let press = 0; press < 11 && (await textOf(page)).includes("$second"); press += 1) await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => text.includes("$first") && !text.includes("$second"));
  await page.keyboard.press("ControlOrMeta+y");
  await reads(page, (text) => text.includes("$second"));
});

scene("types and parameter names stand between the characters, and can be hidden", async (page) => {
  const text = "func area($width, $height) {\n\t$width * $height\n}\n$size = area(2, 3)\nprint \"x\" {\n\tmsg => \"${size}\",\n}\n";
  await write(page, text);
  const hints = page.locator(".mcl-hint");
  const shown = () => hints.evaluateAll((all) => all.map((one) => one.dataset.text));
  await hints.nth(4).waitFor({ state: "attached" });
  assert.deepEqual(await shown(), [" int", " int", " int", "width: ", "height: "]);
  // They are no part of the program.
  assert.equal((await textOf(page)).includes("$size = area(2, 3)"), true);
  const button = page.getByRole("button", { name: "Types" });
  await button.click();
  await page.getByRole("button", { name: "Types", pressed: false }).waitFor();
  await hints.first().waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Types", pressed: false }).waitFor();
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Alt+Shift+T");
  await hints.first().waitFor({ state: "attached" });
});

scene("the outline lists what there is and leads to it", async (page) => {
  await begin(page);
  const outline = page.getByLabel(/^Outline/);
  await outline.locator("option").filter({ hasText: "/srv/greeting" }).waitFor({ state: "attached" });
  const shown = (await outline.locator("option").allInnerTexts()).map((text) => text.trim());
  for (const wanted of ["$name", "func shout", "file[/srv/greeting]"]) assert.ok(shown.includes(wanted), `${wanted}: ${shown}`);
  await outline.selectOption({ label: shown.find((text) => text === "func shout") });
  await here(page, "func shout");
  await page.keyboard.press("ControlOrMeta+Shift+o");
  await page.waitForFunction(() => document.querySelector(".editor").shadowRoot.activeElement?.tagName === "SELECT");
});

scene("a problem is fixed by a key and by a click", async (page) => {
  await begin(page);
  await write(page, PROGRAM.replace("content =>", "contnt =>"));
  await page.locator(".cm-lintRange-error").waitFor();
  await click(page, "contnt");
  await page.keyboard.press("ControlOrMeta+.");
  await reads(page, (text) => text.includes("content =>"));
  await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
  await write(page, PROGRAM.replace("shout($name)", "shuot($name)"));
  await page.locator(".cm-lintRange-error").waitFor();
  const { x, y } = await placeOf(page, "shuot");
  await page.mouse.move(x, y);
  await page.locator(".cm-diagnosticAction").first().click();
  await reads(page, (text) => text.includes("shout($name)"));
  await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
});

scene("a problem is fixed from the list, and the text has the focus", async (page) => {
  await begin(page);
  await write(page, PROGRAM.replace("content =>", "contnt =>"));
  const problem = page.locator(".problems li").filter({ hasText: "contnt" });
  await problem.getByRole("button", { name: "Fix" }).click();
  await reads(page, (text) => text.includes("content =>"));
  await problem.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector(".editor").shadowRoot.activeElement?.classList.contains("cm-content"));
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => text.includes("contnt =>"));
});

scene("the key that pauses the program leaves its text alone", async (page) => {
  await begin(page);
  const before = await textOf(page);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.equal(await textOf(page), before);
});

scene("letters that are typed with AltGr are not taken for shortcuts, which work with Caps Lock", async (page) => {
  await page.locator(".vertex").first().waitFor();
  for (const [key, code] of [["ń", "KeyN"], ["þ", "KeyP"]]) {
    // On Windows, AltGr is reported as both.
    const init = { key, code, altKey: true, ctrlKey: true, cancelable: true };
    assert.ok(await page.evaluate((init) => dispatchEvent(new KeyboardEvent("keydown", init)), init), `${key} is not typed`);
  }
  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.evaluate(() => dispatchEvent(new KeyboardEvent("keydown", { key: "S", code: "KeyS", ctrlKey: true, cancelable: true })));
  await page.getByRole("dialog", { name: "Share" }).waitFor();
});

scene("the program is formatted by a key", async (page) => {
  await begin(page);
  await write(page, '$x   =   [1,2]\nprint   "x" {\nmsg=>"one",\n}\n');
  await page.keyboard.press("Alt+Shift+f");
  await reads(page, (text) => text.includes("$x = [1, 2]") && text.includes('print "x" {\n\tmsg => "one",\n}'));
  // With Alt, some systems produce other letters.
  await write(page, "$x   =   3\n");
  await page.evaluate(() => dispatchEvent(new KeyboardEvent("keydown", { key: "Ï", code: "KeyF", altKey: true, shiftKey: true, cancelable: true })));
  await reads(page, (text) => text.startsWith("$x = 3"));
});

scene("names have the colours of what they are", async (page) => {
  await begin(page, `${PROGRAM}$unused = 1\n`);
  await page.locator(".mcl-is-parameter").filter({ hasText: "$text" }).first().waitFor();
  await page.locator(".mcl-is-module").filter({ hasText: "strings" }).first().waitFor();
  await page.locator(".mcl-unused").filter({ hasText: "$unused" }).first().waitFor();
});

scene("the keys are told", async (page) => {
  await begin(page);
  await page.keyboard.press("F1");
  await page.locator("dialog").filter({ hasText: "rename everywhere" }).waitFor();
  await accessible(page, "keys");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
});

test("a dialog that is closed gives the focus back to what opened it", { timeout: 300_000 }, async () => {
  const { page, faults, close: end } = await open(house.browser, house.url);
  try {
    await begin(page);
    for (const name of ["Keyboard shortcuts", "Share"]) {
      const opener = page.getByRole("button", { name, exact: true });
      for (const close of [() => page.locator("dialog").getByRole("button", { name: "Close", exact: true }).click(), () => page.keyboard.press("Escape")]) {
        await opener.focus();
        await page.keyboard.press("Enter");
        await page.locator("dialog[open]").waitFor();
        await close();
        await page.locator("dialog").waitFor({ state: "detached" });
        assert.ok(await opener.evaluate((button) => button === document.activeElement), `${name}: the focus is lost`);
      }
    }
    // A static site has no store of programs, which Share asks for.
    assert.deepEqual(faults.filter((fault) => !fault.includes("404")), []);
  } finally {
    await end();
  }
});
