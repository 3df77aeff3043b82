import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod';
import { migrate } from '../../ledger/migrate.ts';
import { addOperator } from '../../operator/staff/staff.ts';
import { compiledEntry, startChild } from '../../platform/process/childProcess.ts';
import { ConfigError, loadConfig, type Config } from '../../platform/config.ts';
import { startEmbeddedDatabase } from '../../platform/embedded/database.ts';
import { startEmbeddedRedis, type StartedServer } from '../../platform/embedded/redis.ts';
import { openHome } from '../../platform/process/home.ts';
import { removeRunning, writeRunning } from '../../platform/process/runningSystem.ts';
import { deriveSecret, keepSecrets } from '../../platform/auth/secrets.ts';
import { createPatience, type Patience } from '../../platform/process/starting.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { gatewayUrlAt } from '../../protocol/constants.ts';
import { openContext } from '../context.ts';
import { CommandFailure, EXIT, notify } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { timed } from './timed.ts';

/** The operator of a system on this machine. Operators from `rain operator add` are not changed. */
export const FIRST_OPERATOR = 'operator';
/** After the first start. */
export const PASSWORD_KEPT = `${FIRST_OPERATOR}, with the password of the first start; a new one: rain operator password ${FIRST_OPERATOR}`;

interface System {
  redisUrl: string;
  databaseUrl: string;
  jwtSecret: string;
  signingSecret: string;
  /** `ws://…/v1` */
  gatewayUrl: string;
  /** The player's page, `http://…` */
  pageUrl: string;
  /** The operator's console; the same address, unless an event keeps it on this machine. */
  consoleUrl: string;
  /** The password of FIRST_OPERATOR; only where the database was started here, and only when it is new. */
  password?: string;
  /** Whether the database was started here, and FIRST_OPERATOR is in it. */
  ownDatabase: boolean;
}

/** An evening with guests. */
export interface EventOptions {
  title: string;
  /** The address of this machine in the network of the guests. */
  address: string;
  /** Only people on the list of participants may play. */
  participantsOnly: boolean;
  /** The console can be opened from other devices, too. */
  consoleOnLan: boolean;
}

/** The purpose of a system. */
interface Purpose {
  demo: boolean;
  /** Absent: for this machine only. */
  event?: EventOptions;
}

/** An address of ours, as it is reached from elsewhere. */
export function atHost(host: string, url: string): string {
  const address = new URL(url);
  address.hostname = host;
  return address.href;
}

const ANY_INTERFACE = '0.0.0.0';
const LOOPBACK = '127.0.0.1';

export const failed = (reason: string): CommandFailure => new CommandFailure(EXIT.refused, reason);
export const address = z.object({ url: z.string() });

/**
 * Starts all servers, as child processes that end with this one.
 * @throws CommandFailure; `shutdown` then closes those that were started
 */
