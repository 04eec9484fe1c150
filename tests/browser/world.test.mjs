// Everything that a host has, to be seen and changed by hand.
import assert from "node:assert/strict";
import { accessible, scenes, write } from "./setup.mjs";

const { scene } = scenes();
const PROGRAM = 'user "bob" {\n\tstate => "exists",\n\tshell => "/bin/zsh",\n}\nfile "/srv/kept" {\n\tstate => "exists",\n\tcontent => "as it was\\n",\n\tmode => "0644",\n}\n';

async function start(page) {
  await page.locator(".vertex").first().waitFor();
  await write(page, PROGRAM);
  await page.locator(".vertex.good[data-name*='/srv/kept']").waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
}

scene("what is changed by hand is repaired, and what is broken breaks", async (page) => {
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

for (const width of [1440, 768, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    scene(`everything on the host can be read and used: ${colorScheme}, ${width} px`, async (page) => {
      await page.locator(".vertex").first().waitFor();
      await page.getByRole("tab", { name: /Host/ }).click();
      await page.getByRole("button", { name: "Everything else", exact: true }).click();
      assert.ok(await page.locator(".world section").count() >= 9);
      await accessible(page, "world");
      const wide = await page.locator(".world").evaluate((world) => world.scrollWidth - world.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/world-${width}-${colorScheme}.png` });
    }, { colorScheme, viewport: { width, height: width < 700 ? 844 : 900 } });
  }
}
