import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { CURRENCY_DEFAULT } from '../platform/currency.ts';
import { discardBody } from '../platform/network/discardBody.ts';
import { repeatsHeader } from '../platform/network/repeatedHeaders.ts';
import type { Readiness } from '../platform/telemetry/health.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { answerOneAtATime } from './oneAtATime.ts';
import { mountOperatorConsole } from './operatorConsole.ts';
import { limitConnections } from './connections.ts';
import { cutUnreadAnswers, type UnreadLimits } from './unreadAnswers.ts';
import { gatewayAddress } from './gateway-address.ts';
import { hostNames, isOurHost, type HostNames } from './hosts.ts';
import type { Pace } from './live/sampling.ts';
import { rainParams } from './contract/endpoint.ts';
import { countRequests, type ConsoleCounters } from './metrics.ts';
import { isBuilt, mountOperatorPage, serveFolder } from './staticPages.ts';
import { serveEntry, type EntryOptions } from './player/entry.ts';
import { servePlayers, type PlayerOptions } from './player/routes.ts';
import { serveThemes, type ThemeOptions } from './player/themeRoutes.ts';
import { UnknownRains } from './player/unknownRains.ts';
import { serveDemoShop } from './shop/demo.ts';
import { serveShop, type ShopOptions } from './shop/reports.ts';
import { REFUSALS, refusalOf, refuse } from './refusals.ts';
import type { Backend } from './routes/route.ts';
import { visitorAddress } from './session/authenticate.ts';
import type { RequestOrigin } from './session/cookies.ts';

/** Each limit protects this process from one careless or hostile visitor [R10]. */
const LIMITS = {
  addressesRemembered: 5_000,
  bodyBytesMax: 4_096,
  /** Browsers and proxies send about 20. Node does not read all of thousands, and a proxy might. */
  headersMax: 100,
  headMsMax: 5_000,
  /** A statement of a wallet comes over slow lines, too. */
  requestMsMax: 30_000,
  /** How often the two limits above are checked. */
  checkMs: 1_000,
  idleConnectionMsMax: 10_000,
} as const;

const IMAGES = "img-src 'self'";
/** @param gateway its origin: older browsers do not count a socket to the own host as 'self' */
const policy = (gateway: string) =>
  `default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; ${IMAGES}; media-src 'self'; connect-src 'self' ${gateway}; manifest-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

export interface ConsoleOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** `ws://…`, the gateway's address for browsers. */
  gatewayUrl: string;
  /** The built page, `dist/client-demo`. */
  pageFolder: string;
  /** How players come in without a token of their own. */
  entry?: EntryOptions;
  /**
   * The scope of a guest: a tab, so that one browser can try out several, or a device, whose guest keeps its wins.
   */
  guestsAre?: 'tab' | 'device';
  /** The currency of all amounts, ISO 4217. */
  currency?: string;
  /** Whether nobody sees the names of winners (WINNER_NAMES=none), so that the page asks for one in other words. */
  hidesNames?: boolean;
  /** The title of the event, for the player's page and for cards. */
  event?: string;
  /** The player's API, which reads the ledger. Absent without a ledger. */
  player?: Omit<PlayerOptions, 'log' | 'unknownRains'>;
  /** The look of rains, which reads the ledger, too. */
  theme?: Omit<ThemeOptions, 'log' | 'unknownRains'>;
  /** The shop that reports what became of its orders. */
  shop?: Omit<ShopOptions, 'log'>;
  /** Origins where the shop keeps pictures of its items, beside this one; the player's page shows those of no other. */
  pictureOrigins?: readonly string[];
  /** The shop's page to pay an order on, with `{orderId}` in it. */
  payUrl?: string;
  /** For demos: orders are paid without money, by a stand-in of the shop. Needs `shop`. */
  demoShop?: boolean;
  /** The means of the operator's API. Absent: only the player's page is served. */
  backend?: Backend;
  /** The built operator's page, `dist/client-console`. If it is not built, a hint is served instead. */
  consoleFolder?: string;
  /** Names under which the page may be addressed, beside those of this machine. */
  names?: HostNames;
  /** Absent: no proxy in front, and cookies are https-only if the request came over https. */
  requestOrigin?: RequestOrigin;
  /** The address of the player's page, for operators and the screen of a hall; default: where the console has it. */
  playerPage?: string;
  /** Whether operators need one-time codes to act (CONSOLE_TOTP). */
  demandTotp?: boolean;
  pace?: Partial<Pace>;
  /** The report of `/readyz`. Without it the console is always ready. */
  readiness?: Pick<Readiness, 'report'>;
  /** A test's own limits. */
  connections?: { connectionsMax: number; perAddressMax: number };
  unread?: UnreadLimits;
  counters?: ConsoleCounters;
  log: Logger;
}

export type Console = Awaited<ReturnType<typeof startConsole>>;

/**
 * @returns its address, `http://host:port`, to be opened on this machine
 * @throws Error when the player's page is not built; errors of the listening socket (EADDRINUSE, EACCES …)
 */
