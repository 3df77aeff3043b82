import { userInfo } from 'node:os';
import { connectDatabase } from '../ledger/database.ts';
import { openLedger } from '../ledger/ledger.ts';
import { requireSession, SessionError } from '../ledger/sessionCheck.ts';
import type { OperatorContext } from '../operator/context.ts';
import { lastLine } from '../platform/redis/unavailable.ts';
import { ConfigError, loadConfig, type Config, type Need } from '../platform/config.ts';
import { createLifecycle } from '../platform/process/lifecycle.ts';
import { WITHOUT_PATIENCE } from '../platform/process/starting.ts';
import { connectRedis, untilReady, type RedisClient } from '../platform/redis/connect.ts';
import { readRunning, type RunningSystem } from '../platform/process/runningSystem.ts';
import { redactUrl } from '../platform/network/serverUrl.ts';
import { createSigner } from '../store/signer.ts';
import { unreachable } from './exit.ts';
import type { Environment, Terminal } from './terminal.ts';

/**
 * The configuration of a command. Where neither REDIS_URL nor DATABASE_URL names another system, the command uses the
 * system that `npm start` runs in RAIN_HOME. It never mixes the two: a ledger must not meet the Redis of another
 * system.
 */
export function configure<const N extends Need>(
  environment: Environment,
  need: readonly N[],
): ReturnType<typeof loadConfig<N>> {
  const running = runningSystem(environment);
  if (!running) return loadConfig(need, environment);
  return loadConfig(need, {
    JWT_SECRET: running.jwtSecret,
    SIGNING_SECRET: running.signingSecret,
    GATEWAY_PUBLIC_URL: running.gatewayUrl,
    ...environment,
    REDIS_URL: running.redisUrl,
    DATABASE_URL: running.databaseUrl,
  });
}

const OF_SYSTEM = ['REDIS_URL', 'DATABASE_URL', 'SIGNING_SECRET'] as const;

/**
 * The configuration of a command for operators. A newcomer, who has set nothing, expects the system of `npm start`.
 * @throws ConfigError with one sentence when that system does not run
 */
export function configureCommand(environment: Environment): ReturnType<typeof configure<(typeof OF_SYSTEM)[number]>> {
  if (!runningSystem(environment) && OF_SYSTEM.every((name) => !environment[name])) {
    // Other settings that are wrong are told first.
    loadConfig([], environment);
    const home = environment['RAIN_HOME'];
    throw new ConfigError([
      `no system runs in ${home ? `RAIN_HOME, which is ${home}` : 'this folder'}: start one with npm start, or set REDIS_URL, DATABASE_URL and SIGNING_SECRET`,
    ]);
  }
  return configure(environment, OF_SYSTEM);
}

/** The system that `npm start` runs in RAIN_HOME; `undefined`: there is none, or another one is named. */
export function runningSystem(environment: Environment): RunningSystem | undefined {
  const running = readRunning(environment['RAIN_HOME'] || '.rain');
  const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl } = environment;
  return !running || (redisUrl && redisUrl !== running.redisUrl) || (databaseUrl && databaseUrl !== running.databaseUrl)
    ? undefined
    : running;
}

/** @throws ConfigError when there is no secret to sign with */
export function signingKey(
  { JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE }: Config,
  what: string,
): { secret: string; issuer?: string; audience?: string } {
  if (JWT_SECRET === undefined)
    throw new ConfigError([`JWT_SECRET: missing, expected the secret to sign ${what} with`]);
  return {
    secret: JWT_SECRET,
    ...(JWT_ISSUER !== undefined && { issuer: JWT_ISSUER }),
    ...(JWT_AUDIENCE !== undefined && { audience: JWT_AUDIENCE }),
  };
}

/** How long a command waits for Redis before it reports it as unreachable, ms. */
export const REACHED_MS_MAX = 3_000;

/** @throws when Redis is not ready within that time */
export async function withRedis<T>(
  url: string,
  withinMs: number,
  work: (redis: RedisClient) => Promise<T>,
): Promise<T> {
  const redis = connectRedis(url, { purpose: 'once', onError: () => {} });
  try {
    await untilReady(redis, withinMs);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

export interface OpenContext extends OperatorContext {
  close(): Promise<void>;
}

/** The settings of an operator context. */
type ContextConfig = Record<'REDIS_URL' | 'DATABASE_URL' | 'SIGNING_SECRET', string> &
  Partial<Pick<Config, 'ORDER_SERVICE' | 'APPROVAL_ABOVE' | 'TIME_ZONE'>>;

/**
 * @param patience for a start that waits for its servers
 * @throws CommandFailure `unreachable` when one of the servers does not answer
 */
export async function openContext(
  {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET,
    ORDER_SERVICE,
    APPROVAL_ABOVE,
    TIME_ZONE,
  }: ContextConfig,
  actor: string,
  patience = WITHOUT_PATIENCE,
): Promise<OpenContext> {
  const lifecycle = createLifecycle();
  return lifecycle.opening(async () => {
    const redis = connectRedis(redisUrl, { purpose: 'once', onError: () => {} });
    lifecycle.onClose('redis', () => redis.disconnect());
    const database = connectDatabase(databaseUrl);
    lifecycle.onClose('database', () => database.$disconnect());
    await patience(async () => {
      await untilReady(redis, REACHED_MS_MAX).catch((error: Error) => {
        throw unreachable(`${redactUrl(redisUrl)}: ${error.message}`);
      });
      await requireSession(database).catch((error: Error) => {
        if (error instanceof SessionError) throw error;
        throw unreachable(`${redactUrl(databaseUrl)}: the database cannot be reached: ${lastLine(error)}`);
      });
    });
    return {
      redis,
      ledger: openLedger(database),
      signer: createSigner(SIGNING_SECRET),
      actor,
      ...(ORDER_SERVICE && { orderService: ORDER_SERVICE }),
      ...(APPROVAL_ABOVE !== undefined && { approvalAboveCents: APPROVAL_ABOVE }),
      ...(TIME_ZONE !== undefined && { timeZone: TIME_ZONE }),
      close: () => lifecycle.close(),
    };
  });
}

export async function withContext<T>(
  { environment }: Terminal,
  verb: (context: OpenContext) => Promise<T>,
): Promise<T> {
  const context = await openContext(configureCommand(environment), `cli:${userInfo().username}`);
  try {
    return await verb(context);
  } finally {
    await context.close();
  }
}
