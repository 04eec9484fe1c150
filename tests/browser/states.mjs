// How to get to every visible state of the page, for pictures to be reviewed (`screenshot.mjs`).
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printed } from "./built.mjs";
import { root, write } from "./setup.mjs";
import { linkOf } from "./texts.mjs";

const isSmall = (page) => page.viewportSize().width < 700;
const tab = (page, name) => page.getByRole("tab", { name }).click();
const button = (page, name) => page.getByRole("button", { name, exact: true }).click();
const there = (page, selector) => page.locator(selector).first().waitFor();
const ready = (page) => there(page, ".vertex.good");

/** The program is in sight: on a small screen it is a tab. */
async function editor(page) {
  await there(page, ".tabs");
  if (isSmall(page)) await tab(page, /Program/);
  await there(page, ".cm-content");
}

/** Replaces the program, and puts the cursor at its beginning. */
async function written(page, text) {
  await ready(page);
  await editor(page);
  await write(page, text);
  await page.keyboard.press("ControlOrMeta+Home");
}

const host = (part) => async (page) => {
  await ready(page);
  await tab(page, /Host/);
  await page.locator(".parts").getByRole("button", { name: part, exact: true }).click();
};

async function menu(page) {
  await ready(page);
  await page.locator("[aria-controls='examples']").click();
  await there(page, "#examples .menu-item");
}

/** The next check ends like this. */
async function lost(page, data) {
  await ready(page);
  await page.evaluate((data) => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
      if (!message.Check) return post.call(this, message);
      Worker.prototype.postMessage = post;
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
    };
  }, data);
  await page.evaluate((hash) => { location.hash = hash; }, linkOf('print "too much" {}\n'));
  // A small screen shows another view by that.
  await page.locator(".stopped").waitFor({ state: "attached" });
  await editor(page);
  await there(page, ".stopped");
}

function solution() {
  const dist = join(root, "www/dist");
  const course = readdirSync(dist).find((name) => /^lessons-.*\.json$/.test(name));
  return JSON.parse(readFileSync(join(dist, course), "utf8")).chapters[0].lessons[0].solution;
}

async function lesson(page) {
  await there(page, ".lesson-text h2");
}

const ARCHIVE = `-- main.mcl --
file "/etc/motd" {
	state => "exists",
	content => "welcome\\n",
}
-- main.scenario --
run
write /etc/motd "somebody's"
expect file /etc/motd holds "farewell\\n" within 10s
`;
const names = (letter, size) => `[${Array.from({ length: size }, (_, n) => `"/srv/${letter}${n}"`).join(", ")}]`;
const MANY = `file ${names("n", 3_200)} { state => "exists", }\n`;
const DENSE = `$l = ${names("l", 150)}\n$m = ${names("m", 150)}\nfile $l { state => "exists", }\nfile $m { state => "exists", }\nFile[$l] -> File[$m]\n`;
const NAMED = '$name = "ada"\nprint "x" {\n\tmsg => $name,\n}\n';

/**
 * By name: where the page begins (`path`), what is done before it does (`prepare`), and how the state is reached (`act`).
 * Only the first visit is greeted.
 */
