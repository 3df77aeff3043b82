import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { optionalPackages, PackageMissing } from '../platform/process/optionalPackage.ts';
import type { Backend } from './routes/route.ts';
import type { Authenticator } from './session/authenticate.ts';
import { REFUSALS, refuse } from './refusals.ts';

const QUEUE_BOARD = '/console/queues';

/** The board needs inline styles and a <base> tag. The rest is our usual policy. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** The board's page would load fonts from a third party. */
const FOREIGN_FONTS = /<link href="https:\/\/fonts\.[^>]*>\s*/g;

/** BullMQ's board of these queues. @throws PackageMissing */
async function openBoard({ credit, later, dead, orders, ordersLater, ordersEnded, ordersDead }: Backend['queues']) {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await optionalPackages(
    'the queue board', ['@bull-board/api', '@bull-board/fastify'],
    () => Promise.all([import('@bull-board/api'), import('@bull-board/api/bullMQAdapter'), import('@bull-board/fastify')]),
  );
  const adapter = new FastifyAdapter().setBasePath(QUEUE_BOARD);
  createBullBoard({
    queues: [credit, later, dead, orders, ordersLater, ordersEnded, ordersDead].map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false })),
    serverAdapter: adapter, options: { uiConfig: { boardTitle: 'Red-packet rain: queues', hideRedisDetails: false } },
  });
  return adapter;
}

/**
 * Mounts the board behind the console's login. It is read-only for everybody: a job added by hand would be a claim that nobody has
 * won, and a removed dead letter would be a claim that nobody has discarded. Without its packages its address says what to install.
 */
export async function mountQueueBoard(server: FastifyInstance, { queues }: Pick<Backend, 'queues'>, authenticator: Authenticator, limitRate: onRequestAsyncHookHandler): Promise<void> {
  const board = await openBoard(queues).catch((error: unknown) => {
    if (error instanceof PackageMissing) return error;
    throw error;
  });
  await server.register(async (scope) => {
    scope.addHook('onRequest', limitRate);
    scope.addHook('onRequest', async (request, reply) => {
      void reply.headers({ 'content-security-policy': POLICY, 'cache-control': 'no-store' });
      const admitted = await authenticator.admit(request, 'viewer');
      if (!admitted.ok) {
        // A browser is redirected to the login.
        if (admitted.code === 'no_session' && String(request.headers.accept ?? '').includes('text/html')) return reply.redirect('/console/', 303);
        return refuse(reply, REFUSALS[admitted.code]);
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(reply, REFUSALS.look_only);
      return undefined;
    });
    scope.addHook('onSend', async (_request, _reply, payload) => (typeof payload === 'string' ? payload.replaceAll(FOREIGN_FONTS, '') : payload));
    if (board instanceof PackageMissing) {
      for (const path of [QUEUE_BOARD, `${QUEUE_BOARD}/*`]) scope.get(path, async (_request, reply) => refuse(reply, { ...REFUSALS.not_installed, reason: board.message }));
    } else await scope.register(board.registerPlugin(), { prefix: QUEUE_BOARD });
  });
}
