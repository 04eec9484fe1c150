// Whatever a stranger wrote is text and nothing else, in each browser: names, messages, contents, recordings, links and
// lessons (the texts: `texts.mjs`). Nothing runs, nothing is asked for, and the policy has nothing to report.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { printed } from "./built.mjs";
import { open, root, scenes, write } from "./setup.mjs";
import { SAYABLE, TEXTS, holdsAll, linkOf, packedLinkOf, quoted, shownAs, watched } from "./texts.mjs";

const MARKUP = '<img src="pwned.png" onerror="pwned()">';
const dir = mkdtempSync(join(tmpdir(), "mclive-texts-"));
after(() => rmSync(dir, { recursive: true }));

const ready = (page) => page.locator(".vertex").first().waitFor();
const tab = (page, name) => page.getByRole("tab", { name }).click();

/** Names, messages and contents, and a value of a function. */
const PROGRAM = `import "datetime"
import "fmt"
print "a value" {
	msg => fmt.printf(${quoted(`%d ${SAYABLE.join(" ")}`)}, datetime.now()),
}
${SAYABLE.map((text, n) => `print ${quoted(text)} {
	msg => ${quoted(text)},
	Meta:autogroup => false,
}
file "/srv/${n}" {
	state => "exists",
	content => ${quoted(`${text}\n`)},
}
`).join("")}`;

/** Files with those of the names that a path may have. */
const isPath = (text) => !/^\/|\/\/|\/$|[:\\\u202e]/.test(text);
const FILES = Object.fromEntries(["main.mcl", ...SAYABLE.filter(isPath)].map((name) => [name, `print "x" {}\n# ${name}\n`]));

/** A recorded run of the program, on a host of this name. */
let recorded;
before(() => {
  const program = join(dir, "main.mcl");
  writeFileSync(program, PROGRAM);
  recorded = printed("record", program, "5");
});
function recordedOn(hostname) {
  const end = recorded.indexOf("\n");
  const header = { ...JSON.parse(recorded.subarray(0, end)), hostname };
  return Buffer.concat([Buffer.from(JSON.stringify(header)), recorded.subarray(end)]);
}

/** Drops a file on the page. */
const drop = (page, bytes) => page.locator(".cm-content").evaluate((element, bytes) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(bytes)], "dropped"));
  for (const type of ["dragover", "drop"]) {
    element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, composed: true }));
  }
}, [...bytes]);

/** Tries a few times. */
async function assertSoon(succeeds) {
  for (let n = 1; ; n += 1) {
    try {
      return await succeeds(n);
    } catch (error) {
      if (n === 10) throw error;
    }
  }
}

/** The lessons, the first of which says all texts at all places. */
const dist = join(root, "www/dist");
const COURSE = JSON.parse(readFileSync(join(dist, readdirSync(dist).find((name) => /^lessons-.*\.json$/.test(name))), "utf8"));
const [LESSON] = COURSE.chapters[0].lessons;
const all = TEXTS.join(" ");
Object.assign(COURSE.chapters[0], { title: all, about: all });
Object.assign(LESSON, {
  title: all,
  text: [...TEXTS, `# ${all}`, `- ${all}`, `| ${all.replaceAll("|", "")} |\n|---|\n| **${all}** |`, `\`\`\`mcl\n${all}\n\`\`\``].join("\n\n"),
  task: all,
  start: all,
  check: `run\nhint ${quoted(SAYABLE.join(" "))}\nexpect file ${quoted(`/srv/${SAYABLE[1]}`)}\n`,
  hints: [{ line: 3, text: all }],
  see: TEXTS.map((text) => ({ title: text, anchor: text })),
});

