import { z } from 'zod';
import { cursorOf } from '../store/rains.ts';
import { run } from '../store/scripts.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { LogKeys } from './carriedLog.ts';

/**
 * The relay's position in one log of `length` entries, counted from the oldest: `cursor` is the text in Redis, which
 * `advance` compares with, and `next` the next entry to carry.
 */
export async function readPosition(redis: RedisClient, keys: LogKeys) {
  // In this order: an entry that comes in between is seen on the next visit.
  const [relayed, length] = await Promise.all([redis.get(keys.relayed), redis.llen(keys.log)]);
  const carried = cursorOf(relayed);
  // A log shorter than the cursor has lost its end and may have grown again since. Entries that were carried are
  // carried again.
  return { cursor: relayed ?? '0', next: carried <= length ? carried : 0, length };
}

/**
 * `moved` done · `shard_gone` Redis has lost or expired the rain or sale since its log was read · `lease_lost` another
 * relay carries it now, or may do so · `moved_by_another` the cursor had another value
 */
const move = z.enum(['moved', 'shard_gone', 'lease_lost', 'moved_by_another']);

interface Step {
  owner: string;
  /** The cursor as it was read, whatever it says: a text that is no count is replaced like any other. */
  from: string;
  to: number;
}

/** Moves the cursor by compare-and-set, under the lease of `owner`; any outcome but `moved` changed nothing. */
export async function advance(
  redis: RedisClient,
  { relayed, state, lease }: Pick<LogKeys, 'relayed' | 'state' | 'lease'>,
  { owner, from, to }: Step,
  runScript = run,
) {
  return move.parse(await runScript(redis, 'relay', [relayed, state, lease], [owner, from, to]));
}
