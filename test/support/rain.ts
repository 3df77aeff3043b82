import { afterAll } from 'vitest';
import { connectRedis, untilReady, type RedisClient } from '../../src/platform/redis/connect.ts';
import { enlist } from '../../src/store/campaign.ts';
import { redisNow } from '../../src/store/rains.ts';
import { draftRain, loadPackets } from '../../src/store/loadPackets.ts';
import { parseMoney } from '../../src/rain/money.ts';
import type { TestRedis } from './servers/redis.ts';
import { sharedRedis } from './servers/sharedRedis.ts';
import { signer } from './signer.ts';

/** A connection for a test's own eyes and hands; faults surface in the command that meets them. */
export async function connect(url: string): Promise<RedisClient> {
  const redis = connectRedis(url, { purpose: 'once', onError: () => {} });
  await untilReady(redis);
  return redis;
}

/**
 * At the head of a test file: this worker's Redis, empty, and a connection to it. Both are given back when its tests
 * are done.
 */
export async function openRedis(): Promise<{ server: TestRedis; redis: RedisClient }> {
  const server = await sharedRedis();
  const redis = await connect(server.url);
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  return { server, redis };
}

interface StockedRain {
  rainId: string;
  /** As its id unless told otherwise. */
  title?: string;
  amounts: readonly string[];
  shards?: number;
  /** ms from now by Redis's clock; negative is in the past. */
  opensInMs?: number;
  closesInMs?: number;
  /** The limit of a round, whose id is `<campaign>.<round>`. */
  winsMax?: number;
  /** Only users whose token names it see it. */
  invitedOnly?: true;
}

/** Drafts and loads a rain by the product's own means; open at once and for ten minutes unless told otherwise. */
export async function stockRain(
  redis: RedisClient,
  {
    rainId,
    title = rainId,
    amounts,
    shards = 1,
    opensInMs = -1_000,
    closesInMs = 600_000,
    winsMax,
    invitedOnly,
  }: StockedRain,
): Promise<void> {
  const now = await redisNow(redis);
  const drafted = await draftRain(redis, signer, {
    rainId,
    title,
    shards,
    opensAt: now + opensInMs,
    closesAt: now + closesInMs,
    packets: amounts.length,
    terms: { ...(winsMax !== undefined && { winsMax }), ...(invitedOnly && { invitedOnly }) },
  });
  if (drafted === 'taken') throw new Error(`rain ${rainId} exists`);
  if (winsMax !== undefined) for (let shard = 0; shard < shards; shard++) await enlist(redis, rainId, shard, []);
  const loaded = await loadPackets(
    redis,
    signer,
    rainId,
    shards,
    BigInt64Array.from(amounts, (amount) => parseMoney(amount)!),
    () => {},
  );
  if (!loaded.ok) throw new Error(loaded.reason);
}

/** Everything Redis holds, comparable: key → contents. For "nothing changed" [R11]. */
export async function dump(redis: RedisClient, pattern = '*'): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of (await redis.keys(pattern)).sort()) {
    const type = await redis.type(key);
    found[key] =
      type === 'hash'
        ? await redis.hgetall(key)
        : type === 'list'
          ? await redis.lrange(key, 0, -1)
          : type === 'zset'
            ? await redis.zrange(key, '0', '-1', 'WITHSCORES')
            : type === 'set'
              ? (await redis.smembers(key)).sort()
              : await redis.get(key);
  }
  return found;
}