export const STATES = {
  welcome: { act: ready, isFirst: true },
  loading: {
    prepare: (page) => page.route("**/compiler-*.wasm", () => {}),
    act: (page) => there(page, ".transport .status"),
  },
  unloaded: {
    prepare: (page) => page.route("**/compiler-*.wasm", (route) => route.fulfill({ status: 404, body: "gone" })),
    act: (page) => there(page, ".notice.bad"),
  },
  empty: { path: linkOf("# nothing yet\n"), act: (page) => page.getByText("No problems").waitFor({ state: "attached" }) },
  resources: { path: "#example=edges", act: ready },
  inspector: {
    path: "#example=edges",
    async act(page) {
      await ready(page);
      await page.locator(".vertex").first().dispatchEvent("click");
      await there(page, ".inspector");
    },
  },
  found: {
    path: "#example=list",
    async act(page) {
      await ready(page);
      await page.getByRole("textbox", { name: "Search the graph" }).fill("file");
      await there(page, ".vertex.found");
    },
  },
  listed: { path: linkOf(MANY), act: (page) => there(page, ".graph.listed .group") },
  dense: { path: linkOf(DENSE), act: (page) => there(page, ".left-out") },
  functions: {
    path: "#example=conditions",
    async act(page) {
      await ready(page);
      await tab(page, /Functions/);
      await there(page, ".vertex");
    },
  },
  model: {
    path: "#example=model",
    async act(page) {
      await ready(page);
      await tab(page, /Model/);
      await there(page, ".vertex");
    },
  },
  "host-files": {
    async act(page) {
      await host("Files")(page);
      await page.locator(".tree .entry").last().click();
    },
  },
  "host-world": {
    async act(page) {
      await host("Everything else")(page);
      await there(page, ".world section");
    },
  },
  "host-changes": {
    async act(page) {
      await host("Changes")(page);
      await button(page, "Keep this moment");
      await button(page, "Add host");
      await page.locator(".card").filter({ hasText: "web2" }).click();
      await there(page, ".differences .keep");
    },
  },
  fleet: { path: "#example=hosts", act: (page) => page.locator(".fleet .card").nth(1).waitFor() },
  log: {
    path: "#example=repair",
    async act(page) {
      await ready(page);
      await tab(page, /Log/);
      await there(page, ".log li");
    },
  },
  lanes: {
    async act(page) {
      await ready(page);
      await page.waitForFunction(() => Number(document.querySelector(".track").getAttribute("aria-valuemax")) > 10);
      await button(page, "Resource lanes");
      await there(page, ".lanes");
    },
  },
  back: {
    async act(page) {
      await ready(page);
      await page.waitForFunction(() => Number(document.querySelector(".track").getAttribute("aria-valuemax")) > 10);
      await page.locator(".track").focus();
      await page.keyboard.press("PageUp");
      await page.getByRole("button", { name: "Latest", exact: true }).waitFor();
    },
  },
  scenario: {
    async act(page) {
      await ready(page);
      await write(page, ARCHIVE);
      await page.locator(".notice").filter({ hasText: "failed at line" }).waitFor();
    },
  },
  recorded: {
    async act(page) {
      const program = join(tmpdir(), "mclive-recorded.mcl");
      writeFileSync(program, NAMED);
      const buffer = printed("record", program, "30");
      await menu(page);
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: /^Files…/ }).click()]);
      await chooser.setFiles({ name: "recorded", mimeType: "application/octet-stream", buffer });
      await there(page, ".recorded");
    },
  },
  problems: {
    path: "#example=errors",
    async act(page) {
      await editor(page);
      await there(page, ".problems li.bad");
    },
  },
  code: {
    path: "#example=errors",
    async act(page) {
      await editor(page);
      await page.locator(".problems li.bad .code").first().click();
      await there(page, "dialog .prose");
    },
  },
  files: {
    path: "#example=modules",
    async act(page) {
      await ready(page);
      await editor(page);
    },
  },
  hover: {
    async act(page) {
      await written(page, NAMED);
      await page.keyboard.press("ControlOrMeta+i");
      await there(page, ".mcl-hover");
    },
  },
  completion: {
    async act(page) {
      await written(page, 'import "strings"\n');
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.type("$up = strings.");
      await there(page, ".cm-tooltip-autocomplete li");
    },
  },
  rename: {
    async act(page) {
      await written(page, NAMED);
      await page.keyboard.press("F2");
      await there(page, ".mcl-panel input");
    },
  },
  search: {
    async act(page) {
      await written(page, NAMED);
      await page.keyboard.press("ControlOrMeta+f");
      await page.locator(".cm-search input[name=search]").fill("name");
      await there(page, ".cm-searchMatch");
    },
  },
  paused: {
    prepare: (page) => page.addInitScript(() => sessionStorage.setItem("mclive.running", "1")),
    async act(page) {
      await editor(page);
      await there(page, ".stopped");
    },
  },
  crashed: { act: (page) => lost(page, { broken: "panicked at engine.rs:1:1: index out of bounds" }) },
  "out-of-memory": { act: (page) => lost(page, { full: true }) },
  refused: {
    async act(page) {
      await ready(page);
      await page.evaluate(() => { location.hash = "#c=!!!"; });
      await there(page, ".notice.bad");
    },
  },
  "previous-program": {
    async act(page) {
      await written(page, 'print "my own work" {}\n');
      await page.evaluate(() => { location.hash = "#example=hello"; });
      await page.locator(".file-previous").waitFor({ state: "attached" });
      await editor(page);
      await there(page, ".file-previous");
    },
  },
  examples: { act: menu },
  "open-link": {
    async act(page) {
      await menu(page);
      await page.locator(".menu-item").filter({ hasText: "A link…" }).click();
      await there(page, "dialog[open] input");
    },
  },
  share: {
    async act(page) {
      await ready(page);
      await button(page, "Share");
      await page.getByRole("dialog", { name: "Share" }).waitFor();
    },
  },
  keys: {
    async act(page) {
      await ready(page);
      await page.keyboard.press("F1");
      await there(page, "dialog[open]");
    },
  },
  lesson: { path: "#learn", act: lesson },
  lessons: {
    path: "#learn",
    async act(page) {
      await lesson(page);
      await page.locator(".where").click();
      await there(page, ".contents a");
    },
  },
  "lesson-missed": {
    path: "#learn",
    async act(page) {
      await lesson(page);
      await page.keyboard.press("Control+Shift+Enter");
      await page.locator(".outcome").getByText("Not yet.").waitFor();
    },
  },
  "lesson-done": {
    path: "#learn",
    async act(page) {
      await lesson(page);
      await editor(page);
      await write(page, solution());
      await page.keyboard.press("Control+Shift+Enter");
      await page.locator(".outcome").getByText("Correct!").waitFor();
    },
  },
  "large-type": { prepare: (page) => page.addInitScript(() => localStorage.setItem("mclive.large", "1")), act: ready },
  embed: { path: `embed/${linkOf(NAMED)}`, act: ready },
  reference: { path: "reference.html", act: (page) => there(page, "h1") },
};
