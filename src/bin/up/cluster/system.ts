import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { migrate } from '../../../ledger/migrate.ts';
import { keepSecrets } from '../../../platform/auth/secrets.ts';
import { ConfigError, configSchema, loadConfig } from '../../../platform/config.ts';
import { startEmbeddedDatabase } from '../../../platform/embedded/database.ts';
import type { StartedServer } from '../../../platform/embedded/redis.ts';
import {
  CLUSTER_REDIS_MAJOR_MIN,
  startEmbeddedCluster,
  type EmbeddedCluster,
} from '../../../platform/embedded/redisCluster.ts';
import { findRedis } from '../../../platform/embedded/redisProgram.ts';
import { compiledEntry, startChild } from '../../../platform/process/childProcess.ts';
import { homeAt } from '../../../platform/process/home.ts';
import type { Shutdown } from '../../../platform/process/shutdown.ts';
import type { Terminal } from '../../terminal.ts';
import { address, endWithout, failed } from '../system.ts';

interface ClusterSystem {
  cluster: EmbeddedCluster;
  databaseUrl: string;
  jwtSecret: string;
  signingSecret: string;
  /** `ws://…/v1`; two gateways share it. */
  gatewayUrl: string;
}

const GATEWAYS = 2;
const WORKERS = 2;
/** The settler waits so long after a master was replaced; short, because nobody wants to wait for the audit, ms. */
const SETTLE_AFTER_MS = 5_000;
const INSTALL =
  'install it with `sudo apt-get install redis-server` on Debian 12, Ubuntu 24.04 or later, `brew install redis` on macOS';

/** Before anything is started. @throws ConfigError, CommandFailure */
export function checkCluster({ environment }: Terminal): void {
  const { REDIS_URL, DATABASE_URL } = loadConfig([], environment);
  const given = Object.entries({ REDIS_URL, DATABASE_URL }).filter(([, url]) => url !== undefined);
  if (given.length > 0)
    throw new ConfigError(
      given.map(([name]) => `${name}: --cluster starts and removes servers of its own, expected no ${name} with it`),
    );
  const redis = findRedis();
  if (!redis)
    throw failed(
      `--cluster needs redis-server ${CLUSTER_REDIS_MAJOR_MIN}.0 or later (or valkey-server), and neither is on the PATH: ${INSTALL}`,
    );
  if (Number.parseInt(redis.version, 10) < CLUSTER_REDIS_MAJOR_MIN) {
    throw failed(
      `--cluster needs redis-server ${CLUSTER_REDIS_MAJOR_MIN}.0 or later (or valkey-server), and ${redis.program} on the PATH is ${redis.version}: ${INSTALL}`,
    );
  }
}

/**
 * Starts all servers in a new temporary folder, which goes with them. They take no setting of this machine but
 * LOG_LEVEL: what is set for real rains, such as a wallet, is not for trying out.
 * @throws CommandFailure; `shutdown` then closes those that were started
 */
export async function startClusterSystem(
  terminal: Terminal,
  shutdown: Shutdown,
  tell: (sentence: string) => void,
): Promise<ClusterSystem> {
  process.umask(0o077);
  const folder = mkdtempSync(join(tmpdir(), 'rain-cluster-'));
  shutdown.onClose('folder', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const home = homeAt(folder);
  const { jwtSecret, signingSecret, redisPassword } = keepSecrets(folder);

  /** A server that is still starting at the shutdown is awaited: its folder is removed after it. */
  async function open<Server extends { stop(): Promise<unknown> }>(
    name: string,
    begin: () => Promise<StartedServer<Server>>,
  ): Promise<Server> {
    shutdown.signal.throwIfAborted();
    const starting = begin();
    shutdown.onClose(name, async () => {
      const started = await starting;
      if (started.ok) await started.server.stop();
    });
    const started = await starting;
    shutdown.signal.throwIfAborted();
    if (!started.ok) throw failed(started.reason);
    return started.server;
  }

  tell(`starting three Redis masters, three replicas and a database in ${folder}`);
  const [cluster, database] = await Promise.all([
    open('Redis servers', () => startEmbeddedCluster({ home, password: redisPassword })),
    open('database', () =>
      startEmbeddedDatabase({ home, onWaiting: (why) => tell(`waiting for the database: ${why}`) }),
    ),
  ]);
  for (const server of [...cluster.masters, ...cluster.replicas])
    void server.lost.then(() => endWithout(terminal, `Redis ${server.name}`, shutdown));
  void database.ended.then(({ expected }) => {
    if (!expected) endWithout(terminal, 'database', shutdown);
  });
  const databaseUrl = database.url;
  await migrate(databaseUrl);

  const none = Object.fromEntries(
    Object.keys(configSchema.shape)
      .filter((name) => name !== 'LOG_LEVEL')
      .map((name) => [name, '']),
  );
  const env = {
    ...none,
    RAIN_HOME: folder,
    REDIS_URL: cluster.url,
    DATABASE_URL: databaseUrl,
    JWT_SECRET: jwtSecret,
    SIGNING_SECRET: signingSecret,
    DURABILITY: 'replicas=1',
    SETTLE_AFTER_RECONNECT_MS: String(SETTLE_AFTER_MS),
    GATEWAY_PORT: '0',
  };
  async function start<Facts>(name: string, args: string[], facts: z.ZodType<Facts>): Promise<Facts> {
    const child = await open(name, async () => {
      const started = await startChild({
        name,
        entry: compiledEntry('bin/rain.js'),
        args,
        env,
        logs: home.logs,
        facts,
        signal: shutdown.signal,
        onWaiting: (why) => tell(`waiting for ${name}: ${why}`),
      });
      return started.ok ? { ok: true, server: started.child } : started;
    });
    void child.ended.then(({ expected }) => {
      if (!expected) endWithout(terminal, name, shutdown, child.lastLine());
    });
    return child.facts;
  }
  tell(`starting ${GATEWAYS} gateways behind one port, and ${WORKERS} workers`);
  const [gateway] = await Promise.all([
    start('gateways', ['gateway', '--processes', String(GATEWAYS)], address),
    ...Array.from({ length: WORKERS }, (_, i) => start(`worker-${i + 1}`, ['worker'], z.object({}))),
  ]);
  return { cluster, databaseUrl, jwtSecret, signingSecret, gatewayUrl: gateway.url };
}
