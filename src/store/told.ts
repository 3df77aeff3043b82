import { z } from 'zod';
import { amount } from '../rain/claim.ts';
import { plainId, userId } from '../rain/ids.ts';
import { readJson } from '../rain/json.ts';
import { PACKETS_MAX } from '../rain/plan.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { SHARDS_MAX, shardKeys, TOLD_RAINS_KEY } from './keys.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/** How long a win that Redis has lost stays written down, ms: until then the operator decides about it. */
const TOLD_TTL_MS = 30 * 24 * 3_600_000;
/** Rains of which told wins are written down at once; more than we lose in a month [R10]. */
const TOLD_RAINS_MAX = 10_000;
/** Wins per script call. */
const CHUNK = 500;

/** A win that its user was told and that Redis has lost. `at`: when it was told or reported, epoch ms. */
export interface LostWin {
  userId: string;
  redPacketId: string;
  amount: string;
  at: number;
}

const promise = z.object({ userId, redPacketId: plainId, amount, receipt: z.string() });
const toldAt = z.coerce.number().int().min(0).catch(0);
/** As older versions wrote it, with the user's id as its field. */
const formerEntry = z.object({ redPacketId: plainId, amount, at: z.int().min(0), receipt: z.string() });

/**
 * Writes down wins of one rain, each with its receipt, in their shards. Safe to repeat: the time of the first stays.
 * @param wins `shard`: 0 where the number of shards is unknown, since the rain is gone
 * @returns how many are written down, now or earlier; fewer than given only if there are more than a rain has packets
 */
export async function recordTold(
  redis: RedisClient,
  signer: Signer,
  rainId: string,
  wins: readonly (LostWin & { shard: number })[],
): Promise<number> {
  // First, so that no win is written down where nobody looks.
  await redis.multi().sadd(TOLD_RAINS_KEY, rainId).pexpire(TOLD_RAINS_KEY, TOLD_TTL_MS).exec();
  let stored = 0;
  for (const shard of new Set(wins.map((win) => win.shard))) {
    const ofShard = wins.filter((win) => win.shard === shard);
    for (let i = 0; i < ofShard.length; i += CHUNK) {
      const args = ofShard.slice(i, i + CHUNK).flatMap((win) => [fieldOf(signer, rainId, win), win.at]);
      stored += z
        .int()
        .parse(await run(redis, 'told', [shardKeys(rainId, shard).told], [TOLD_TTL_MS, PACKETS_MAX, ...args]));
    }
  }
  return stored;
}

/** Names the win with its receipt: what somebody else has written under another name keeps it out of no list. */
function fieldOf(signer: Signer, rainId: string, { userId: winner, redPacketId, amount: won }: LostWin): string {
  return JSON.stringify({
    userId: winner,
    redPacketId,
    amount: won,
    receipt: signer.receipt({ rainId, redPacketId, amount: won, userId: winner }),
  } satisfies z.infer<typeof promise>);
}

/** Rains of which wins were written down. @throws when there are more than we could have written: name the rain then */
export async function toldRains(redis: RedisClient): Promise<string[]> {
  const rains = new Set<string>();
  for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
    const [next, found] = await redis.sscan(TOLD_RAINS_KEY, cursor, 'COUNT', CHUNK);
    cursor = next;
    for (const id of found) rains.add(id);
    if (rains.size > TOLD_RAINS_MAX)
      throw new Error(
        `the key ${TOLD_RAINS_KEY} in Redis names more than ${TOLD_RAINS_MAX} rains: somebody else writes to this Redis; ask for single rains by their id`,
      );
  }
  return [...rains];
}

/**
 * Reads the wins of a rain that were written down, the first of each user. Wins without a genuine receipt are left out:
 * somebody else has written them.
 * @param shards absent: unknown, since neither store knows the rain
 */
export async function readTold(
  redis: RedisClient,
  signer: Signer,
  rainId: string,
  shards = SHARDS_MAX,
): Promise<LostWin[]> {
  const wins = new Map<string, LostWin>();
  for (let shard = 0; shard < shards; shard++) {
    for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
      const [next, found] = await redis.hscan(shardKeys(rainId, shard).told, cursor, 'COUNT', CHUNK);
      cursor = next;
      for (let i = 0; i < found.length; i += 2) {
        const win = genuine(signer, rainId, found[i]!, found[i + 1]!);
        if (win && win.at < (wins.get(win.userId)?.at ?? Infinity)) wins.set(win.userId, win);
      }
    }
  }
  return [...wins.values()];
}

function genuine(signer: Signer, rainId: string, field: string, value: string): LostWin | undefined {
  const named = promise.safeParse(readJson(field));
  const former = named.success ? undefined : formerEntry.safeParse(readJson(value)).data;
  const told = named.data ?? (former && { userId: field, ...former });
  if (!told) return undefined;
  const { receipt, at = toldAt.parse(value), ...win } = told as z.infer<typeof promise> & { at?: number };
  return signer.isReceipt(receipt, { rainId, ...win }) ? { ...win, at } : undefined;
}
