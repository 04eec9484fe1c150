// The second part of a module that is published in two parts (`www/src/split`): the functions that the first view does not need.

/** How long after a failure it is asked for again; doubles each time. Units: milliseconds. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

export class Rest {
  /** The exports of the first part. */
  #first;
  /** Ends the load beside the work. */
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

  /** Adds the functions; the calls that so far lead to `mcliveLoadRest` then lead to them. */
  add(module) {
    if (this.isWhole) return;
    new WebAssembly.Instance(module, { first: this.#first });
    this.#first.restLoaded.value = 1;
  }

  /** Loads them beside the work. A line may come back; what the server no longer has does not: `gone` is called then. */
  follow(gone) {
    this.#following ??= this.#follow(gone);
    return this.#following;
  }

  async #follow(gone) {
    for (let pause = FIRST_PAUSE; !this.isWhole; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const got = await fetch(this.address, { signal: this.#beside.signal });
        if (got.status === 404 || got.status === 410) return gone();
        this.add(await WebAssembly.compileStreaming(got));
      } catch {
        if (this.#beside.signal.aborted) return undefined;
        await new Promise((goOn) => setTimeout(goOn, pause));
      }
    }
    return undefined;
  }

  /** Loads them now, as one of them is called and nothing can go on without. Throws if that fails. */
  load() {
    // It would share the line, and its result cannot be used before this function returns.
    this.#beside.abort();
    const asked = new XMLHttpRequest();
    asked.open("GET", this.address, false);
    // A page gets no bytes from a request that it waits for, but a text of as many letters.
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
