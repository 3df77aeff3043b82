import { createEntryTokens } from '../../console/entryTokens.ts';
import { createGuestTokens } from '../../console/guests.ts';
import { createConsoleCounters, registerConsoleMetrics, type ConsoleCounters } from '../../console/metrics.ts';
import type { EntryOptions } from '../../console/player/entry.ts';
import { createThemeReader } from '../../console/player/theme.ts';
import type { Backend } from '../../console/routes/route.ts';
import { startConsole } from '../../console/server.ts';
import { connectDatabase } from '../../ledger/database.ts';
import { hostNames } from '../../console/hosts.ts';
import { gatewayUrlAt } from '../../protocol/constants.ts';
import { compiledEntry } from '../../platform/process/childProcess.ts';
import { createLifecycle, type Lifecycle } from '../../platform/process/lifecycle.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { connectRedis } from '../../platform/redis/connect.ts';
import { openReadiness, type Readiness } from '../../platform/telemetry/health.ts';
import { createLog, type Logger } from '../../platform/telemetry/log.ts';
import { openRegistry, startMetricsServer, registerReadiness } from '../../platform/telemetry/metrics.ts';
import { askRedis } from '../../platform/redis/askRedis.ts';
import { configure, signingKey } from '../context.ts';
import { askQueues } from '../queues.ts';
import type { Environment } from '../terminal.ts';
import { openBackend } from './backend.ts';
import { openPlayerBackend, type ConsoleConfig } from './player.ts';
import { openShop } from './shop.ts';
import type { WinnerNames } from '../../rain/names.ts';

export interface ConsoleServerOptions {
  /** Guest tokens for anybody; for whom, see `guestsAre` of the console. */
  guests?: 'tab' | 'device';
  /** Tokens for people on the list of participants, by their codes. */
  participants?: boolean;
  demoShop?: boolean;
  /** The player's page and its API, and nothing for operators. */
  playersOnly?: boolean;
  /** Title of the event. */
  event?: string;
}

/** @throws when a part cannot be opened; all other parts are closed then, so that the process can end */
export async function open(
  shutdown: Shutdown,
  environment: Environment,
  { guests: guestsAre, participants = false, demoShop = false, playersOnly = false, event }: ConsoleServerOptions = {},
): Promise<{ url: string }> {
  const config = configure(environment, ['REDIS_URL', 'DATABASE_URL', 'SIGNING_SECRET']);
  const log = createLog('console', config.LOG_LEVEL);
  const key =
    guestsAre || participants ? signingKey(config, guestsAre ? 'guest tokens' : 'tokens of participants') : undefined;
  const lifecycle = createLifecycle((sentence) => log.warn(sentence));
  return lifecycle.opening(async () => {
    let backend: Backend | undefined;
    const { readiness, counters } = await openConsoleReadiness(
      config,
      log,
      lifecycle,
      async () => backend && askQueues(backend.queues),
    );
    if (!playersOnly) backend = await openBackend(config, log, lifecycle);
    // Without a key to verify the players' tokens, only the page is served.
    const players =
      config.JWT_SECRET === undefined && config.JWKS_URL === undefined
        ? undefined
        : openPlayerBackend(config, log, lifecycle);
    const entry = entryOf(key, players, { guestsAre, participants, event, names: config.WINNER_NAMES });
    const ledger = players?.ledger ?? backend?.ledger;
    const shop = backend && openShop(config, demoShop, backend, log, lifecycle);
    const gatewayUrl = config.GATEWAY_PUBLIC_URL ?? gatewayUrlAt(config.GATEWAY_HOST, config.GATEWAY_PORT);
    const server = await startConsole({
      host: config.CONSOLE_HOST,
      port: config.CONSOLE_PORT,
      pageFolder: compiledEntry('client-demo'),
      gatewayUrl,
      names: hostNames(config.CONSOLE_HOSTS, config.ALLOWED_ORIGINS, gatewayUrl),
      entry,
      currency: config.CURRENCY,
      hidesNames: config.WINNER_NAMES === 'none',
      ...(guestsAre && { guestsAre }),
      ...(event !== undefined && { event }),
      ...(players && { player: players }),
      ...(ledger && {
        theme: {
          themes: createThemeReader(ledger),
          ...(players && { readToken: players.readToken }),
          allowedOrigins: config.ALLOWED_ORIGINS,
        },
      }),
      ...(shop && { shop }),
      demoShop,
      pictureOrigins: config.PICTURE_ORIGINS,
      ...(config.PAY_URL !== undefined && { payUrl: config.PAY_URL }),
      ...(backend && { backend, consoleFolder: compiledEntry('client-console') }),
      ...(config.PLAYER_PAGE_URL !== undefined && { playerPage: config.PLAYER_PAGE_URL }),
      requestOrigin: { trustedProxies: config.TRUSTED_PROXIES, secureCookies: config.CONSOLE_SECURE_COOKIES },
      demandTotp: config.CONSOLE_TOTP === 'operators',
      readiness,
      counters,
      log,
    });
    lifecycle.onClose('console', () => {
      readiness.drain();
      return server.close();
    });
    shutdown.onClose('console', (leftMs) => lifecycle.close(leftMs));
    log.info({ url: server.url }, 'console open');
    return { url: server.url };
  });
}

