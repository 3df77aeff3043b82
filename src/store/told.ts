import { z } from 'zod';
import { amount } from '../rain/claim.ts';
import { matching, plainId, userId } from '../rain/ids.ts';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys, shardOf } from './keys.ts';

const told = z.object({
  redPacketId: plainId,
  amount,
  /** When it was told, epoch ms as text. */
  at: matching(/^\d{13}$/, 'expected epoch milliseconds'),
  receipt: z.string().max(128),
});

/** A win that a user was told, and that Redis has lost with its rain: kept by the gateways, or brought back by its user. */
export interface ToldRecord extends z.infer<typeof told> {
  userId: string;
}

/** How long the records live, ms: the operator has that long to pay them. */
const TOLD_TTL_MS = 30 * 24 * 3_600_000;
/** Records per read. */
const PAGE = 1_000;

/** Records wins that users were told. Repeating it changes nothing: the first record of a user stays. */
export async function writeTold(redis: RedisClient, rainId: string, shards: number, records: readonly ToldRecord[]): Promise<void> {
  for (const { userId: user, ...record } of records) {
    const key = shardKeys(rainId, shardOf(user, shards)).told;
    await redis.hsetnx(key, user, JSON.stringify(record));
    await redis.pexpire(key, TOLD_TTL_MS);
  }
}

/** Reads the told wins of a rain, at most one per user. Records that do not parse are left out: nothing can be paid on them. */
export async function readTold(redis: RedisClient, rainId: string, shards: number): Promise<ToldRecord[]> {
  const records = new Map<string, ToldRecord>();
  for (let shard = 0; shard < shards; shard++) {
    let cursor = '0';
    do {
      const [next, fields] = await redis.hscan(shardKeys(rainId, shard).told, cursor, 'COUNT', PAGE);
      for (let i = 0; i < fields.length; i += 2) {
        const user = userId.safeParse(fields[i]);
        const record = told.safeParse(readJson(fields[i + 1]!));
        if (user.success && record.success) records.set(user.data, { userId: user.data, ...record.data });
      }
      cursor = next;
    } while (cursor !== '0');
  }
  return [...records.values()];
}
