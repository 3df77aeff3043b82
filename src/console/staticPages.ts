import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const NOT_BUILT =
  'The operator\'s page is not built yet. "npm start" builds it after its servers, in a few seconds, and this page loads ' +
  'again by itself; elsewhere run "npm run setup". The API under /api/console/ works without it.\n';
const POLICY = 'content-security-policy';
/** Seconds after which a browser asks again. */
const ASK_AGAIN_S = 3;

/**
 * Serves the operator's page at /console/, as soon as it is built. The page holds no secret, so everybody may load it. Its requests to the API
 * need a login.
 */
export async function mountOperatorPage(server: FastifyInstance, folder: string): Promise<void> {
  server.get('/console', async (_request, reply) => reply.redirect('console/', 308));
  await server.register(async (pages) => {
    pages.addHook('onRequest', async (_request, reply) => {
      if (isBuilt(folder)) return undefined;
      return reply
        .code(503)
        .headers({ 'cache-control': 'no-store', 'retry-after': ASK_AGAIN_S, refresh: ASK_AGAIN_S })
        .type('text/plain; charset=utf-8')
        .send(NOT_BUILT);
    });
    await serveFolder(pages, folder, '/console/');
  });
}

export function isBuilt(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}

/**
 * Assets have a hash in their name and never change. The page that names them must be revalidated each time.
 * @param policyOf the page's content security policy, from the server's
 */
export async function serveFolder(
  server: FastifyInstance,
  folder: string,
  prefix: '/' | '/console/',
  policyOf: (own: string) => string = (own) => own,
): Promise<void> {
  const root = resolve(folder);
  const assets = join(root, 'assets') + sep;
  await server.register(serveStatic, {
    // `/hall` is hall.html. The build writes `….br` and `….gz` beside the files.
    root,
    prefix,
    extensions: ['html'],
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders(reply, path) {
      reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (/\.html(\.(br|gz))?$/.test(path)) reply.header(POLICY, policyOf(String(reply.getHeader(POLICY))));
    },
  });
}