export async function startSystem(terminal: Terminal, shutdown: Shutdown, { demo, event }: Purpose): Promise<System> {
  // Secrets and data of servers are made here and in the child processes.
  process.umask(0o077);
  const config = loadConfig([], terminal.environment);
  const { home, lock } = await openOwnHome(config);
  if (config.METRICS_PORT)
    throw failed(
      'METRICS_PORT: several processes start here, expected 0 for a free port each; the addresses are in the logs folder of RAIN_HOME',
    );
  shutdown.onClose('lock', () => lock.release());
  // At an event the page has the console's port, since its address is the one that people type, and the console the
  // first port after both.
  const hosts = event
    ? { gateway: ANY_INTERFACE, page: ANY_INTERFACE }
    : { gateway: config.GATEWAY_HOST, page: config.CONSOLE_HOST };
  const ownConsole = event && !event.consoleOnLan ? ownConsoleOf(config) : undefined;
  await expectFree(hosts.gateway, config.GATEWAY_PORT, 'GATEWAY_PORT');
  await expectFree(hosts.page, config.CONSOLE_PORT, 'CONSOLE_PORT');
  if (ownConsole)
    await expectFree(ownConsole.host, ownConsole.port, 'CONSOLE_PORT and GATEWAY_PORT, after which it comes');

  const secrets = keepSecrets(home.folder);
  const jwtSecret = config.JWT_SECRET ?? ownJwtSecret(secrets.jwtSecret, event);
  const signingSecret = config.SIGNING_SECRET ?? secrets.signingSecret;
  const own = [
    ...(config.REDIS_URL === undefined ? ['Redis'] : []),
    ...(config.DATABASE_URL === undefined ? ['the database'] : []),
  ];
  const starting = (onWaiting: (why: string) => void) =>
    Promise.all([
      config.REDIS_URL ??
        startOwn(
          terminal,
          'redis',
          startEmbeddedRedis({
            home,
            password: secrets.redisPassword,
            lock,
            relaxed: config.DURABILITY.mode === 'relaxed',
            onWaiting,
          }),
          shutdown,
        ),
      config.DATABASE_URL ?? startOwn(terminal, 'database', startEmbeddedDatabase({ home, lock, onWaiting }), shutdown),
    ]);
  const [redisUrl, databaseUrl] =
    own.length > 0 ? await timed(terminal, `starting ${own.join(' and ')}`, starting) : await starting(() => {});
  const { length: applied } = await migrate(databaseUrl);
  if (applied > 0) notify(terminal, `database: applied ${applied} migration${applied === 1 ? '' : 's'}`);
  // An external database has its own operators: rain operator add.
  const password =
    config.DATABASE_URL === undefined
      ? await admitFirstOperator(terminal, {
          REDIS_URL: redisUrl,
          DATABASE_URL: databaseUrl,
          SIGNING_SECRET: signingSecret,
        })
      : undefined;

  // Several processes share this environment, so they cannot share one fixed port.
  const env = {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET: signingSecret,
    METRICS_PORT: config.METRICS_PORT === 0 ? '0' : '',
    ...keysOf(config, jwtSecret, demo || event !== undefined),
  };
  async function start<Facts>(
    name: string,
    facts: z.ZodType<Facts>,
    args: string[] = [],
    extra: Record<string, string> = {},
  ): Promise<Facts> {
    const started = await startChild({
      name,
      entry: compiledEntry('bin/rain.js'),
      args: [name, ...args],
      env: { ...env, ...extra },
      logs: home.logs,
      lock,
      facts,
      signal: shutdown.signal,
      onWaiting: (why) => say(`the ${name}: ${why}`),
    });
    if (!started.ok) throw failed(started.reason);
    watch(terminal, name, started.child, shutdown);
    return started.child.facts;
  }
  let say = (_why: string) => {};
  const startServers = async (sayWhy: typeof say) => {
    say = sayWhy;
    const names = event ? namesOf(terminal) : {};
    const gateway = start('gateway', address, [], { ...names, GATEWAY_HOST: hosts.gateway });
    const startConsoles = async () => {
      const gatewayUrl =
        config.GATEWAY_PUBLIC_URL ??
        (config.GATEWAY_PORT === 0 ? (await gateway).url : gatewayUrlAt(hosts.gateway, config.GATEWAY_PORT));
      const shared = { GATEWAY_PUBLIC_URL: gatewayUrl };
      const { url: pageUrl } = await start(
        'console',
        address,
        playerPageOptions({ demo, event }, ownConsole !== undefined),
        { ...shared, ...names, ...addressForPhones(config, event), CONSOLE_HOST: hosts.page },
      );
      const { url: consoleUrl } = ownConsole
        ? await start(
            'console',
            address,
            ['--event', event!.title, ...(event!.participantsOnly ? ['--participants'] : [])],
            {
              ...shared,
              CONSOLE_HOST: ownConsole.host,
              CONSOLE_PORT: String(ownConsole.port),
              PLAYER_PAGE_URL: config.PLAYER_PAGE_URL ?? atHost(event!.address, pageUrl),
            },
          )
        : { url: pageUrl };
      return { gatewayUrl, pageUrl, consoleUrl };
    };
    const [urls] = await Promise.all([startConsoles(), gateway, start('worker', z.object({}))]);
    return urls;
  };
  const { gatewayUrl, pageUrl, consoleUrl } = await timed(
    terminal,
    'starting worker, gateway and console',
    startServers,
  );

  writeRunning(home.folder, {
    pid: process.pid,
    startedAt: Date.now(),
    redisUrl,
    databaseUrl,
    jwtSecret,
    signingSecret,
    gatewayUrl,
    consoleUrl: pageUrl,
    demo,
  });
  shutdown.onClose('run.json', () => removeRunning(home.folder));
  const ended = ['console', 'gateway', 'worker', ...own].join(', ');
  shutdown.signal.addEventListener('abort', () =>
    notify(terminal, `\nending ${ended}; the data stays in ${home.folder}`),
  );
  return {
    redisUrl,
    databaseUrl,
    jwtSecret,
    signingSecret,
    gatewayUrl,
    pageUrl,
    consoleUrl,
    ...(password !== undefined && { password }),
    ownDatabase: config.DATABASE_URL === undefined,
  };
}

async function openOwnHome(config: Config): Promise<Extract<Awaited<ReturnType<typeof openHome>>, { ok: true }>> {
  if (config.DURABILITY.mode === 'replicas' && config.REDIS_URL === undefined) {
    throw new ConfigError([
      'DURABILITY: the embedded Redis has no replicas, expected local or relaxed, or a REDIS_URL',
    ]);
  }
  const opened = await openHome(config.RAIN_HOME);
  if (!opened.ok) throw new CommandFailure(opened.problem === 'taken' ? EXIT.refused : EXIT.usage, opened.reason);
  return opened;
}

