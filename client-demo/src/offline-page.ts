import type { Words } from './words/en.ts';

/** Also in public/service-worker.js. */
const CACHE = 'rain.offline';
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE = `body{margin:0;background:#6d0c16;color:#ffe9bd;font:1.05rem/1.5 system-ui,"PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{box-sizing:border-box;min-height:100vh;display:grid;place-content:center;gap:14px;padding:24px;text-align:center;overflow-wrap:anywhere}h1,p{margin:0}h1{font-size:1.5rem;color:#f6c667}a{justify-self:center;padding:12px 28px;border-radius:99px;background:#f1b94e;color:#5c0a11;font-weight:700;text-decoration:none}a:focus-visible{outline:3px solid #fff;outline-offset:3px}`;

/**
 * Keeps a page for the time without a network, and the worker that shows it. Nothing else is kept, so that an update is
 * seen at once.
 */
export async function keepOfflinePage(words: Words, event: string): Promise<void> {
  if (!isSecureContext || !('serviceWorker' in navigator)) return;
  try {
    const cache = await caches.open(CACHE);
    await cache.put(
      CACHE,
      new Response(offlinePage(words, event), {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
      }),
    );
    await navigator.serviceWorker.register('service-worker.js');
  } catch {
    // A browser that forbids it shows a page of its own.
  }
}

function offlinePage({ lang, offline }: Words, event: string): string {
  const [name, title, told, again] = [event, offline.title, offline.told, offline.again].map(escaped);
  return `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${name}</title><style>${STYLE}</style><main><p>${name}</p><h1>${title}</h1><p>${told}</p><a href="">${again}</a></main></html>\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