// Every way to be more than text, as a careless page would open it; the policy must refuse each, and report it.
const OPENED = {
  innerHTML: (text) => { document.createElement("p").innerHTML = text; },
  outerHTML: (text) => { document.querySelector("#app").firstElementChild.outerHTML = text; },
  insertAdjacentHTML: (text) => document.body.insertAdjacentHTML("beforeend", text),
  "document.write": (text) => document.write(text),
  createContextualFragment: (text) => document.createRange().createContextualFragment(text),
  parseFromString: (text) => new DOMParser().parseFromString(text, "text/html"),
  srcdoc: (text) => { document.createElement("iframe").srcdoc = text; },
  eval: () => (0, eval)("pwned()"),
  "new Function": () => new Function("pwned()")(),
  "a script's text": () => { document.createElement("script").text = "pwned()"; },
  "a script's address": () => { document.createElement("script").src = "pwned.js"; },
  "a worker": () => new Worker("pwned.js"),
  "a policy of one's own": () => trustedTypes.createPolicy("pwned", { createHTML: (text) => text }),
  "a link with a script": () => {
    const link = document.body.appendChild(document.createElement("a"));
    link.href = "javascript:pwned()";
    link.click();
    link.remove();
  },
  "an attribute with a script": () => {
    document.body.setAttribute("onclick", "pwned()");
    document.body.click();
  },
  "an attribute with a style": () => document.body.setAttribute("style", "color: red"),
  "a picture from elsewhere": () => { new Image().src = "https://elsewhere.invalid/x.png"; },
  "a request elsewhere": () => void fetch("https://elsewhere.invalid/").catch(() => {}),
};

// Only Trusted Types refuse these as such: a browser without them refuses the scripts in what they make.
const BY_TYPES = new Set([
  "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "parseFromString", "srcdoc",
  "a script's text", "a script's address", "a worker", "a policy of one's own",
]);

/** Opens one of them, and resolves with the directives that were reported. */
function opened([way, text]) {
  return new Promise((resolve) => {
    const reports = [];
    const report = (event) => reports.push(event.violatedDirective);
    addEventListener("securitypolicyviolation", report);
    const deadline = performance.now() + 90_000;
    const wait = () => {
      if (reports.length === 0 && performance.now() < deadline) return setTimeout(wait, 10);
      // A late report of this way is not one of the next way.
      return setTimeout(() => {
        removeEventListener("securitypolicyviolation", report);
        resolve(reports);
      }, 100);
    };
    // What a debugger evaluates may do more than the page; a timer of the page may not.
    setTimeout(() => {
      setTimeout(wait);
      globalThis.ways[way](text);
    });
  });
}

