// Programs of several files in the page: tabs, what the compiler makes of all files, ways in and out, links.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { readZip, zipOf } from "../../www/web/zip.js";
import { accessible, placeOf, reads, scenes, textOf, write } from "./setup.mjs";

const house = scenes();
const folder = mkdtempSync(join(tmpdir(), "mclive-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const tabs = (page) => page.getByRole("tablist", { name: "Files of the program" }).getByRole("tab");
const tab = (page, name) => page.getByRole("tablist", { name: "Files of the program" }).getByRole("tab", { name });
const resource = (page, name) => page.locator(`.vertex[data-name*='${name}']`);

const ARCHIVE = `# a program with a module
-- main.mcl --
import "lib/"
include lib.hello($lib.name)
-- lib/main.mcl --
$name = "from a module"
class hello($who) {
	print "\${who}" {}
}
`;

/** Drops files on the page: [name, bytes or text] each. */
function drop(page, ...files) {
  // A list of numbers would take Playwright half a minute for 2 MB.
  const encoded = files.map(([name, content]) => [name, Buffer.from(content).toString("base64")]);
  return page.evaluate((files) => {
    const data = new DataTransfer();
    const bytesOf = (base64) => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    for (const [name, base64] of files) data.items.add(new File([bytesOf(base64)], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, encoded);
}

const zip = (files) => Buffer.concat(zipOf(files.map(([path, content]) => [path, Buffer.from(content)])).map((part) => Buffer.from(part)));

house.scene("a pasted text archive opens as tabs, and the program is made of all files", async (page) => {
  await write(page, ARCHIVE);
  await resource(page, "print[from a module]").waitFor();
  assert.deepEqual(await tabs(page).allInnerTexts(), ["main.mcl", "lib/main.mcl"]);
  await reads(page, (text) => text.startsWith('import "lib/"') && !text.includes("-- "));

  // An error in another file is counted on its tab, and its line in the list leads there.
  await tab(page, /lib/).click();
  await reads(page, (text) => text.includes("class hello"));
  await write(page, "$name = \nclass hello($who) {\n}\n");
  await tab(page, /lib\/main.mcl, \d+ errors?/).waitFor();
  await tab(page, /^main.mcl/).click();
  await page.locator(".problem").filter({ hasText: "lib/main.mcl:" }).first().click();
  await reads(page, (text) => text.includes("class hello"));

  // What was typed in a tab can be undone after another one was shown.
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => text.includes('"from a module"'));
  await resource(page, "print[from a module]").waitFor();
  await accessible(page, "tabs");
});

house.scene("edits of a file can be undone after two reloads, even if another file is shown", async (page) => {
  await write(page, ARCHIVE);
  await resource(page, "print[from a module]").waitFor();
  await tab(page, /lib/).click();
  await reads(page, (text) => text.includes("class hello"));
  await write(page, '$name = "typed"\nclass hello($who) {\n\tprint "${who}" {}\n}\n');
  await resource(page, "print[typed]").waitFor();
  await tab(page, /^main.mcl/).click();
  await page.waitForFunction(() => sessionStorage["mclive.beside"]?.includes("typed"));
  for (let reload = 0; reload < 2; reload += 1) {
    await page.reload();
    await resource(page, "print[typed]").waitFor();
    await reads(page, (text) => text.includes("include lib.hello"));
  }
  await tab(page, /lib/).click();
  await reads(page, (text) => text.includes('"typed"'));
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, (text) => text.includes('"from a module"'));
});

house.scene("edits of a file can be undone after it is renamed, also after a reload", async (page) => {
  const rename = async (from, to) => {
    await tab(page, from).focus();
    await page.keyboard.press("F2");
    await page.getByLabel("Name of the file").fill(to);
    await page.keyboard.press("Enter");
    await tab(page, to).waitFor();
  };
  const press = async (key) => {
    await page.locator(".cm-content").focus();
    await page.keyboard.press(key);
  };
  await write(page, ARCHIVE);
  await resource(page, "print[from a module]").waitFor();
  await tab(page, "lib/main.mcl").click();
  await reads(page, (text) => text.includes("class hello"));
  await write(page, '$name = "typed"\nclass hello($who) {\n\tprint "${who}" {}\n}\n');
  await resource(page, "print[typed]").waitFor();
  await rename("lib/main.mcl", "lib/other.mcl");
  await reads(page, (text) => text.includes('"typed"'));
  await press("ControlOrMeta+z");
  await reads(page, (text) => text.includes('"from a module"'));
  await press("ControlOrMeta+y");
  await reads(page, (text) => text.includes('"typed"'));
  // Its history is not shown to a file that gets the previous name.
  await page.getByRole("button", { name: "Add a file", exact: true }).click();
  await page.getByLabel("Name of the file").fill("lib/main.mcl");
  await page.keyboard.press("Enter");
  await tab(page, "lib/main.mcl").waitFor();
  await reads(page, (text) => text.trim() === "");
  await press("ControlOrMeta+z");
  await reads(page, (text) => text.trim() === "");
  await page.waitForFunction(() => ["typed", "lib/other.mcl", "lib/main.mcl"].every((words) => sessionStorage["mclive.beside"]?.includes(words)));
  await page.reload();
  // Its history was stored under its new name.
  await tab(page, "lib/other.mcl").click();
  await rename("lib/other.mcl", "notes.txt");
  await reads(page, (text) => text.includes('"typed"'));
  await press("ControlOrMeta+z");
  await reads(page, (text) => text.includes('"from a module"'));
});

house.scene("definitions and uses lead to other files, and renaming changes all of them", async (page) => {
  await write(page, ARCHIVE);
  await resource(page, "print[from a module]").waitFor();
  const at = await placeOf(page, "hello");
  await page.mouse.click(at.x, at.y);
  await page.keyboard.press("F12");
  await reads(page, (text) => text.includes("class hello"));
  await page.keyboard.press("Alt+ArrowLeft");
  await reads(page, (text) => text.includes("include lib.hello"));
  await page.keyboard.press("F2");
  const field = page.getByLabel(/Rename hello to/);
  await field.fill("greeting");
  await page.keyboard.press("Enter");
  await reads(page, (text) => text.includes("include lib.greeting"));
  await tab(page, /lib/).click();
  await reads(page, (text) => text.includes("class greeting"));
  await resource(page, "print[from a module]").waitFor();
});

house.scene("tabs are added, renamed and deleted with the keyboard, and names that do not fit are refused", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const add = async (name) => {
    await page.getByRole("button", { name: "Add a file", exact: true }).click();
    await page.getByLabel("Name of the file").fill(name);
    await page.keyboard.press("Enter");
  };
  for (const [name, why] of [["../x", /relative path/], ["/etc/passwd", /relative path/], ["a\\b", /relative path/], ["main.mcl", /already/], ["<img src=x onerror=alert(1)>/", /relative path/]]) {
    await add(name);
    await page.locator(".file-refused").filter({ hasText: why }).waitFor();
    await page.keyboard.press("Escape");
  }
  await add("<b>x</b>");
  await add("files/motd");
  await tab(page, "files/motd").waitFor();
  assert.deepEqual(await tabs(page).allInnerTexts(), ["main.mcl", "<b>x</b>", "files/motd"]);
  await write(page, "welcome\n");
  await tab(page, "files/motd").focus();
  await page.keyboard.press("F2");
  await page.getByLabel("Name of the file").fill("files/issue");
  await page.keyboard.press("Enter");
  await tab(page, "files/issue").waitFor();
  // The focus is on the tab again, for the next key.
  await page.waitForFunction(() => document.activeElement?.matches("[role=tab][aria-selected=true]"));
  await page.keyboard.press("Delete");
  await tab(page, "files/issue").waitFor({ state: "detached" });
  assert.deepEqual(await tabs(page).allInnerTexts(), ["main.mcl", "<b>x</b>"]);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await tab(page, "files/issue").waitFor();
  await reads(page, (text) => text.startsWith("welcome"));
  await tab(page, "files/issue").focus();
  await page.keyboard.press("Home");
  await page.getByRole("tab", { name: "main.mcl", selected: true }).waitFor();
  await page.keyboard.press("Delete");
  assert.equal(await tabs(page).count(), 3, "the first file stays");
  // The program of a tab is there after a reload, with all its files.
  await page.waitForFunction(() => sessionStorage["mclive.beside"]?.includes("files/issue"));
  await page.reload();
  await tab(page, "files/issue").click();
  await reads(page, (text) => text.startsWith("welcome"));
});

house.scene("a link holds all files, and opens in the page and says its version", async (page) => {
  await write(page, ARCHIVE);
  await resource(page, "print[from a module]").waitFor();
  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: "Share" });
  const link = await dialog.getByRole("textbox", { name: "long link" }).inputValue();
  assert.match(link, /#p=[\w-]+&v=\d+\.\d+\.\d+$/);
  assert.match(await dialog.getByRole("textbox", { name: "embed snippet" }).inputValue(), /embed\/#p=/);
  const [archive] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Text archive" }).click()]);
  assert.equal(readFileSync(await archive.path(), "utf8"), ARCHIVE.slice(ARCHIVE.indexOf("-- ")));
  const [packed] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Zip", exact: true }).click()]);
  const bytes = readFileSync(await packed.path());
  assert.deepEqual((await readZip(bytes, 9, 9999)).map(([name]) => name), ["main.mcl", "lib/main.mcl"]);
  await page.keyboard.press("Escape");
  await write(page, "\n");
  await page.goto("about:blank");
  await page.goto(link);
  await resource(page, "print[from a module]").waitFor();
  assert.equal(await tabs(page).count(), 2);
  // And what the page gave as a file, it takes.
  await drop(page, ["program.zip", bytes]);
  await resource(page, "print[from a module]").waitFor();
});

house.scene("a file that is not text is kept, shown as such, and part of links and downloads", async (page) => {
  const bytes = Buffer.from([0x89, 0x50, 0xff, 0, 10]);
  const holds = async (archive) => {
    const files = new Map(await readZip(readFileSync(await archive.path()), 9, 9999));
    assert.deepEqual([...files.keys()], ["main.mcl", "files/logo.png"]);
    assert.ok(Buffer.from(files.get("files/logo.png")).equals(bytes));
  };
  const isShown = async () => {
    await tab(page, "files/logo.png, binary, 5 bytes").click();
    await page.getByRole("region", { name: "files/logo.png, binary, 5 bytes" }).waitFor();
    await page.locator(".editor").waitFor({ state: "hidden" });
  };
  await page.locator(".vertex").first().waitFor();
  await drop(page, ["x.zip", zip([["main.mcl", 'print "beside bytes" {}\n'], ["files/logo.png", bytes]])]);
  await resource(page, "print[beside bytes]").waitFor();
  await isShown();
  await accessible(page, "a file that is not text");
  const [alone] = await Promise.all([page.waitForEvent("download"), page.getByRole("region", { name: /logo/ }).getByRole("button", { name: "Download" }).click()]);
  assert.ok(readFileSync(await alone.path()).equals(bytes));
  await tab(page, "main.mcl").click();
  await write(page, 'print "edited beside bytes" {}\n');
  await resource(page, "print[edited beside bytes]").waitFor();

  // The site's own server stores nothing; a request to it causes an error in the console.
  await page.route("**/api/v1/", (route) => route.fulfill({ json: {} }));
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: "Share" });
  const link = await dialog.getByRole("textbox", { name: "long link" }).inputValue();
  const [packed] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Zip", exact: true }).click()]);
  await holds(packed);
  await dialog.getByRole("button", { name: "Text archive" }).click();
  await page.locator(".notice.bad").filter({ hasText: /not text; download the zip instead/ }).waitFor();
  await page.keyboard.press("Escape");
  // After a reload it is there, and in the link as well.
  await page.waitForFunction(() => sessionStorage["mclive.binary"]?.includes("files/logo.png"));
  await page.reload();
  await resource(page, "print[edited beside bytes]").waitFor();
  await isShown();
  await page.goto("about:blank");
  await page.goto(link);
  await resource(page, "print[edited beside bytes]").waitFor();
  await isShown();
});