export async function startConsole(options: ConsoleOptions) {
  const {
    host,
    port,
    gatewayUrl,
    pageFolder,
    entry = {},
    guestsAre = 'tab',
    currency = CURRENCY_DEFAULT,
    hidesNames = false,
    event,
    player,
    theme,
    shop,
    pictureOrigins = [],
    payUrl,
    demoShop = false,
    backend,
    consoleFolder,
    playerPage,
    demandTotp,
    pace,
    readiness,
    counters,
    connections,
    log,
    names = hostNames([], [], gatewayUrl),
  } = options;
  const requestOrigin = options.requestOrigin ?? { trustedProxies: 0, secureCookies: 'auto' };
  if (!isBuilt(pageFolder))
    throw new Error(`the player's page is not built: no index.html in ${pageFolder} (run "npm run setup")`);

  const headersFor = ({ hostname }: FastifyRequest) => ({
    ...HEADERS,
    'content-security-policy': policy(new URL(gatewayAddress(gatewayUrl, hostname)).origin),
  });
  const server = Fastify({
    bodyLimit: LIMITS.bodyBytesMax,
    requestTimeout: LIMITS.requestMsMax,
    http: { headersTimeout: LIMITS.headMsMax, connectionsCheckingInterval: LIMITS.checkMs },
    keepAliveTimeout: LIMITS.idleConnectionMsMax,
    // Trusts our own proxies only. The visitor can forge the rest of the header.
    trustProxy: (_address: string, hop: number) => hop < requestOrigin.trustedProxies,
    // Browsers keep idle connections open. A shutdown must not wait for them.
    forceCloseConnections: true,
    // The visitor's own id is never used, so that visitors cannot write into our log.
    genReqId: () => randomUUID(),
    // Malformed requests match no route and run no hook, so they get their headers here.
    frameworkErrors: (error, request, reply) => {
      void answerFault(error, request, reply.headers(headersFor(request)));
    },
  });

  async function mountOperators(): Promise<void> {
    if (consoleFolder !== undefined) await mountOperatorPage(server, consoleFolder);
    if (backend)
      await mountOperatorConsole(server, {
        backend,
        requestOrigin,
        playerPage,
        currency,
        participants: entry.enterByCode !== undefined,
        event,
        ...(demandTotp !== undefined && { demandTotp }),
        onFault: (error) => log.warn({ error: String(error) }, 'cannot read the live figures'),
        pace,
      });
  }

  async function answerFault(
    error: unknown,
    { id, method, routeOptions, raw }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const refusal = refusalOf(error, routeOptions.bodyLimit);
    if (refusal.status === REFUSALS.too_big.status) await discardBody(raw);
    if (refusal === REFUSALS.internal)
      log.error({ err: error, requestId: id, method, route: routeOptions.url }, 'console request failed');
    return refuse(reply, refusal);
  }

  server.server.maxHeadersCount = 0;
  // Every body is JSON, a table or a signed report.
  server.removeContentTypeParser('text/plain');
  limitConnections(server.server, {
    trustedProxies: requestOrigin.trustedProxies,
    ...(connections && { limits: connections }),
  });
  cutUnreadAnswers(server.server, options.unread);
  answerOneAtATime(server);
  if (counters) countRequests(server, counters);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headersFor(request), 'x-request-id': request.id });
    const { rawHeaders } = request.raw;
    const refusal =
      rawHeaders.length / 2 > LIMITS.headersMax || repeatsHeader(rawHeaders)
        ? REFUSALS.bad_request
        : isOurHost(request, names)
          ? undefined
          : REFUSALS.wrong_host;
    // Somebody before us may have read another request, and what follows it as a part of it.
    return refusal && refuse(reply.header('connection', 'close'), refusal);
  });
  server.addHook('onResponse', async ({ id, method, routeOptions: { url } }, { statusCode }) => {
    log.debug({ requestId: id, method, route: url, status: statusCode }, 'answered');
  });
  server.setErrorHandler((error, request, reply) => answerFault(error, request, reply));
  server.setNotFoundHandler((_request, reply) => refuse(reply, REFUSALS.not_found));
  // A proxy may write the port to the address, and then each connection would have a limit of its own.
  await server.register(rateLimit, { global: false, cache: LIMITS.addressesRemembered, keyGenerator: visitorAddress });
  await serveFolder(server, pageFolder, '/', (own) => own.replace(IMAGES, [IMAGES, ...pictureOrigins].join(' ')));

  // An address that was typed in a hall leads to a page, whatever was typed: to the next rain or sale where it is no
  // id. The page finds out whether the id is that of a rain or of a sale: the gateway tells it, and this server may
  // have neither store. Each redirect is relative: a proxy may serve all this below a path of its own.
  server.get('/hall/:rainId', async (request, reply) => {
    const path = rainParams.safeParse(request.params);
    return reply.redirect(path.success ? `../hall?rain=${path.data.rainId}` : '../hall');
  });
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const report = readiness?.report() ?? { ready: true };
    return reply
      .code(report.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(report);
  });
  server.get('/api/config', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const pay = payUrl === undefined ? demoShop && { demo: true } : { url: payUrl };
    return {
      gatewayUrl: gatewayAddress(gatewayUrl, request.hostname),
      currency,
      ...(entry.guests && { guests: guestsAre }),
      ...(entry.enterByCode && { participants: true }),
      ...(hidesNames && { hidesNames }),
      ...(event !== undefined && { event }),
      ...(playerPage !== undefined && { page: playerPage }),
      ...(pay && { pay }),
    };
  });
  serveEntry(server, entry, event !== undefined || guestsAre === 'device' ? 'event' : 'demo');
  // Rains that do not exist are counted together, wherever they are asked for.
  const unknownRains = new UnknownRains();
  if (player) servePlayers(server, { ...player, unknownRains, log });
  if (theme) serveThemes(server, { ...theme, unknownRains, log });
  if (shop) await serveShop(server, { ...shop, log });
  if (shop && demoShop)
    serveDemoShop(server, {
      secret: shop.secret,
      ownUrl: () => pageUrl(host, (server.server.address() as AddressInfo).port),
    });

  await mountOperators();

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