for (const [name, browser, bypassed] of [
  ["Chromium", "chromium", false], ["Firefox", "firefox", false],
  // Nothing but the page's own care is between a text and the visitor here.
  ["Chromium without a policy", "chromium", true],
]) {
  const house = scenes(browser);
  /** A scene in a page that is watched. */
  const hostile = (what, run, options = {}) => {
    let harmless;
    const prepare = async (page) => { harmless = await watched(page); };
    house.scene(`${what}: ${name}`, async (page) => {
      await run(page);
      await harmless();
    }, { ...options, prepare, bypassCSP: bypassed });
  };

  if (bypassed) {
    test(`the watch sees a text that is taken for more: ${name}`, { timeout: 300_000 }, async () => {
      for (const text of [MARKUP, "<details open ontoggle=pwned()>x</details>", '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>']) {
        let harmless;
        const { page, close } = await open(house.browser, house.url, { bypassCSP: true, prepare: async (page) => { harmless = await watched(page); } });
        await ready(page);
        await harmless();
        await page.evaluate((text) => document.body.insertAdjacentHTML("beforeend", text), text);
        await page.waitForFunction(() => globalThis.ran.length > 0);
        await assert.rejects(harmless, text);
        await close();
      }
    });
  } else {
    test(`interpreting a text as markup or code is refused and reported: ${name}`, { timeout: 300_000 }, async () => {
      const ways = Object.entries(OPENED).map(([way, open]) => `${JSON.stringify(way)}: ${open}`).join(",\n");
      let harmless;
      const { page, close } = await open(house.browser, house.url, {
        prepare: async (page) => {
          harmless = await watched(page);
          await page.addInitScript(`globalThis.ways = {${ways}}`);
        },
      });
      await ready(page);
      const hasTypes = await page.evaluate(() => "trustedTypes" in globalThis);
      assert.ok(hasTypes || browser === "firefox", "Chromium has Trusted Types");
      for (const way of Object.keys(OPENED).filter((way) => hasTypes || !BY_TYPES.has(way))) {
        assert.notDeepEqual(await page.evaluate(opened, [way, MARKUP]), [], `${way} is open`);
      }
      await harmless();
      await close();
    });
  }

  hostile("names, messages and contents of a program", async (page) => {
    await ready(page);
    await write(page, PROGRAM);
    await page.waitForFunction((n) => document.querySelectorAll(".vertex.good").length === n, 2 * SAYABLE.length + 1);
    const vertices = page.locator(".vertex");
    holdsAll(await vertices.evaluateAll((all) => all.map((one) => one.dataset.name)), SAYABLE, "the graph");
    for (let n = 0; n < 2 * SAYABLE.length; n += 7) {
      await vertices.nth(n).focus();
      await page.keyboard.press("Enter");
      await page.locator(".inspector").waitFor();
    }
    await page.keyboard.press("Escape");
    await tab(page, /Log/);
    // A long log is drawn in portions.
    await page.waitForFunction((texts) => {
      const lines = [...document.querySelectorAll(".log li")].map((line) => line.innerText);
      return texts.every((text) => lines.some((line) => line.includes(text)));
    }, SAYABLE.map(shownAs));
    holdsAll(await page.locator(".log li").allInnerTexts(), SAYABLE, "the log");
    await tab(page, /Host/);
    for (const [n, text] of SAYABLE.entries()) {
      await page.locator(`.tree .entry[title='/srv/${n}']`).click();
      await page.waitForFunction((text) => document.querySelector(".file textarea")?.value === text, `${text}\n`);
    }
    await tab(page, /Functions/);
    await page.locator(".vertex", { hasText: "fmt.printf" }).click();
    await page.locator(".inspector .value", { hasText: "pwned()" }).waitFor();
    await tab(page, /Resources/);
    const search = page.getByRole("textbox", { name: "Search the graph" });
    await search.fill(SAYABLE.join(" "));
    await page.locator(".find output").waitFor();
    await search.fill(SAYABLE[0]);
    await page.locator(".vertex.found").first().waitFor();
  });

  hostile("what the compiler says of a program with mistakes", async (page) => {
    await ready(page);
    const problems = page.locator(".problems li.bad");
    // Names that lead nowhere, values of another type, and a text that is no program at all.
    for (const program of [
      SAYABLE.map((text) => `import ${quoted(text)}\n`).join(""),
      SAYABLE.map((text, n) => `$x${n} = 1 + ${quoted(text)}\nprint "x${n}" {\n\tmsg => panic(${quoted(text)}),\n\tfield => $x${n},\n}\n`).join(""),
      ...SAYABLE.filter((_, n) => n % 4 === 1),
    ]) {
      await write(page, "");
      await page.getByText("No problems").waitFor();
      await write(page, `${program}\n\n\n`);
      await problems.first().waitFor();
      await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor({ state: "attached" });
    }
    await problems.first().locator(".problem").click();
    await problems.first().locator(".code").click();
    await page.locator("dialog .prose").first().waitFor();
  });

  hostile("names of files", async (page) => {
    await ready(page);
    await page.evaluate((hash) => { location.hash = hash; }, packedLinkOf({ mclive: 1, version: "0.1.0", entry: "main.mcl", files: FILES }));
    const tabs = page.getByRole("tablist", { name: "Files of the program" }).getByRole("tab");
    await tabs.nth(Object.keys(FILES).length - 1).waitFor();
    for (const n of Object.keys(FILES).keys()) {
      await tabs.nth(n).click();
      await page.keyboard.press("F2");
      await page.keyboard.press("Escape");
    }
    // And what is said of a name that is refused.
    const add = page.getByRole("button", { name: "Add a file", exact: true });
    await add.click();
    await page.getByLabel("Name of the file").fill(`/${SAYABLE.join(" ")}`);
    await page.keyboard.press("Enter");
    await page.locator(".file-refused").filter({ hasText: "pwned()" }).waitFor();
  });

  hostile("recorded runs", async (page) => {
    await ready(page);
    await drop(page, recordedOn(SAYABLE.join(" ")));
    const banner = page.locator(".recorded");
    await banner.waitFor();
    holdsAll([await banner.innerText()], SAYABLE, "the name of its host");
    await tab(page, /Log/);
    // It plays: the lines come one after the other.
    await page.waitForFunction((texts) => {
      const lines = [...document.querySelectorAll(".log li")].map((line) => line.innerText);
      return texts.every((text) => lines.some((line) => line.includes(text)));
    }, SAYABLE.map(shownAs));
    // What cannot be opened is complained about, in words that may be its own.
    await drop(page, Buffer.from(`${JSON.stringify({ "mclive-trace": 99, mclive: TEXTS.join(" "), hostname: TEXTS.join(" ") })}\n`));
    // Its end, with the version, is cut off.
    await page.locator(".notice.bad").filter({ hasText: "The recording was made by mclive" }).waitFor();
  });

  hostile("links", async (page) => {
    let stored;
    await page.route("**/api/v1/programs/**", (route) => route.fulfill({ json: stored }));
    await ready(page);
    const follow = (hash) => page.evaluate((hash) => new Promise((resolve) => {
      location.hash = hash;
      setTimeout(resolve, 20);
    }), hash);
    for (const text of TEXTS) {
      stored = { mclive: 1, version: text, entry: text, files: { [text]: text } };
      for (const fragment of [
        text, `example=${text}`, `s=${text}`, `c=${text}`, `p=${text}`, `url=${text}`, `theme=${text}`, `example=hello&f=${text}&theme=${text}`,
      ]) await follow(`#${fragment}`);
      await follow(packedLinkOf(stored));
      await follow(packedLinkOf({ ...stored, entry: "main.mcl", files: { "main.mcl": { base64: text }, [text]: { [text]: text } } }));
      // An answer to one of those may still come, and replace what is said.
      await assertSoon(async (n) => {
        await follow(`#example=${n}-${text}`);
        await page.locator(".notice.bad").filter({ hasText: "No example named" }).waitFor({ timeout: 2_000 * n });
      });
    }
    for (const text of SAYABLE) {
      await follow(linkOf(`print ${quoted(text)} {}\n`));
      await page.waitForFunction((text) => document.querySelector(".vertex")?.dataset.name.includes(text), shownAs(text));
    }
    // Typed by hand, and in a frame.
    await page.locator("[aria-controls='examples']").click();
    await page.locator(".menu-item").filter({ hasText: "A link…" }).click();
    const dialog = page.getByRole("dialog", { name: "Open a link" });
    for (const text of TEXTS) {
      await dialog.getByLabel("Link").fill(text);
      await page.keyboard.press("Enter");
      await dialog.getByRole("alert").filter({ hasText: "Cannot open the link" }).waitFor();
    }
    await page.goto(`${house.url}embed/${linkOf(PROGRAM)}`);
    await page.locator(".vertex.good").nth(2 * SAYABLE.length).waitFor();
  }, { timeout: 500_000 });

  hostile("lessons", async (page) => {
    await page.route(/lessons-.*\.json$/, (route) => route.fulfill({ json: COURSE }));
    await ready(page);
    await page.evaluate((name) => { location.hash = `#lesson=${name}`; }, LESSON.name);
    await page.locator(".lesson-text h2").filter({ hasText: "<script>" }).waitFor();
    await page.getByRole("button", { name: "Hint" }).click();
    await page.getByRole("button", { name: "Check", exact: true }).click();
    const outcome = page.locator(".outcome");
    await outcome.getByText("Not yet.").waitFor();
    await write(page, PROGRAM);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await outcome.locator("summary").click();
    await page.locator(".where").click();
    await page.locator(".contents").getByText("<script>").first().waitFor();
    for (const text of TEXTS) {
      await page.evaluate((hash) => { location.hash = hash; }, `#lesson=${text}`);
      await page.locator(".notice.bad").filter({ hasText: "There is no lesson" }).waitFor();
    }
  });
}
