// Keeps the site at hand: each build is cached whole, and the one before is kept until its last page is closed. What not
// everybody needs is cached as it is used.
const cache = `mclive-${EDITION}`;
/** So long a server may take for a page, if there is one at hand. */
const PATIENCE_MS = 4_000;
const isOurs = (name) => name.startsWith("mclive-");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cache).then((open) => open.addAll(["./", ...FILES])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate") {
    event.respondWith(page(event.request));
    event.waitUntil(forgetOld());
  } else {
    // Everything else is named by its content, so what is cached is right.
    event.respondWith(caches.match(event.request).then((hit) => hit ?? fetched(event.request, url)));
  }
});

/** A page itself: the newest that can be had in time from a server that is well, else the one that is kept. */
async function page(request) {
  const kept = async () => {
    const own = await caches.open(cache);
    return (await own.match(request, { ignoreSearch: true })) ?? own.match("./");
  };
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(request, { signal: stop.signal });
    return answer.status < 500 ? answer : ((await kept()) ?? answer);
  } catch (error) {
    const page = await kept();
    if (page) return page;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Drops the builds before this one, once no page is open that one of them may have made. */
async function forgetOld() {
  const open = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (open.length > 0) return;
  const old = (await caches.keys()).filter((name) => isOurs(name) && name !== cache);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function fetched(request, url) {
  const answer = await fetch(request);
  if (answer.ok && LATER.some((name) => url.pathname.endsWith(`/${name}`))) {
    const copy = answer.clone();
    caches.open(cache).then((open) => open.put(request, copy));
  }
  return answer;
}
