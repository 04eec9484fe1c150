// Keeps the site at hand: each build is cached whole, and the one before is kept until its last page is closed. What not
// everybody needs is cached as it is used.
const cache = `mclive-${EDITION}`;
/** The time limit for fetching a page that is also cached. Units: milliseconds. */
const PATIENCE_MS = 4_000;
const isOurs = (name) => name.startsWith("mclive-");
/** Whether a name identifies the content, as all names except those of pages do. */
const isNamedByContent = (name) => /-[0-9a-f]{10}\.\w+$/.test(name);

self.addEventListener("install", (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate") {
    event.respondWith(page(event.request, url));
    event.waitUntil(forgetOld());
  } else {
    // Everything else is named by its content, so a cached file is never outdated.
    event.respondWith(caches.match(event.request).then((hit) => hit ?? fetched(event, url)));
  }
});

async function keepAll() {
  const own = await caches.open(cache);
  await Promise.all(["./", ...FILES].map((name) => keep(own, name)));
}

/**
 * Caches a file of this build, unless the build before has the same, or an attempt that failed half-way. A page must be
 * that of the server: one from the browser's own cache may be of another build. So may that of a server that is renewed
 * meanwhile: then this build is not kept, and the browser asks for the next one.
 */
async function keep(own, name) {
  const isKnown = isNamedByContent(name);
  const request = new Request(name, { cache: isKnown ? "default" : "no-cache" });
  const answer = (isKnown && (await caches.match(request))) || (await fetch(request));
  if (!answer.ok) throw new Error(`the server returned ${answer.status} for ${name}`);
  if (!isKnown && !(await answer.clone().text()).includes(EDITION)) throw new Error(`${name} is of another build`);
  await own.put(request, answer);
}

/** A page itself: the newest that can be had in time from a server that is well, else the one that is kept. */
async function page(request, url) {
  const own = await caches.open(cache);
  const kept = await own.match(request, { ignoreSearch: true });
  if (!kept) return other(request, url);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(request, { signal: stop.signal });
    return answer.status < 500 ? answer : kept;
  } catch {
    return kept;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A page that is not cached, such as that of a short link: there is no time limit. Without a server, the playground opens
 * the link, and reports what is missing; at another address it could not find its files.
 */
async function other(request, url) {
  try {
    return await fetch(request);
  } catch (error) {
    const root = new URL("./", location.href);
    const [, id] = /^s\/([^/]+)$/.exec(url.pathname.slice(root.pathname.length)) ?? [];
    if (id === undefined) throw error;
    return Response.redirect(new URL(`#s=${id}`, root), 302);
  }
}

/** Drops the builds before this one, once no page is open that one of them may have made. */
async function forgetOld() {
  // The next build may be half-way in its cache, or begin meanwhile.
  const isFollowed = () => Boolean(self.registration.installing || self.registration.waiting);
  if (isFollowed()) return;
  const old = (await caches.keys()).filter((name) => isOurs(name) && name !== cache);
  const open = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (open.length > 0 || isFollowed()) return;
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function fetched(event, url) {
  const answer = await fetch(event.request);
  if (answer.ok && LATER.some((name) => url.pathname.endsWith(`/${name}`))) {
    const copy = answer.clone();
    // A browser without room keeps less.
    event.waitUntil(caches.open(cache).then((own) => own.put(event.request, copy)).catch(() => {}));
  }
  return answer;
}
