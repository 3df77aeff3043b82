import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refusalsOf, type Refusal as FieldRefusal } from '../rain/refusal.ts';
import { mountQueueBoard } from './queueBoard.ts';
import { PACE, type Pace } from './live/sampler.ts';
import { openLiveFeeds } from './live/liveFeeds.ts';
import { REFUSALS, type Refusal } from './refusals.ts';
import { callerRoutes } from './routes/callers.ts';
import { campaignRoutes } from './routes/campaigns.ts';
import { deadRoutes } from './routes/dead.ts';
import { liveRoutes } from './routes/live.ts';
import { rainRoutes } from './routes/rains.ts';
import { declinedFor, type Backend, type Route } from './routes/route.ts';
import { sessionRoutes } from './routes/session.ts';
import { transitionRoutes } from './routes/transitions.ts';
import { systemRoutes } from './routes/system.ts';
import { winnerRoutes } from './routes/winners.ts';
import { openAuthenticator, type SignedIn } from './session/authenticate.ts';
import { openSessions } from './session/sessions.ts';
import { isForeign, visitorAddress, type RequestOrigin } from './session/origin.ts';

/** Each protects this process, or the servers behind it, from one careless or hostile visitor [R10]. */
const LIMITS = { requestsPerMinutePerAddress: 1_200, bodyBytesMax: 64 * 1_024 } as const;

interface OperatorConsoleOptions {
  backend: Backend;
  requestOrigin: RequestOrigin;
  refuse: (reply: FastifyReply, refusal: Refusal) => FastifyReply;
  onFault: (error: unknown) => void;
  /** Of the live screens. */
  pace?: Partial<Pace> | undefined;
}

const NOTHING = z.strictObject({}, 'expected nothing');
const nobody: SignedIn = { name: '', role: 'viewer', stillHere: async () => false };

/** The operator's side of the console: who is he, may he, did he ask for something that there is, and then the verb. */
export async function mountOperatorConsole(server: FastifyInstance, options: OperatorConsoleOptions): Promise<void> {
  const { backend, requestOrigin, refuse, onFault } = options;
  const pace: Pace = { ...PACE, ...options.pace };
  const sessions = openSessions(backend.redis);
  const authenticator = openAuthenticator(backend.ledger, sessions);
  const liveFeeds = openLiveFeeds({ ...backend, actor: 'console' }, onFault, pace);
  const visitors = new WeakMap<FastifyRequest, SignedIn>();
  server.addHook('preClose', async () => liveFeeds.close());
  await server.register(cookie);

  function mount({ endpoint, handle }: Route): void {
    const { method, path, who, status } = endpoint;
    server.route({
      method, url: path, exposeHeadRoute: false, bodyLimit: LIMITS.bodyBytesMax,
      config: { rateLimit: { max: LIMITS.requestsPerMinutePerAddress, timeWindow: 60_000, groupId: 'console', keyGenerator: visitorAddress } },
      // Before the body is read: who may not ask is not listened to.
      onRequest: async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        if (who === 'anybody') return isForeign(request) ? refuse(reply, REFUSALS.cross_origin) : undefined;
        const admitted = await authenticator.admit(request, who);
        if (!admitted.ok) return refuse(reply, REFUSALS[admitted.code]);
        visitors.set(request, admitted.visitor);
        return undefined;
      },
      handler: async (request, reply) => {
        const read = readRequest(endpoint, request);
        if (!read.ok) return refuse(reply, declinedFor(read.refusals, 'bad_request').declined);
        const visitor = visitors.get(request) ?? nobody;
        const answer = await handle({ ...read, visitor, request, reply, context: { ...backend, actor: `console:${visitor.name}` } });
        if (answer === 'streamed') return reply;
        if ('declined' in answer) return refuse(reply, answer.declined);
        return reply.code(status).send(status === 204 ? undefined : answer.answer);
      },
    });
  }

  for (const route of [...sessionRoutes(backend.ledger, sessions, requestOrigin), ...rainRoutes, ...transitionRoutes, ...campaignRoutes, ...winnerRoutes, ...liveRoutes(liveFeeds, pace), ...deadRoutes, ...callerRoutes, ...systemRoutes]) mount(route);
  await mountQueueBoard(server, backend, authenticator, refuse);
}

type Read = { ok: true; params: unknown; query: unknown; body: unknown } | { ok: false; refusals: FieldRefusal[] };

/** All that is wrong with a request, at once [R12]. */
function readRequest({ params = NOTHING, query = NOTHING, body }: Route['endpoint'], request: FastifyRequest): Read {
  const parts = { params: params.safeParse(request.params), query: query.safeParse(request.query), body: (body ?? NOTHING.nullish()).safeParse(request.body) };
  const refusals = Object.entries(parts).flatMap(([whole, parsed]) => (parsed.success ? [] : refusalsOf(parsed.error, whole)));
  return refusals.length > 0 ? { ok: false, refusals } : { ok: true, params: parts.params.data, query: parts.query.data, body: parts.body.data };
}
