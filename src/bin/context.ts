import { userInfo } from 'node:os';
import { connectDatabase } from '../ledger/database.ts';
import { openLedger } from '../ledger/ledger.ts';
import type { OperatorContext } from '../operator/context.ts';
import { lastLine } from '../platform/redis/unavailable.ts';
import { loadConfig, type Need } from '../platform/config.ts';
import { createLifecycle } from '../platform/process/lifecycle.ts';
import { connectRedis, untilReady } from '../platform/redis/connect.ts';
import { readRunning } from '../platform/process/runningSystem.ts';
import { redactUrl } from '../platform/network/serverUrl.ts';
import { unreachable } from './exit.ts';
import type { Environment, Terminal } from './terminal.ts';

/**
 * The configuration of a command. Where neither REDIS_URL nor DATABASE_URL names another system, the command uses the system that
 * `npm start` runs in RAIN_HOME. It never mixes the two: a ledger must not meet the Redis of another system.
 */
export function configure<const N extends Need>(environment: Environment, need: readonly N[]): ReturnType<typeof loadConfig<N>> {
  const running = readRunning(environment['RAIN_HOME'] || '.rain');
  if (!running || !isSameServer(environment['REDIS_URL'], running.redisUrl) || !isSameServer(environment['DATABASE_URL'], running.databaseUrl)) return loadConfig(need, environment);
  return loadConfig(need, {
    JWT_SECRET: running.jwtSecret, GATEWAY_PUBLIC_URL: running.gatewayUrl, ...environment,
    REDIS_URL: running.redisUrl, DATABASE_URL: running.databaseUrl,
  });
}

function isSameServer(configured: string | undefined, running: string): boolean {
  return !configured || configured === running;
}

/** How long a command waits for Redis before it reports it as unreachable, ms. */
export const REACHED_MS_MAX = 3_000;

export interface OpenContext extends OperatorContext {
  close(): Promise<void>;
}

/** @throws CommandFailure `unreachable` when one of the servers does not answer */
export async function openContext(redisUrl: string, databaseUrl: string, actor: string): Promise<OpenContext> {
  const lifecycle = createLifecycle();
  return lifecycle.opening(async () => {
    const redis = connectRedis(redisUrl, { purpose: 'once', onError: () => {} });
    lifecycle.onClose('redis', () => redis.disconnect());
    const database = connectDatabase(databaseUrl);
    lifecycle.onClose('database', () => database.$disconnect());
    await untilReady(redis, REACHED_MS_MAX).catch((error: Error) => { throw unreachable(`${redactUrl(redisUrl)}: ${error.message}`); });
    await database.$queryRaw`SELECT 1`.catch((error: Error) => { throw unreachable(`${redactUrl(databaseUrl)}: the database cannot be reached: ${lastLine(error)}`); });
    return { redis, ledger: openLedger(database), actor, close: () => lifecycle.close() };
  });
}

export async function withContext<T>({ environment }: Terminal, verb: (context: OpenContext) => Promise<T>): Promise<T> {
  const { REDIS_URL, DATABASE_URL } = configure(environment, ['REDIS_URL', 'DATABASE_URL']);
  const context = await openContext(REDIS_URL, DATABASE_URL, `cli:${userInfo().username}`);
  try {
    return await verb(context);
  } finally {
    await context.close();
  }
}
