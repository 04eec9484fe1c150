// Keeps the site at hand: each build is cached whole, and the one before is dropped.
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
    event.respondWith(caches.match(event.request).then((hit) => hit ?? fetch(event.request)));
  }
});
