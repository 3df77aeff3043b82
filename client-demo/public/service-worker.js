// Tells players without a network that they have none. It keeps neither the app, so that an update is seen at once, nor
// an answer of the API.

/** The page that offline-page.ts has kept. */
const CACHE = 'rain.offline';

self.addEventListener('install', (event) => {
  self.skipWaiting();
  // Requests of the page go past this worker, where the browser can do that.
  try {
    event.addRoutes?.({ condition: { not: { requestMode: 'navigate' } }, source: 'network' }).catch(() => {});
  } catch {
    // It cannot: the worker lets them pass below.
  }
});

self.addEventListener('activate', (event) => {
  // The page is requested while this worker starts.
  event.waitUntil(Promise.resolve(self.registration.navigationPreload?.enable()));
});

self.addEventListener('fetch', (event) => {
  const { mode, url } = event.request;
  if (mode === 'navigate' && isPlayersPage(url)) event.respondWith(openPage(event));
});

/** The hall's screen and the operator's page are not this worker's. */
function isPlayersPage(url) {
  return new URL(url).pathname === new URL(self.registration.scope).pathname;
}

async function openPage({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return (await (await caches.open(CACHE)).match(CACHE)) ?? Response.error();
  }
}

self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(
    self.clients
      .matchAll({ type: 'window', includeUncontrolled: true })
      .then(
        (pages) =>
          (
            pages.find(({ url }) => url === notification.data) ?? pages.find(({ url }) => isPlayersPage(url))
          )?.focus() ?? self.clients.openWindow(notification.data),
      ),
  );
});