house.scene("files, folders, archives and zips open", async (page) => {
  await page.locator(".vertex").first().waitFor();
  await drop(page, ["main.mcl", 'import "deploy"\nprint "dropped" {}\n'], ["metadata.yaml", "main: main.mcl\n"]);
  await tab(page, "metadata.yaml").waitFor();
  await drop(page, ["program.txtar", ARCHIVE]);
  await resource(page, "print[from a module]").waitFor();
  await drop(page, ["x.zip", zip([["top/main.mcl", 'print "zipped" {}\n'], ["top/files/a", "x"]])]);
  await resource(page, "print[zipped]").waitFor();

  const picked = join(folder, "web");
  mkdirSync(join(picked, "lib"), { recursive: true });
  mkdirSync(join(picked, ".git"));
  writeFileSync(join(picked, "main.mcl"), 'import "lib/"\nprint "${lib.name}" {}\n');
  writeFileSync(join(picked, "lib/main.mcl"), '$name = "picked"\n');
  writeFileSync(join(picked, ".git/config"), "x");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: /Examples|follows the clock/ }).click();
  await page.getByRole("button", { name: /A folder/ }).click();
  await (await chooser).setFiles(picked);
  await resource(page, "print[picked]").waitFor();
  assert.deepEqual(await tabs(page).allInnerTexts(), ["main.mcl", "lib/main.mcl"]);
});

