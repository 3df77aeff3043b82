import { restoreSentWins, type SentWin } from '../../grab/restore.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import { parseClaim } from '../../rain/claim.ts';
import { formatMoney } from '../../rain/money.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import { hold } from '../../store/holds.ts';
import { shardKeys, shardOf } from '../../store/keys.ts';
import type { LiveRain } from '../../store/rains.ts';
import { creditPages } from '../audit/booked.ts';
import { logPages } from '../audit/claimLog.ts';
import type { OperatorContext } from '../context.ts';

/** What became of the credits whose claims Redis had lost. */
export interface PutBack {
  /** Claims that are in Redis again, with their packets. */
  putBack: number;
  /** Claims that are in the log again, but their packet or their user has another claim by now. */
  contested: number;
  /** Redis has only a part of the packets yet: the claims are put back once all are loaded. */
  waitsForLoad: boolean;
}

type Stores = Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>;

/** Users asked for at once, and claims put back at once: a few milliseconds of Redis's time. */
const READ_MAX = 500;
const PUT_BACK_MAX = 320;

/**
 * Compares the credits of a rain with the claims in Redis. Claims that are missing were lost by Redis: the rain is held, their packets
 * are taken off the list, and the claims are put back. The rain stays held; the caller releases it when this has ended.
 *
 * Each step is bounded, and ends with a `yield`. Cut at any step and begun again, it ends the same.
 * @throws when a store cannot be reached, or a key of the rain is of a wrong type
 */
export async function* putBackLostCredits({ redis, ledger, signer }: Stores, rainId: string, live: LiveRain): AsyncGenerator<void, PutBack> {
  const nothing: PutBack = { putBack: 0, contested: 0, waitsForLoad: false };
  const states = await Promise.all(Array.from({ length: live.shards }, (_, shard) => redis.hmget(shardKeys(rainId, shard).state, 'state', 'frozen')));
  // Frozen: its money moves, so an audit has found every claim.
  if (states.some(([state, frozen]) => state === 'settled' || frozen != null)) return nothing;
  let missing: BookedCredit[] = [];
  for await (const page of creditPages({ ledger }, rainId)) {
    for (let from = 0; from < page.length; from += READ_MAX) {
      const found = await withoutClaim({ redis }, rainId, live, page.slice(from, from + READ_MAX));
      // Held with the first one: its packet may lie in the list.
      if (missing.length === 0 && found.length > 0) await hold(redis, rainId, live.shards, 'redis_behind');
      missing.push(...found);
      yield;
    }
  }
  if (missing.length === 0) return nothing;
  if (states.some(([state]) => state === 'draft')) return { ...nothing, waitsForLoad: true };
  // A contested claim is in the log only.
  const absent = new Set(missing.map(nameOf));
  for (let shard = 0; shard < live.shards; shard++) {
    for await (const page of logPages(redis, rainId, shard)) {
      for (const { entry } of page) {
        const parsed = parseClaim(entry);
        if (parsed.ok) absent.delete(nameOf(parsed.claim));
      }
      yield;
    }
  }
  missing = missing.filter((credit) => absent.has(nameOf(credit))).sort((a, b) => indexOf(rainId, a) - indexOf(rainId, b));
  const total = { ...nothing };
  // In the order in which packets are handed out: then each lies at the tail of its list.
  for (let from = 0; from < missing.length; from += PUT_BACK_MAX) {
    const wins = await toWins({ ledger }, rainId, live, missing.slice(from, from + PUT_BACK_MAX));
    for (const { putBack, contested, lost } of await restoreSentWins(redis, signer, wins)) {
      if (lost) throw new Error(`Redis has lost the rain ${rainId} meanwhile`);
      total.putBack += putBack;
      total.contested += contested;
    }
    yield;
  }
  return total;
}

const nameOf = ({ redPacketId, userId }: Pick<BookedCredit, 'redPacketId' | 'userId'>): string => `${redPacketId} ${userId}`;
const indexOf = (rainId: string, { redPacketId }: BookedCredit): number => redPacketIndex(rainId, redPacketId) ?? Infinity;

/** The credits whose user has no claim in Redis, or one to another packet. */
async function withoutClaim({ redis }: Pick<Stores, 'redis'>, rainId: string, { shards }: LiveRain, credits: readonly BookedCredit[]): Promise<BookedCredit[]> {
  const found = await Promise.all(Array.from({ length: shards }, async (_, shard) => {
    const some = credits.filter(({ userId }) => shardOf(userId, shards) === shard);
    if (some.length === 0) return [];
    const held = await redis.hmget(shardKeys(rainId, shard).claimed, ...some.map(({ userId }) => userId));
    return some.filter(({ redPacketId }, i) => {
      const parsed = parseClaim(held[i] ?? '');
      return !parsed.ok || parsed.claim.redPacketId !== redPacketId;
    });
  }));
  return found.flat();
}

/** The time of the win is lost; the time of its credit is the nearest that is known. */
async function toWins({ ledger }: Pick<Stores, 'ledger'>, rainId: string, { shards }: LiveRain, credits: readonly BookedCredit[]): Promise<SentWin[]> {
  const postedAt = new Map((await ledger.postings(credits.map(({ redPacketId }) => redPacketId))).map((posting) => [posting.redPacketId, posting.postedAt]));
  return credits.map(({ redPacketId, userId, amountCents }) => ({
    rainId, shard: shardOf(userId, shards), userId, redPacketId, amount: formatMoney(amountCents), at: postedAt.get(redPacketId)!,
  }));
}
