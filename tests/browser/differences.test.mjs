// Two moments, two hosts and two programs are compared.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";
import { start } from "./world.mjs";

const { scene } = scenes();

scene("a kept moment is compared with a later one, with an earlier one, and with another host", async (page) => {
  await start(page);
  const part = (name) => page.locator(".parts").getByRole("button", { name, exact: true }).click();
  await part("Changes");
  await page.getByText("No moment to compare with").waitFor();
  const keep = page.getByRole("button", { name: "Keep this moment", exact: true });
  const [button, view] = [await keep.boundingBox(), await page.locator(".differences").boundingBox()];
  assert.ok(button.y + button.height <= view.y + view.height, "the button is in sight");
  await keep.click();
  await page.getByText("No differences.").waitFor();
  await part("Everything else");
  await page.getByRole("button", { name: "fill up: /" }).click();
  await part("Files");
  await page.locator(".tree").getByRole("button", { name: "kept" }).click();
  await page.getByRole("button", { name: "delete it" }).click();
  await page.locator(".transport .status.bad").waitFor();
  await part("Changes");
  const row = (group, name) => page.locator(".differences section").filter({ has: page.getByRole("heading", { name: group, exact: true }) })
    .locator("li").filter({ has: page.locator("strong").getByText(name, { exact: true }) });
  await row("Files", "/srv/kept").getByText("removed", { exact: true }).waitFor();
  assert.equal(await row("Files", "/srv/kept").locator("del").first().innerText(), "as it was\\n");
  await row("Resources", "file[/srv/kept]").locator("ins").getByText("failed", { exact: true }).waitFor();
  await row("Disk", "/").locator("del").getByText("has space", { exact: true }).waitFor();
  await row("Disk", "/").locator("ins").getByText("full", { exact: true }).waitFor();
  await accessible(page, "changes");
  // Another host is compared with the same moment.
  await page.getByRole("button", { name: "Add host", exact: true }).click();
  await page.locator(".card").filter({ hasText: "web2" }).click();
  await row("Disk", "/").waitFor({ state: "detached" });
  await page.locator(".differences .keep").getByText("web2").waitFor();
  await page.getByRole("button", { name: "Forget", exact: true }).click();
  await page.getByText("No moment to compare with").waitFor();
});

scene("a long list of differences is cut, and the others are counted", async (page) => {
  await start(page);
  await page.locator(".parts").getByRole("button", { name: "Changes", exact: true }).click();
  await page.getByRole("button", { name: "Keep this moment", exact: true }).click();
  await write(page, 'import "iter"\nimport "fmt"\n$l = iter.map(iter.range(250), func($i) { fmt.printf("/srv/n%d", $i) })\nfile $l {\n\tstate => "exists",\n}\n');
  const resources = page.locator(".differences section").filter({ has: page.getByRole("heading", { name: "Resources", exact: true }) });
  await resources.getByText("more not shown").waitFor();
  assert.equal(await resources.locator("li").count(), 200);
});

