// Links that are kept in an S3-compatible store: `mclive serve --store s3://...` against s3rver. It knows its
// keys and leaves signatures unread: those are held by published vectors (`network/amazon/sign.rs`).
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { elsewhere } from "./agent.mjs";
import { built, root } from "./built.mjs";
import { launch, open, write } from "./setup.mjs";

const mclive = built("mclive");
const kept = mkdtempSync(join(tmpdir(), "mclive-s3-"));
let s3, endpoint;
/** The servers that run: a test that fails leaves none. */
const servers = new Set();

/** The server, with its programs in a bucket, or in a part of one. */
function serve(bucket, keys = {}) {
  const args = ["serve", "--address", "127.0.0.1:0", "--site", join(root, "www/dist"), "--store", bucket];
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: "S3RVER",
    AWS_SECRET_ACCESS_KEY: "S3RVER",
    AWS_ENDPOINT_URL_S3: endpoint,
    ...keys,
  };
  const child = spawn(mclive, args, { stdio: ["ignore", "pipe", "inherit"], env });
  servers.add(child);
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error("the server ended")));
    child.stdout.on("data", (data) => {
      const url = /http:\/\/[^\s/]+/.exec(String(data))?.[0];
      if (url) resolve({ url, stop: () => stopped(child) });
    });
  });
}

function stopped(child) {
  child.removeAllListeners("exit");
  servers.delete(child);
  return new Promise((resolve) => {
    child.on("exit", resolve);
    child.kill("SIGTERM");
  });
}

before(async () => {
  execFileSync("npm", ["ci", "--prefer-offline", "--silent", "--no-audit", "--no-fund"], { cwd: join(root, "tests/browser/s3"), stdio: "inherit" });
  // A separate process, since the commands below block until they end.
  const bin = join(root, "tests/browser/s3/node_modules/.bin/s3rver");
  s3 = spawn(bin, ["--port", "0", "--address", "127.0.0.1", "--directory", kept, "--configure-bucket", "links"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  endpoint = await new Promise((resolve, reject) => {
    s3.on("exit", () => reject(new Error("the store ended")));
    s3.stdout.on("data", (data) => {
      const found = /127\.0\.0\.1:(\d+)/.exec(String(data))?.[0];
      if (found) resolve(`http://${found}`);
    });
  });
}, { timeout: 300_000 });

after(() => {
  servers.forEach((server) => server.kill("SIGKILL"));
  s3?.removeAllListeners("exit");
  s3?.kill();
  rmSync(kept, { recursive: true, force: true });
});

/** A program on disk, shared and planned with the commands of the agent. */
const run = (...args) => execFileSync(mclive, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const file = join(kept, "main.mcl");
// The author of a link's program is unknown, so it may only print.
const policy = join(kept, "policy.toml");
writeFileSync(policy, 'kinds = ["print"]\n');
const shared = (server, word) => {
  writeFileSync(file, `print "${word}" {}\n`);
  return run("share", "--server", server.url, file).trim();
};

test("links lie in a bucket: other servers open them, keys are checked, and what was taken down is gone", { timeout: 300_000 }, async () => {
  const one = await serve("s3://links/p");
  const link = shared(one, "kept in a bucket");
  assert.equal(shared(one, "kept in a bucket"), link, "the same program has the same link");
  assert.notEqual(shared(one, "another"), link);
  const id = link.split("/").at(-1);
  assert.match(run("plan", "--policy", policy, "--json", link), /kept in a bucket/);
  assert.equal((await fetch(`${one.url}/readyz`)).status, 200);
  await one.stop();

  // Another server on the same bucket, as behind a balancer or after a restart.
  const two = await serve("s3://links/p/");
  assert.match(run("plan", "--policy", policy, "--json", `${two.url}/s/${id}`), /kept in a bucket/);
  assert.equal((await fetch(`${two.url}/api/v1/programs/2222222222`)).status, 404);
  const objects = readdirSync(join(kept, "links/p/programs")).filter((name) => name.startsWith(id));
  assert.ok(objects.length > 0, "the object is named by its ID");

  // The operator's list is an object beside the programs.
  const [object] = objects.filter((name) => name.endsWith("_object"));
  const suffix = object.slice(id.length);
  for (const end of readdirSync(join(kept, "links/p/programs")).filter((name) => name.startsWith(id)).map((name) => name.slice(id.length))) {
    const content = end === suffix ? `${id} it was spam\n` : readFileSync(join(kept, "links/p/programs", id + end));
    writeFileSync(join(kept, "links/p", `taken-down${end}`), content);
  }
  const three = await serve("s3://links/p");
  const gone = await fetch(`${three.url}/api/v1/programs/${id}`);
  assert.equal(gone.status, 410);
  assert.match(await gone.text(), /it was spam/);
  await Promise.all([two.stop(), three.stop()]);

  // Wrong keys, a missing bucket and a missing store are reported, and nothing is served from them.
  for (const [bucket, keys, why] of [
    ["s3://links/p", { AWS_ACCESS_KEY_ID: "nobody" }, 503],
    ["s3://elsewhere", {}, 503],
    ["s3://links/p", { AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1" }, 503],
  ]) {
    const server = await serve(bucket, keys);
    assert.equal((await fetch(`${server.url}/readyz`)).status, why, `${bucket} ${JSON.stringify(keys)}`);
    assert.equal((await fetch(`${server.url}/api/v1/programs/${id}`)).status, why);
    await server.stop();
  }
});

test("the page makes a link in the bucket; a fresh profile, a frame elsewhere and a restarted server open it", { timeout: 300_000 }, async () => {
  const browser = await launch();
  let server = await serve("s3://links/page");
  const vertex = ".vertex[data-name*='print[from a page into a bucket]']";
  try {
    const first = await open(browser, `${server.url}/`);
    await write(first.page, 'print "from a page into a bucket" {}\n');
    await first.page.keyboard.press("ControlOrMeta+s");
    const dialog = first.page.getByRole("dialog", { name: "Share" });
    await dialog.getByRole("button", { name: "Create a short link", exact: true }).click();
    const made = dialog.getByRole("textbox", { name: "short link" });
    await made.waitFor();
    const { pathname } = new URL(await made.inputValue());
    await first.close();
    await server.stop();
    server = await serve("s3://links/page");
    const fresh = await open(browser, server.url + pathname);
    await fresh.page.locator(vertex).waitFor();
    assert.deepEqual(fresh.faults, []);
    await fresh.close();
    assert.match(run("plan", "--policy", policy, "--json", server.url + pathname), /from a page into a bucket/);
    const html = `<iframe src="${server.url}${pathname.replace("/s/", "/embed/")}" width="900" height="600"></iframe>`;
    const site = await elsewhere(html);
    const other = await open(browser, site.url);
    await other.page.frameLocator("iframe").locator(vertex).waitFor();
    assert.deepEqual(other.faults, []);
    await other.close();
    site.close();
  } finally {
    await browser.close();
    await server.stop();
  }
});