house.scene("hostile files are refused in one sentence, and change nothing", async (page) => {
  await page.locator(".vertex").first().waitFor();
  const before = await textOf(page);
  const bomb = zip([["main.mcl", "x"]]);
  const packed = deflateRawSync(Buffer.alloc(50 << 20));
  for (const [files, why] of [
    [[["a.mcl", ""], ["b.mcl", ""]], /several programs/],
    [[["README", "x"], ["LICENSE", "x"]], /[Nn]o program/],
    [[["x.zip", zip([["../main.mcl", ""]])]], /relative path/],
    [[["x.zip", zip([["main.mcl", ""], ["/etc/passwd", ""]])]], /relative path/],
    [[["x.zip", zip([["main.mcl", ""], ["a\0b", ""]])]], /relative path/],
    [[["x.zip", zip([["main.mcl", ""], ["a".repeat(300), ""]])]], /longer than 200/],
    [[["x.zip", zip([["main.mcl", ""], ["main.mcl", ""]])]], /[Dd]uplicate/],
    [[["x.zip", zip([["main.mcl", ""], ["<img src=x onerror=alert(1)>:", ""]])]], /relative path/],
    [[["x.zip", zip(Array.from({ length: 300 }, (_, n) => [`f${n}`, ""]))]], /more than 200 files/],
    [[["x.zip", bomb.subarray(0, 40)]], /damaged/],
    [[["x.zip", lying(packed, 10)]], /more than 1024 KiB/],
    [[["x.zip", lying(packed, 50 << 20)]], /more than 1024 KiB/],
    [[["x.txtar", "-- main.mcl --\n-- ../x --\n"]], /relative path/],
    [Array.from({ length: 201 }, (_, n) => [`f${n}.mcl`, ""]), /at most 200 files/],
    [[["main.mcl", ""], ["big", Buffer.alloc(2 << 20, 97)]], /at most 1024 KiB/],
    [[["main.mcl", Buffer.from([0x89, 0xff])], ["notes", ""]], /not text/],
  ]) {
    await drop(page, ...files);
    await page.locator(".notice.bad").filter({ hasText: why }).waitFor();
    await page.getByRole("button", { name: "Close the message", exact: true }).click();
  }
  assert.equal(await textOf(page), before);
});

