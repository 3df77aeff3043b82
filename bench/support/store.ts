import { migrate } from '../../src/ledger/migrate.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import type { TestPostgres } from '../../test/support/servers/postgres.ts';
import { startRedis } from '../../test/support/servers/redis.ts';
import { startProgram, type Program } from './process.ts';
import { openRainHouse, SIGNING_SECRET, type Owner } from './rains.ts';

/** For the bench's own servers, which live for minutes on loopback. */
export const SECRET = 'a-secret-for-the-bench-only-0123456789ab';

/**
 * Redis as in production, with every write synced; without log rewrites, which would disturb single rounds by chance.
 */
const REDIS_ARGS = ['--auto-aof-rewrite-percentage', '0'];

/** No rate limits: the cost of an answer is measured, and the other designs have no such limits. */
const WITHOUT_LIMITS = {
  GATEWAY_MESSAGES_PER_USER_PER_SECOND: '1000000',
  GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND: '1000000',
  GATEWAY_SOCKETS_PER_ADDRESS_MAX: '20000',
  GATEWAY_HANDSHAKES_PER_SECOND: '100000',
  GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND: '100000',
};

/**
 * The database of one design and its programs, on this Redis, or Redis Cluster. They are its own, so that all designs
 * have the same conditions.
 */
export async function openStoreOn(redisUrl: string, postgres: TestPostgres, owner: Owner) {
  const databaseUrl = await postgres.newDatabase();
  await migrate(databaseUrl);
  const house = await openRainHouse(redisUrl, databaseUrl, owner);
  const env = {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    JWT_SECRET: SECRET,
    SIGNING_SECRET,
    GATEWAY_PORT: '0',
    LOG_LEVEL: 'warn',
    ...WITHOUT_LIMITS,
  };
  const programs: Program[] = [];
  return {
    house,
    redisUrl,
    databaseUrl,
    async start(path: string, args: readonly string[] = [], special: Record<string, string> = {}): Promise<Program> {
      const program = await startProgram(path, args, { ...env, ...special });
      programs.push(program);
      return program;
    },
    async close(): Promise<void> {
      // Users first, because a gateway drains the users that it still has.
      for (const program of programs.reverse()) await program.stop();
      await house.close();
    },
  };
}

export type StoreOn = Awaited<ReturnType<typeof openStoreOn>>;
export type Store = Awaited<ReturnType<typeof openStore>>;

/** The same with a Redis of its own. */
export async function openStore(postgres: TestPostgres, owner: Owner) {
  const redis = await startRedis({ args: REDIS_ARGS });
  const store = await openStoreOn(redis.url, postgres, owner);
  return {
    ...store,
    redisPid: redis.pid,
    redisPort: redis.port,
    async close(): Promise<void> {
      await store.close();
      await redis.stop();
    },
  };
}

/** Runs this in a separate Redis and database. */
export async function inStore<T>(postgres: TestPostgres, owner: Owner, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(postgres, owner);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export function tokenOf(userId: string): Promise<string> {
  return signToken(SECRET, { sub: userId, expiresInSeconds: 7_200 });
}
