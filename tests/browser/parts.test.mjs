// The compiler's module comes in two parts: what the first view calls, and the rest.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root, scenes } from "./setup.mjs";

const { scene } = scenes("chromium");
const REST = "**/worker-rest-*.wasm";

/** Waits for the first view: the graph with a resource in its state, and the content on the simulated host. */
async function firstView(page) {
  await page.locator(".vertex.good").first().waitFor();
}

test("a published site has both parts", () => {
  const files = readdirSync(join(root, "www/dist"));
  for (const part of [/^compiler-.*\.wasm$/, /^worker-rest-.*\.wasm$/, /^models-rest-.*\.wasm$/]) {
    assert.equal(files.filter((name) => part.test(name)).length, 1, `${part} in ${files.join(" ")}`);
  }
});

{
  const asked = [];
  scene("the first view does not wait for the rest, which is then asked for once", async (page) => {
    await firstView(page);
    await page.waitForFunction(() => globalThis.restCame, null, { polling: 50 });
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("file \"/tmp/x\" { state => \"exist\", }\n");
    await page.locator(".cm-lintRange-error").first().waitFor();
    assert.equal(asked.length, 1, asked.join("\n"));
  }, {
    prepare: (page) => page.route(REST, async (route) => {
      asked.push(route.request().url());
      // Not before the first view: if that needed it, it would never come.
      await firstView(page);
      await page.evaluate(() => { globalThis.restCame = true; });
      await route.continue();
    }),
  });
}

{
  let n = 0;
  scene("what is called before it came is loaded at once", async (page) => {
    await firstView(page);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("file \"/tmp/x\" { state => \"exist\", }\n");
    await page.locator(".cm-lintRange-error").first().waitFor();
    assert.ok(n >= 2, `the rest was asked for ${n} times`);
  }, {
    // The first question, which nothing waits for, stays without an answer.
    prepare: (page) => page.route(REST, (route) => {
      n += 1;
      return n === 1 ? undefined : route.continue();
    }),
  });
}
