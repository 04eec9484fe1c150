// The second part of a module that is published in two parts (`www/src/split`): the functions that the first view does not need.

/** The pause before a failed request is repeated; doubles each time. Units: milliseconds. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** The module in a response. Browsers compile it while it arrives only if the server sends its content type, which some servers do not. */
export async function compiled(response) {
  if (!response.ok) throw new Error(`the server returned ${response.status}`);
  const isTold = /^\s*application\/wasm\s*$/i.test(response.headers.get("Content-Type"));
  return isTold ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Whether a page may make a module while everything waits for it. Chrome refused those of more than 4 KB until 2023; a worker always may. */
export function canAddAtOnce() {
  // The header, and one section without meaning: its number, its length of 8,192 bytes, and that many zeros.
  const module = new Uint8Array(11 + 8_192);
  module.set([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 0x80, 0x40]);
  try {
    new WebAssembly.Instance(new WebAssembly.Module(module));
    return true;
  } catch {
    return false;
  }
}

/** The rest belongs to another build of the page, so it never fits this one. */
export class OtherVersion extends Error {
  constructor() {
    super("it belongs to a different version of the page");
  }
}

export class Rest {
  /** The exports of the first part. */
  #first;
  /** Ends the load in the background. */
  #beside = new AbortController();
  #following;

  /** `address`: where it is; null if the module is whole. */
  constructor(address) {
    this.address = address;
  }

  /** Says that the first part is there. */
  started(exports) {
    this.#first = exports;
  }

  /** Whether no function is missing. */
  get isWhole() {
    return !this.address || this.#first?.restLoaded.value === 1;
  }

  /** Adds the functions; calls that have led to `mcliveLoadRest` then lead to them. */
  add(module) {
    if (this.isWhole) return;
    try {
      new WebAssembly.Instance(module, { first: this.#first });
    } catch (error) {
      throw error instanceof WebAssembly.LinkError ? new OtherVersion() : error;
    }
    this.#first.restLoaded.value = 1;
  }

  /**
   * Loads them in the background, once for all who ask. The answer is whether they are gone: a connection may come back, but what the
   * server no longer has does not, and what belongs to another build never fits.
   */
  follow() {
    this.#following ??= this.#follow();
    return this.#following;
  }

  async #follow() {
    for (let pause = FIRST_PAUSE; !this.isWhole; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const got = await fetch(this.address, { signal: this.#beside.signal });
        if (got.status === 404 || got.status === 410) return true;
        const module = await compiled(got);
        if (this.isWhole) return false;
        // In the background, no browser refuses it. If one of the functions is called before this is done, they are added twice, which
        // changes nothing: they have no state of their own.
        await WebAssembly.instantiate(module, { first: this.#first });
        this.#first.restLoaded.value = 1;
      } catch (error) {
        if (this.#beside.signal.aborted) return false;
        if (error instanceof WebAssembly.LinkError) return true;
        await new Promise((goOn) => setTimeout(goOn, pause));
      }
    }
    return false;
  }

  /**
   * Loads them now: one of them has been called, and nothing can continue without it. No other code of the page runs before this returns, so
   * the caller may be in the middle of anything. Throws if it fails.
   */
  load() {
    // It would share the connection, and its result cannot be used before this function returns.
    this.#beside.abort();
    const asked = new XMLHttpRequest();
    asked.open("GET", this.address, false);
    // Browsers give a page no bytes from such a request, only text: with this character set, one character per byte.
    const isPage = "document" in globalThis;
    if (isPage) asked.overrideMimeType("text/plain; charset=x-user-defined");
    else asked.responseType = "arraybuffer";
    try {
      asked.send();
    } catch {
      throw new Error("the server is not responding");
    }
    if (asked.status !== 200) throw new Error(`the server returned ${asked.status} for ${new URL(this.address).pathname}`);
    const bytes = isPage ? Uint8Array.from(asked.responseText, (letter) => letter.charCodeAt(0) & 0xff) : asked.response;
    this.add(new WebAssembly.Module(bytes));
  }
}
