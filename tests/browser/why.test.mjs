// What led to the selected thing, in every view: text, graphs, timeline, log and host.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const PROGRAM = `import "datetime"
import "math"
$now = datetime.now()
$mood = if math.mod($now, 10) < 5 {
	"good"
} else {
	"bad"
}
$text = "feeling \${mood}"
file "/srv/out" {
	state => "exists",
	content => $text,
}
if $mood == "bad" {
	file "/srv/alarm" {
		state => "exists",
		content => "!",
	}
}
file "/srv/other" {
	state => "exists",
	content => "always the same",
}
`;

const led = async (page) => (await page.locator(".mcl-led").allInnerTexts()).join("");
const tab = (page, name) => page.getByRole("tab", { name }).click();

for (const width of [1440, 390]) {
  scene(`what led to a resource is marked in every view, ${width} px`, async (page) => {
    await page.locator(".cm-content").first().waitFor({ state: "attached" });
    if (width < 700) await tab(page, /Program/);
    await write(page, PROGRAM);
    await tab(page, /Resources/);
    await page.locator(".vertex[data-name*='/srv/out']").click();
    await page.locator(".mcl-led").first().waitFor({ state: "attached" });
    const marked = await led(page);
    for (const part of [/datetime\.now\(\)/, /if math\.mod/, /feeling/]) assert.match(marked, part);
    assert.doesNotMatch(marked, /"good"/, "of a construct, the head");
    assert.doesNotMatch(marked, /always the same/);
    await page.locator(".track .led").first().waitFor({ state: "attached" });
    const values = page.locator(".inspector dt", { hasText: /^values$/ }).locator("xpath=following-sibling::dd[1]");
    for (const name of ["$now", "$mood", "$text"]) await values.locator("li").filter({ hasText: new RegExp(`^\\s*\\${name}\\s*$`) }).first().waitFor();
    await accessible(page, "a resource with its values");
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/why-resource-${width}.png` });
    // The same in the function graph.
    await tab(page, /Functions/);
    const names = (selector) => page.locator(selector).evaluateAll((all) => all.map((one) => one.dataset.name.split(",")[0]).sort());
    for (const name of ["$now", "$mood", "$text"]) await page.locator(`.vertex.led[data-name^='${name}']`).first().waitFor({ state: "attached" });
    assert.ok(!(await names(".vertex.led")).some((name) => name.startsWith("if $mood")), "what it does not read");
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/why-functions-${width}.png` });
    // A value leads to the resources that read it, also to those inside a condition.
    await tab(page, /Resources/);
    await page.locator(".vertex[data-name*='/srv/out']").click();
    await values.getByRole("button", { name: "$mood" }).click();
    await page.locator(".vertex.selected[data-name^='$mood']").waitFor();
    await page.getByRole("heading", { name: "$mood" }).waitFor();
    await tab(page, /Resources/);
    await page.locator(".vertex.led[data-name*='/srv/out']").waitFor();
    assert.ok(!(await names(".vertex.led")).some((name) => name.includes("/srv/other")));
    await page.keyboard.press("Escape");
  }, { viewport: { width, height: width < 700 ? 844 : 900 } });
}

scene("a file tells which resource manages it, and what led to it", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await write(page, PROGRAM);
  await page.locator(".vertex.good[data-name*='/srv/out']").waitFor();
  await tab(page, /Host/);
  await page.locator(".tree").getByRole("button", { name: "out" }).click();
  await page.locator(".managed").getByRole("button", { name: "file[/srv/out]" }).click();
  await page.locator(".last-line .because").waitFor();
  await page.locator(".mcl-led").getByText(/feeling/).first().waitFor();
  await page.locator(".track .led").first().waitFor({ state: "attached" });
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/why-file.png` });
  await accessible(page, "a managed file");
  // The log marks its lines.
  await tab(page, /Log/);
  await page.locator(".log li.led").first().waitFor();
  assert.ok((await page.locator(".log li.led").allInnerTexts()).every((line) => line.includes("/srv/out")));
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/why-log.png` });
});