/** The console of an event that is opened on this machine only. */
function ownConsoleOf({ CONSOLE_PORT, GATEWAY_PORT }: Config): { host: string; port: number } {
  return { host: LOOPBACK, port: CONSOLE_PORT && Math.max(CONSOLE_PORT, GATEWAY_PORT) + 1 };
}

/** A guest of an earlier evening must not play on where only people on a list may. */
function ownJwtSecret(secret: string, event: EventOptions | undefined): string {
  return event?.participantsOnly ? deriveSecret(secret, 'participants') : secret;
}

/** Guest tokens are signed here, so the gateway accepts only this secret and no other key. */
function keysOf({ JWKS_URL }: Config, jwtSecret: string, hasGuests: boolean): Record<string, string> {
  if (hasGuests) return { JWT_SECRET: jwtSecret, JWKS_URL: '' };
  return JWKS_URL === undefined ? { JWT_SECRET: jwtSecret } : {};
}

/** Guests type their names for the hall; users of an app have not agreed to that. */
function namesOf({ environment }: Terminal): Record<string, string> {
  return { WINNER_NAMES: environment['WINNER_NAMES'] ?? 'full' };
}

/** Options of `rain console` for the player's page. */
function playerPageOptions({ demo, event }: Purpose, hasOwnConsole: boolean): string[] {
  if (!event) return demo ? ['--guests', '--demo-shop'] : [];
  return [
    ...(event.participantsOnly ? ['--participants'] : ['--guests', 'device']),
    '--event',
    event.title,
    ...(hasOwnConsole ? ['--players-only'] : []),
  ];
}

/** The console of an event, if it has one, is also opened on this machine itself, and must not send phones there. */
function addressForPhones(
  { CONSOLE_PORT, PLAYER_PAGE_URL }: Config,
  event: EventOptions | undefined,
): Record<string, string> {
  return event && CONSOLE_PORT !== 0 && PLAYER_PAGE_URL === undefined
    ? { PLAYER_PAGE_URL: `http://${event.address}:${CONSOLE_PORT}/` }
    : {};
}

/**
 * Creates the first operator of a new database. The password is shown on the terminal once and stored nowhere. A restart
 * keeps it, and ends no session.
 * @returns the password; `undefined`: the operator was there
 */
async function admitFirstOperator(
  terminal: Terminal,
  servers: Parameters<typeof openContext>[0],
): Promise<string | undefined> {
  const context = await openContext(servers, 'up', patienceOf(terminal));
  try {
    const password = randomBytes(12).toString('base64url');
    const added = await addOperator(context, FIRST_OPERATOR, 'operator', password);
    return added.ok ? password : undefined;
  } finally {
    await context.close();
  }
}

/** Waits for servers that come later, and says so. */
export const patienceOf = (terminal: Terminal): Patience =>
  createPatience((why) => notify(terminal, `waiting: ${why} …`));

async function startOwn(
  terminal: Terminal,
  name: string,
  starting: Promise<StartedServer>,
  shutdown: Shutdown,
): Promise<string> {
  const started = await starting;
  if (!started.ok) throw failed(started.reason);
  watch(terminal, name, started.server, shutdown);
  return started.server.url;
}

/** Stops the process at the shutdown. */
function watch(
  terminal: Terminal,
  name: string,
  watched: { ended: Promise<{ expected: boolean }>; stop(): Promise<unknown> },
  shutdown: Shutdown,
): void {
  shutdown.onClose(name, () => watched.stop());
  void watched.ended.then(({ expected }) => {
    if (!expected) endWithout(terminal, name, shutdown, `; its log is ${name}.log in the logs folder of RAIN_HOME`);
  });
}

/**
 * The system needs all of its processes: if one ends unexpectedly, all are stopped.
 * @param more the end of the sentence
 */
export function endWithout(terminal: Terminal, name: string, shutdown: Shutdown, more = ''): void {
  if (shutdown.signal.aborted) return;
  notify(terminal, `rain: the ${name} ended unexpectedly${more}`);
  void shutdown.end(EXIT.refused);
}

/** Checked first, so that a taken port is reported before the database starts. */
async function expectFree(host: string, port: number, name: string): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, host);
  try {
    await listening;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'EADDRINUSE'
        ? 'is in use; stop the program that uses it, or choose another port'
        : `cannot be opened (${code}); choose another port`;
    throw failed(`port ${port} of ${host} ${problem} with ${name}`);
  } finally {
    server.close();
  }
}
