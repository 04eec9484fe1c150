// The contexts of a browser, in which pages share what they store and what the browser caches.

/**
 * How long to wait for what must come. It costs nothing where it comes, and a machine that builds beside the tests takes
 * ten times as long as an idle one.
 */
export const PATIENCE_MS = 90_000;

/** A new context. The options are those of Playwright. */
export async function separate(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block", ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/**
 * Contexts that one page after the other uses. The browser has already cached the site's files and the machine code of its
 * modules for the second one, which halves the time that it takes to load. Everything that pages stored is deleted before
 * the next one opens.
 */
export class Contexts {
  /** The contexts without a page, by their options. */
  #idle = new Map();

  /** A context without a page and without anything that pages of this address stored. */
  async take(browser, options, url) {
    const kind = JSON.stringify(options);
    const used = this.#idle.get(kind)?.pop();
    if (!used) return { kind, context: await separate(browser, options) };
    const page = await used.newPage();
    const session = await used.newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
    await page.close();
    return { kind, context: used };
  }

  /**
   * Takes back a context whose page is no longer needed. One in which something has failed is closed, and so are those of
   * other browsers than Chromium, which cannot be asked to delete what pages stored.
   */
  async give({ kind, context }, { passed }) {
    if (!passed || context.browser().browserType().name() !== "chromium") return context.close();
    for (const page of context.pages()) await page.close();
    await context.unrouteAll();
    await context.clearPermissions();
    this.#idle.set(kind, [...(this.#idle.get(kind) ?? []), context]);
  }
}
