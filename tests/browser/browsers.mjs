// The browsers of the tests: those of the system, without windows. BROWSER names the one for tests that do not choose
// it themselves (`chromium`, `firefox`); CHROMIUM and FIREFOX name other programs.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./built.mjs";

const require = createRequire(join(root, "www/package.json"));
const { chromium, firefox } = require("playwright-core");

// Chromium itself opens a window with toolbars for each context, which costs more than the page: its build without
// windows is used where it is installed.
const CHROMIUMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const CHROMIUM_FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const FIREFOXES = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

const LAUNCHES = {
  chromium: (options) => chromium.launch({ executablePath: program(process.env.CHROMIUM, CHROMIUMS), args: CHROMIUM_FLAGS, ...options }),
  firefox: launchFirefox,
};

/** Starts a browser. */
export const launch = (name = process.env.BROWSER ?? "chromium", options = {}) => LAUNCHES[name](options);

const program = (chosen, known) => chosen ?? known.find((path) => existsSync(path)) ?? known.at(-1);

/** The stock Firefox, by WebDriver BiDi: Playwright's usual channel needs a Firefox that Playwright has patched. */
async function launchFirefox(options) {
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath: program(process.env.FIREFOX, FIREFOXES), ...options });
  // Playwright tells each context its colour scheme, also that it has none, by a command that Firefox 153 does not know,
  // and gives up the context. Whoever asks for a scheme still gets that error.
  const session = browser._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  const isNeedless = (method, params) => method === "emulation.setMediaFeaturesOverride" && !params.features["prefers-color-scheme"];
  session.send = (method, params) => (isNeedless(method, params) ? Promise.resolve({}) : send(method, params));
  return browser;
}