/** An archive with one deflated file that says of itself what size it has. */
function lying(packed, size) {
  const bytes = zip([["main.mcl", ""]]);
  const local = bytes.readUInt32LE(bytes.length - 22 + 16);
  const [head, entries] = [Buffer.from(bytes.subarray(0, local)), Buffer.from(bytes.subarray(local))];
  for (const [part, at] of [[head, 8], [entries, 10]]) {
    part.writeUInt16LE(8, at);
    part.writeUInt32LE(packed.length, at + 10);
    part.writeUInt32LE(size, at + 14);
  }
  entries.writeUInt32LE(local + packed.length, entries.length - 22 + 16);
  return Buffer.concat([head, packed, entries]);
}

test("zips are written as others read them, and those of others are read", async () => {
  const files = [["main.mcl", 'print "é" {}\n'], ["files/ü", "x".repeat(5000)], ["empty", ""]];
  const path = join(folder, "ours.zip");
  writeFileSync(path, zip(files));
  const list = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print('\\n'.join(z.namelist()))";
  assert.deepEqual(execFileSync("python3", ["-c", list, path], { encoding: "utf8" }).trim().split("\n"), files.map(([name]) => name));
  const theirs = join(folder, "theirs.zip");
  const make = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\nz.mkdir('d') if hasattr(z, 'mkdir') else None\nz.writestr('d/main.mcl', 'x' * 5000)\nz.writestr('__MACOSX/a', 'x')\nz.comment = b'hello'\nz.close()";
  execFileSync("python3", ["-c", make, theirs]);
  const read = await readZip(readFileSync(theirs), 9, 1 << 20);
  assert.deepEqual(read.map(([name, content]) => [name, content.length]), [["d/main.mcl", 5000]]);
  // Each byte of a good archive changed: read the same, or refused.
  const good = readFileSync(theirs);
  for (let at = 0; at < good.length; at += 1) {
    const changed = Buffer.from(good);
    changed[at] ^= 0xff;
    const outcome = await readZip(changed, 9, 1 << 20).catch((why) => why);
    assert.ok(typeof outcome === "string" || outcome.every(([, content]) => content.length <= 5000), `byte ${at}`);
  }
});