/** The ways in: by a guest token, by a participant's code, and for the screens of a hall. */
function entryOf(
  key: ReturnType<typeof signingKey> | undefined,
  players: ReturnType<typeof openPlayerBackend> | undefined,
  {
    guestsAre,
    participants,
    event,
    names,
  }: { guestsAre: string | undefined; participants: boolean; event: string | undefined; names: WinnerNames },
): EntryOptions {
  return {
    ...(key && { tokens: createEntryTokens(key) }),
    ...(key && guestsAre && { guests: createGuestTokens(key) }),
    ...(participants && players && { enterByCode: players.enterByCode }),
    screens: guestsAre !== undefined || event !== undefined,
    ...(players && { blockedGuests: players.blockedGuests, readToken: players.readToken }),
    ...(event !== undefined && players && { countPhones: players.countPhones, names }),
    ...(participants && players && { countInvited: async () => (await players.ledger.countParticipants()).total }),
  };
}

/**
 * Readiness and metrics. Watches Redis and the database on its own connections, because the others may be busy; the
 * queues where they are used.
 * @throws when the port of the metrics is taken
 */
async function openConsoleReadiness(
  config: ConsoleConfig,
  log: Logger,
  lifecycle: Lifecycle,
  askOpenQueues: () => Promise<void>,
): Promise<{ readiness: Readiness; counters: ConsoleCounters }> {
  const redis = connectRedis(config.REDIS_URL, { purpose: 'once', onError: () => {} });
  lifecycle.onClose('redis', () => redis.disconnect());
  const database = connectDatabase(config.DATABASE_URL, { connectionsMax: 1 });
  lifecycle.onClose('database', () => database.$disconnect());
  const askStore = () => askRedis(redis).then(askOpenQueues);
  const readiness = await openReadiness({
    parts: [
      { name: 'redis', ask: askStore },
      { name: 'database', ask: () => database.$queryRaw`SELECT 1` },
    ],
  });
  lifecycle.onClose('readiness', () => void readiness.close());
  const counters = createConsoleCounters();
  if (config.METRICS_PORT !== undefined) {
    const registry = openRegistry();
    registerReadiness(registry, readiness);
    registerConsoleMetrics(registry, counters);
    const metrics = await startMetricsServer({
      registry,
      host: config.METRICS_HOST,
      port: config.METRICS_PORT,
      readiness,
      log,
    });
    lifecycle.onClose('metrics', () => metrics.close());
  }
  return { readiness, counters };
}
