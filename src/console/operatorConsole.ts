import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { openSessions } from '../operator/staff/sessions.ts';
import { refusalsOf } from '../rain/refusal.ts';
import type { LiveSample } from './contract/live.ts';
import type { SaleSample } from './contract/sales.ts';
import { openLiveFeeds } from './live/liveFeeds.ts';
import { startSaleSampler } from './live/saleSampler.ts';
import { startSampler } from './live/sampler.ts';
import { PACE, type Pace } from './live/sampling.ts';
import { refusalFor, REFUSALS, refuse } from './refusals.ts';
import { nulsIn } from './nulsIn.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { campaignRoutes } from './routes/campaigns.ts';
import { deadRoutes } from './routes/dead.ts';
import { orderLetterRoutes } from './routes/orderLetters.ts';
import { liveRoutes } from './routes/live.ts';
import { orderRoutes } from './routes/orders.ts';
import { participantRoutes } from './routes/participants.ts';
import { queueRoutes } from './routes/queues.ts';
import { rainRoutes } from './routes/rains.ts';
import { reconcileRoutes } from './routes/reconcile.ts';
import { restoreRoutes } from './routes/restore.ts';
import type { Backend, Route } from './routes/route.ts';
import { saleRoutes } from './routes/sales.ts';
import { sessionRoutes } from './routes/session.ts';
import { systemRoutes } from './routes/system.ts';
import { templateRoutes } from './routes/templates.ts';
import { themeRoutes } from './routes/themes.ts';
import { userRoutes } from './routes/users.ts';
import { winnerRoutes } from './routes/winners.ts';
import { isForeign, openAuthenticator, visitorAddress, type SignedIn } from './session/authenticate.ts';
import type { RequestOrigin } from './session/cookies.ts';

/** Each limit protects this process, or the servers behind it, from one careless or hostile visitor [R10]. */
const LIMITS = { requestsPerMinutePerAddress: 1_200, bodyBytesMax: 64 * 1_024 } as const;

interface OperatorConsoleOptions {
  backend: Backend;
  requestOrigin: RequestOrigin;
  /** Whether operators without one-time codes may only read. */
  demandTotp?: boolean;
  /** Where players have their page, if not here. */
  playerPage?: string | undefined;
  /** The currency of all amounts, ISO 4217. */
  currency: string;
  /** Whether people on the list of participants come in by their codes. */
  participants?: boolean | undefined;
  /** The title of the event. */
  event?: string | undefined;
  onFault: (error: unknown) => void;
  pace?: Partial<Pace> | undefined;
}

const PER_ADDRESS = {
  max: LIMITS.requestsPerMinutePerAddress,
  timeWindow: 60_000,
  keyGenerator: visitorAddress,
} as const;

/** Addresses at which the queues had a page of their own, and the way from there: people have them as bookmarks. */
const FORMER_QUEUE_BOARD = { '/console/queues': './#/queues', '/console/queues/': '../#/queues' } as const;

const NOTHING = z.strictObject({}, 'expected nothing');
const anonymous: SignedIn = { name: '', role: 'viewer', totp: false, isStillValid: async () => false };

