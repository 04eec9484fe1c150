// Keeps the site at hand: each build is cached whole, and the one before is dropped. What not everybody needs is cached as it
// is used.
const cache = `mclive-${EDITION}`;
const isOurs = (name) => name.startsWith("mclive-");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cache).then((open) => open.addAll(["./", ...FILES])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => isOurs(name) && name !== cache));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate") {
    // A page itself: the newest that can be had.
    const kept = () => caches.match(event.request, { ignoreSearch: true });
    event.respondWith(fetch(event.request).catch(async () => (await kept()) ?? caches.match("./")));
  } else {
    // Everything else is named by its content, so what is cached is right.
    event.respondWith(caches.match(event.request).then((hit) => hit ?? fetched(event.request, url)));
  }
});

async function fetched(request, url) {
  const answer = await fetch(request);
  if (answer.ok && LATER.some((name) => url.pathname.endsWith(`/${name}`))) {
    const copy = answer.clone();
    caches.open(cache).then((open) => open.put(request, copy));
  }
  return answer;
}
