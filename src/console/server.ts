import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Readiness } from '../platform/telemetry/health.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { mountOperatorConsole } from './operatorConsole.ts';
import { gatewayAddress } from './gateway-address.ts';
import type { GuestTokens } from './guests.ts';
import type { Pace } from './live/sampler.ts';
import { countRequests, type ConsoleCounters } from './metrics.ts';
import { isBuilt, mountOperatorPage, serveFolder } from './staticPages.ts';
import { servePlayers, type PlayerOptions } from './player/routes.ts';
import { REFUSALS, refusalOf, refuse } from './refusals.ts';
import type { Backend } from './routes/route.ts';
import type { RequestOrigin } from './session/authenticate.ts';

/** Each limit protects this process from one careless or hostile visitor [R10]. */
const LIMITS = {
  guestsPerMinutePerAddress: 60,
  addressesRemembered: 5_000,
  bodyBytesMax: 4_096,
  tokenCharactersMax: 2_048,
  requestMsMax: 5_000,
  idleConnectionMsMax: 10_000,
} as const;

const HEADERS = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws: wss:; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

const guestRequest = z.strictObject({ token: z.string().max(LIMITS.tokenCharactersMax).optional() }).nullish();

export interface ConsoleOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** `ws://…`, the gateway's address for browsers. */
  gatewayUrl: string;
  /** The built page, `dist/client-demo`. */
  pageFolder: string;
  /** Present in demo mode only. */
  guests?: GuestTokens;
  /** The player's API, which reads the ledger. Absent without a ledger. */
  player?: Omit<PlayerOptions, 'log'>;
  /** What the operator's API works with. Absent: only the player's page is served. */
  backend?: Backend;
  /** The built operator's page, `dist/client-console`. If it is not built, a hint is served instead. */
  consoleFolder?: string;
  /** Absent: no proxy in front, and cookies are https-only if the request came over https. */
  requestOrigin?: RequestOrigin;
  pace?: Partial<Pace>;
  /** The report of `/readyz`. Without it the console is always ready. */
  readiness?: Pick<Readiness, 'report'>;
  counters?: ConsoleCounters;
  log: Logger;
}

export type Console = Awaited<ReturnType<typeof startConsole>>;

/**
 * @returns its address, `http://host:port`, to be opened on this machine
 * @throws Error when the player's page is not built; errors of the listening socket (EADDRINUSE, EACCES …)
 */
export async function startConsole(options: ConsoleOptions) {
  const { host, port, gatewayUrl, pageFolder, guests, player, backend, consoleFolder, pace, readiness, counters, log } = options;
  const requestOrigin = options.requestOrigin ?? { trustedProxies: 0, secureCookies: 'auto' };
  if (!isBuilt(pageFolder)) throw new Error(`the player's page is not built: no index.html in ${pageFolder} (run "npm run setup")`);

  const server = Fastify({
    bodyLimit: LIMITS.bodyBytesMax,
    requestTimeout: LIMITS.requestMsMax,
    keepAliveTimeout: LIMITS.idleConnectionMsMax,
    // Trusts our own proxies only. The visitor can forge the rest of the header.
    trustProxy: (_address: string, hop: number) => hop < requestOrigin.trustedProxies,
    // Browsers keep idle connections open. A shutdown must not wait for them.
    forceCloseConnections: true,
    // The visitor's own id is never used, so that visitors cannot write into our log.
    genReqId: () => randomUUID(),
    // Malformed requests match no route and run no hook, so they get their headers here.
    frameworkErrors: (error, request, reply) => { answerFault(error, request, reply.headers(HEADERS)); },
  });

  function answerFault(error: unknown, { id, method, routeOptions }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = refusalOf(error);
    if (refusal === REFUSALS.internal) log.error({ err: error, requestId: id, method, route: routeOptions.url }, 'console request failed');
    return refuse(reply, refusal);
  }

  if (counters) countRequests(server, counters);
  server.addHook('onRequest', async ({ id }, reply) => { reply.headers({ ...HEADERS, 'x-request-id': id }); });
  server.addHook('onResponse', async ({ id, method, routeOptions: { url } }, { statusCode }) => { log.debug({ requestId: id, method, route: url, status: statusCode }, 'answered'); });
  server.setErrorHandler((error, request, reply) => answerFault(error, request, reply));
  server.setNotFoundHandler((_request, reply) => refuse(reply, REFUSALS.not_found));
  await server.register(rateLimit, { global: false, cache: LIMITS.addressesRemembered });
  await serveFolder(server, pageFolder, '/');

  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const report = readiness?.report() ?? { ready: true };
    return reply.code(report.ready ? 200 : 503).header('cache-control', 'no-store').send(report);
  });
  server.get('/api/config', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return { gatewayUrl: gatewayAddress(gatewayUrl, request.hostname), demo: guests !== undefined };
  });
  server.post('/api/guest', { config: { rateLimit: { max: LIMITS.guestsPerMinutePerAddress, timeWindow: 60_000 } } }, async (request, reply) => {
    if (!guests) return refuse(reply, REFUSALS.no_guests);
    const body = guestRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, REFUSALS.bad_request);
    reply.header('cache-control', 'no-store');
    return guests.issue(body.data?.token);
  });
  if (player) servePlayers(server, { ...player, log });

  if (consoleFolder !== undefined) await mountOperatorPage(server, consoleFolder);
  if (backend) await mountOperatorConsole(server, { backend, requestOrigin, onFault: (error) => log.warn({ error: String(error) }, 'cannot read the live figures'), pace });

  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw error;
  }
  const { port: bound } = server.server.address() as AddressInfo;
  return { url: pageUrl(host, bound), close: async (): Promise<void> => server.close() };
}

function pageUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
