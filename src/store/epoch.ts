import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { EPOCH_KEY } from './keys.ts';
import { run } from './scripts.ts';

/** Which state of Redis this is. A part that is absent or not readable is `undefined`. */
export interface RedisEpoch {
  /** The id of the ledger that this Redis was used with. */
  storeId: string | undefined;
  /** The counter of that ledger, a few seconds old at most. */
  counter: number | undefined;
  /** The run of the Redis server for which a worker has compared both stores. */
  comparedRunId: string | undefined;
  /**
   * The present run of the server that owns the key, as somebody saw it last who may call INFO; `undefined` if nobody
   * may.
   */
  runId: string | undefined;
}

/**
 * Counters step every few seconds, so no backup is so many steps old: a counter further ahead was not written by us.
 */
export const COUNTER_AHEAD_MAX = 20_000_000;
/** A counter beyond this was not written by us; the limit keeps the counter of the ledger exact. */
const COUNTER_MAX = 1e15;
const reply = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const storedCounter = z
  .string()
  .regex(/^\d+$/)
  .transform(Number)
  .pipe(z.number().max(COUNTER_MAX))
  .optional()
  .catch(undefined);

/** @throws when Redis cannot be reached */
export async function readEpoch(redis: RedisClient): Promise<RedisEpoch> {
  return parse(await run(redis, 'epoch', [EPOCH_KEY], []));
}

/**
 * Copies the ledger's epoch to Redis; of two counters the greater one stands, unless it is too far ahead.
 * @param comparedRunId the run of the server in which the comparison began
 */
export async function writeEpoch(
  redis: RedisClient,
  { storeId, counter }: { storeId: string; counter: number },
  comparedRunId: string | undefined,
): Promise<RedisEpoch> {
  return parse(await run(redis, 'epoch', [EPOCH_KEY], [storeId, counter, comparedRunId ?? '', COUNTER_AHEAD_MAX]));
}

function parse(found: unknown): RedisEpoch {
  const [storeId, counter, comparedRunId, runId] = reply.parse(found).map((text) => text || undefined);
  return { storeId, counter: storedCounter.parse(counter), comparedRunId, runId };
}
