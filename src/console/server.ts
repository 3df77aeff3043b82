import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve, sep } from 'node:path';
import rateLimit from '@fastify/rate-limit';
import serveStatic from '@fastify/static';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Readiness } from '../platform/telemetry/health.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { mountOperatorConsole } from './operatorConsole.ts';
import { gatewayAddress } from './gateway-address.ts';
import type { GuestTokens } from './guests.ts';
import type { Pace } from './live/sampler.ts';
import { countRequests, type ConsoleCounters } from './metrics.ts';
import { mountPage } from './staticPages.ts';
import { servePlayers, type PlayerOptions } from './player/routes.ts';
import { REFUSALS, refusalOf, type Refusal } from './refusals.ts';
import type { Backend } from './routes/route.ts';
import type { RequestOrigin } from './session/origin.ts';

/** Each protects this process from one careless or hostile visitor [R10]. */
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

/** Reached directly; cookies over https only for who comes by https. */
const PLAIN: RequestOrigin = { trustedProxies: 0, secureCookies: 'auto' };

const guestRequest = z.strictObject({ token: z.string().max(LIMITS.tokenCharactersMax).optional() }).nullish();

export interface ConsoleOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** `ws://…`, the gateway as a browser should reach it. */
  gatewayUrl: string;
  /** The built page, `dist/client-demo`. */
  pageFolder: string;
  /** Only in demo mode. */
  guests?: GuestTokens;
  /** Where there is a book to read: what players may ask about their money. */
  player?: Omit<PlayerOptions, 'log'>;
  /** What the operator's side works with; absent: there is none here, only the player's page. */
  backend?: Backend;
  /** The operator's page, `dist/client-console`; while it is not built, a sentence stands in its place. */
  consoleFolder?: string;
  requestOrigin?: RequestOrigin;
  /** Of the live screens. */
  pace?: Partial<Pace>;
  /** What `/readyz` says; without one the console is ready as long as it answers. */
  readiness?: Pick<Readiness, 'report'>;
  /** Where requests are counted. */
  counters?: ConsoleCounters;
  log: Logger;
}

export interface Console {
  /** `http://host:port`, as to be opened on this machine. */
  url: string;
  close(): Promise<void>;
}

/** @throws Error when the page has not been built; EADDRINUSE, EACCES … of the listening socket pass through */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { host, port, gatewayUrl, pageFolder, guests, player, backend, consoleFolder, requestOrigin = PLAIN, pace, readiness, counters, log } = options;
  const root = resolve(pageFolder);
  const assets = join(root, 'assets') + sep;
  if (!existsSync(join(root, 'index.html'))) throw new Error(`the player's page is not built: no index.html in ${pageFolder} (run "npm run setup")`);

  const server = Fastify({
    bodyLimit: LIMITS.bodyBytesMax,
    requestTimeout: LIMITS.requestMsMax,
    keepAliveTimeout: LIMITS.idleConnectionMsMax,
    // Only so many hops as are ours: what stands before them in the header is the visitor's word.
    trustProxy: (_address: string, hop: number) => hop < requestOrigin.trustedProxies,
    // A browser keeps connections open for its next question; a shutdown does not wait for it.
    forceCloseConnections: true,
    // Never the visitor's own: what stands in our log is chosen by us.
    genReqId: () => randomUUID(),
    // Requests that match no route for being malformed pass no hook.
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
  await server.register(serveStatic, {
    root,
    cacheControl: false,
    dotfiles: 'ignore',
    // Assets carry a hash in their name; the page that names them must be asked for each time.
    setHeaders: (reply, path) => { reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache'); },
  });

  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const report = readiness?.report() ?? { ready: true };
    return reply.code(report.ready ? 200 : 503).header('cache-control', 'no-store').send(report);
  });
  server.get('/api/config', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return { gatewayUrl: gatewayAddress(gatewayUrl, request.hostname), demo: guests !== undefined };
  });
  const perAddress = { rateLimit: { max: LIMITS.guestsPerMinutePerAddress, timeWindow: 60_000 } };
  server.post('/api/guest', { config: perAddress }, async (request, reply) => {
    if (!guests) return refuse(reply, REFUSALS.no_guests);
    const body = guestRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, REFUSALS.bad_request);
    reply.header('cache-control', 'no-store');
    return guests.issue(body.data?.token);
  });
  if (player) servePlayers(server, { ...player, log });

  if (consoleFolder !== undefined) await mountPage(server, consoleFolder);
  if (backend) await mountOperatorConsole(server, { backend, requestOrigin, refuse, onFault: (error) => log.warn({ error: String(error) }, 'live figures cannot be read'), pace });

  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw error;
  }
  const { port: bound } = server.server.address() as AddressInfo;
  return { url: pageUrl(host, bound), close: () => server.close() };
}

function refuse(reply: FastifyReply, { status, ...told }: Refusal): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send(told);
}

function pageUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
