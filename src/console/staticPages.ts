import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const NOT_BUILT = 'The operator\'s page is not built: run "npm run setup". The API under /api/console/ works without it.\n';

/** Serves the operator's page at /console/. The page holds no secret, so everybody may load it. Its requests to the API need a login. */
export async function mountPage(server: FastifyInstance, folder: string): Promise<void> {
  server.get('/console', async (_request, reply) => reply.redirect('/console/', 308));
  const root = resolve(folder);
  if (!existsSync(join(root, 'index.html'))) {
    server.get('/console/', async (_request, reply) => reply.code(503).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(NOT_BUILT));
    return;
  }
  const assets = join(root, 'assets') + sep;
  await server.register(serveStatic, {
    root, prefix: '/console/', decorateReply: false, cacheControl: false, dotfiles: 'ignore',
    setHeaders: (reply, path) => { reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache'); },
  });
}