for (const width of [1440, 390]) {
  scene(`the kept program runs over the same events, ${width} px`, async (page) => {
    const tab = (name) => page.getByRole("tab", { name }).click();
    const part = (name) => page.locator(".parts").getByRole("button", { name, exact: true }).click();
    const program = async (name) => {
      if (width < 700) await tab(/Program/);
      await write(page, `file "/srv/${name}" {\n\tstate => "exists",\n\tcontent => "${name}\\n",\n}\n`);
      await tab(/Host/);
      await part("Files");
      await page.locator(".tree").getByRole("button", { name }).waitFor();
      await page.locator(".transport .status").getByText("Converged").waitFor();
    };
    await page.locator(".cm-content").first().waitFor({ state: "attached" });
    await program("first");
    await part("Changes");
    await page.getByRole("button", { name: "Keep this moment", exact: true }).click();
    await program("second");
    const path = page.getByRole("textbox", { name: "New file", exact: true });
    await path.fill("/srv/mine");
    await path.press("Enter");
    await page.locator(".tree").getByRole("button", { name: "mine" }).waitFor();
    await part("Changes");
    const row = (name) => page.locator(".differences li").filter({ has: page.locator("strong").getByText(name, { exact: true }) });
    await row("/srv/mine").waitFor();
    await page.getByRole("button", { name: "Run the kept program over the same events" }).click();
    // What was done by hand happens with both programs.
    await page.locator(".differences .keep").getByText("with the kept program").waitFor();
    await row("/srv/mine").waitFor({ state: "detached" });
    await row("/srv/second").getByText("added", { exact: true }).first().waitFor();
    await row("file[/srv/first]").first().getByText("removed", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Play", exact: true }).count(), 1, "time stands still meanwhile");
    await accessible(page, "two programs");
    const wide = await page.evaluate(() => document.querySelector(".differences").scrollWidth - document.querySelector(".differences").clientWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
  }, { viewport: { width, height: width < 700 ? 844 : 900 } });
}

const MOODS = (time, rest) => `$mood = "good"\n$text = "at ${time}: \${mood}"\nfile "/srv/kept" {\n\tstate => "exists",\n\tcontent => $text,\n}\n${rest}`;

for (const width of [1440, 390]) {
  scene(`graphs and values of two moments are compared, ${width} px`, async (page) => {
    const tab = (name) => page.getByRole("tab", { name }).click();
    const program = async (text) => {
      if (width < 700) await tab(/Program/);
      await write(page, text);
      await tab(/Host/);
    };
    await page.locator(".cm-content").first().waitFor({ state: "attached" });
    await program(MOODS("dawn", 'file "/srv/gone" {\n\tstate => "exists",\n\tcontent => "",\n\tDepend => File["/srv/kept"],\n}\n'));
    // The page's first program may have converged too.
    await page.locator(".tree").getByRole("button", { name: "gone" }).waitFor();
    await page.locator(".transport .status").getByText("Converged").waitFor();
    await page.locator(".parts").getByRole("button", { name: "Changes", exact: true }).click();
    await page.getByRole("button", { name: "Keep this moment", exact: true }).click();
    await page.getByText("No differences.").waitFor();
    assert.equal(await page.locator(".compared").count(), 0, "equal graphs are not drawn");
    await program(MOODS("dusk", 'file "/srv/new" {\n\tstate => "exists",\n\tcontent => "",\n\tDepend => File["/srv/kept"],\n}\n'));
    const row = (group, name) => page.locator(".differences section").filter({ has: page.getByRole("heading", { name: group, exact: true }) })
      .locator("li").filter({ has: page.locator("strong").getByText(name, { exact: true }) });
    await row("Values", "$text").locator("del").getByText("at dawn").waitFor();
    await row("Values", "$text").locator("ins").getByText("at dusk").waitFor();
    assert.equal(await row("Values", "$mood").count(), 0, "a value that stays is not listed");
    await row("Resource graph", "file[/srv/new]").getByText("added", { exact: true }).waitFor();
    await row("Resource graph", "file[/srv/kept] → file[/srv/gone]").getByText("removed", { exact: true }).waitFor();
    const graph = (title) => page.locator(".compared figure").filter({ hasText: title });
    const signed = (title, look, name) => graph(title).locator(`.vertex.${look}[data-name*='${name}'] .mark`).waitFor({ state: "attached" });
    await signed("Resource graph now", "added", "/srv/new");
    await signed("Resource graph now", "altered", "/srv/kept");
    await signed("Resource graph of the kept moment", "removed", "/srv/gone");
    await graph("Resource graph now").locator(".edge.added").waitFor({ state: "attached" });
    await graph("Resource graph of the kept moment").locator(".edge.removed").waitFor({ state: "attached" });
    await signed("Function graph now", "altered", "$text");
    assert.deepEqual(await page.getByRole("list", { name: "Legend" }).locator("li").allInnerTexts(),
      ["added (thick line)", "removed (dashed line)", "changed (dotted line)"]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/compared-${width}.png` });
    const wide = await page.locator(".differences").evaluate((view) => view.scrollWidth - view.clientWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
    await accessible(page, "compared graphs");
  }, { viewport: { width, height: width < 700 ? 844 : 900 } });
}