/** The operator's API. Each request is authenticated, authorized, validated, and then handled by its verb. */
export async function mountOperatorConsole(server: FastifyInstance, options: OperatorConsoleOptions): Promise<void> {
  const {
    backend,
    requestOrigin,
    onFault,
    demandTotp = false,
    playerPage,
    currency,
    participants = false,
    event,
  } = options;
  const pace: Pace = { ...PACE, ...options.pace };
  const sessions = openSessions(backend.redis, backend.signer, backend.ledger.staff);
  const authenticator = openAuthenticator(backend.ledger, sessions, requestOrigin, demandTotp);
  const watching = { ...backend, actor: 'console' };
  const liveFeeds = {
    rains: openLiveFeeds<LiveSample>((rainId, onSample) => startSampler(watching, rainId, pace, onFault, onSample)),
    sales: openLiveFeeds<SaleSample>((saleId, onSample) => startSaleSampler(watching, saleId, pace, onFault, onSample)),
  };
  const visitors = new WeakMap<FastifyRequest, SignedIn>();
  server.addHook('preClose', async () => {
    for (const feeds of Object.values(liveFeeds)) feeds.close();
  });
  await server.register(cookie);
  // Any type that a browser may give a file: its bytes tell the true one. An SVG comes in as well, so that its refusal
  // names what was expected.
  for (const type of ['text/csv', 'application/octet-stream', /^(image|audio|video)\//])
    server.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // One for all routes: with settings of its own each route would count by itself.
  const limitRate = server.rateLimit(PER_ADDRESS);
  function mount({ endpoint, handle }: Route): void {
    const { method, path, access, status, bodyBytesMax = LIMITS.bodyBytesMax } = endpoint;
    server.route({
      method,
      url: path,
      exposeHeadRoute: false,
      bodyLimit: bodyBytesMax,
      onRequest: limitRate,
      // After the rate limit, so that a flood costs the database nothing; before the body is parsed, so that nobody
      // else's is.
      preParsing: async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        if (access === 'anybody') return isForeign(request) ? refuse(reply, REFUSALS.cross_origin) : undefined;
        const admitted = await authenticator.admit(request, access);
        if (!admitted.ok) {
          const isNobody = admitted.code === 'no_session' && endpoint.nobody && asksForNobody(request);
          return isNobody ? reply.code(204).send() : refuse(reply, REFUSALS[admitted.code]);
        }
        visitors.set(request, admitted.visitor);
        return undefined;
      },
      handler: async (request, reply) => {
        const parsed = parseRequest(endpoint, request);
        if (!parsed.ok) return refuse(reply, refusalFor(parsed.refusals, 'bad_request'));
        const visitor = visitors.get(request) ?? anonymous;
        const answer = await handle({
          ...parsed,
          visitor,
          request,
          reply,
          context: { ...backend, actor: `console:${visitor.name}` },
        });
        if (answer === 'streamed') return reply;
        if ('declined' in answer) return refuse(reply, answer.declined);
        return reply.code(status).send(status === 204 ? undefined : answer.answer);
      },
    });
  }

  for (const route of [
    ...sessionRoutes(backend.ledger, sessions, {
      requestOrigin,
      demandTotp,
      playerPage,
      currency,
      timeZone: backend.timeZone,
      event,
      participants,
    }),
    ...approvalRoutes,
    ...rainRoutes,
    ...campaignRoutes,
    ...winnerRoutes,
    ...saleRoutes,
    ...orderRoutes,
    ...reconcileRoutes,
    ...restoreRoutes,
    ...liveRoutes(liveFeeds, pace),
    ...deadRoutes,
    ...orderLetterRoutes,
    ...queueRoutes,
    ...systemRoutes,
    ...userRoutes,
    ...participantRoutes,
    ...themeRoutes,
    ...templateRoutes,
  ])
    mount(route);
  for (const [url, way] of Object.entries(FORMER_QUEUE_BOARD))
    server.get(url, { onRequest: limitRate }, async (_request, reply) => reply.redirect(way, 301));
}

const asksForNobody = ({ query }: FastifyRequest): boolean => (query as { nobody?: unknown }).nobody === '204';

/**
 * Validates the whole request and returns all refusals at once [R12]. A sign-in is not told what is odd about its name or
 * password.
 */
function parseRequest({ params = NOTHING, query = NOTHING, body, access }: Route['endpoint'], request: FastifyRequest) {
  const results = {
    params: params.safeParse(request.params),
    query: query.safeParse(request.query),
    body: (body ?? NOTHING.nullish()).safeParse(request.body),
  };
  const refusals = Object.entries(results).flatMap(([name, result]) =>
    !result.success ? refusalsOf(result.error, name) : access === 'anybody' ? [] : nulsIn(result.data, name),
  );
  if (refusals.length > 0) return { ok: false as const, refusals };
  return { ok: true as const, params: results.params.data, query: results.query.data, body: results.body.data };
}
