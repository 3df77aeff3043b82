import type { BookedCredit } from '../../ledger/book.ts';
import { parseClaim } from '../../rain/claim.ts';
import { endMoves } from '../../store/endMoves.ts';
import { hold } from '../../store/holds.ts';
import { shardKeys, shardOf } from '../../store/keys.ts';
import type { LiveRain } from '../../store/rains.ts';
import { creditPages } from '../audit/booked.ts';
import { logPages } from '../audit/claimLog.ts';
import type { OperatorContext } from '../context.ts';
import { bookedClaims } from './bookedClaims.ts';
import { inOrder, putBack } from './putBack.ts';

/** The outcome for the credits whose claims Redis had lost. */
export interface PutBack {
  /** Claims that are in Redis again, with their packets. */
  putBack: number;
  /** Claims that are in the log again, but their packet or their user has another claim by now. */
  contested: number;
  /** Redis has only a part of the packets yet: the claims are put back once all are loaded. */
  waitsForLoad: boolean;
}

type Stores = Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>;
type Shards = Pick<LiveRain, 'shards'>;

/** Users asked for at once, and claims put back at once: a few milliseconds of Redis's time. */
const READ_MAX = 500;
const PUT_BACK_MAX = 320;

/**
 * Compares the credits of a rain with the claims in Redis. Claims that are missing were lost by Redis: the rain is
 * held, their packets are taken off the list, and the claims are put back. The rain stays held; the caller releases it
 * when this has ended.
 *
 * Each step is bounded, and ends with a `yield`. Cut at any step and begun again, it ends the same.
 * @throws when a store cannot be reached, or a key of the rain is of a wrong type
 */
export async function* putBackLostCredits(
  { redis, ledger, signer }: Stores,
  rainId: string,
  live: Shards,
): AsyncGenerator<void, PutBack> {
  const total: PutBack = { putBack: 0, contested: 0, waitsForLoad: false };
  const states = await Promise.all(
    Array.from({ length: live.shards }, (_, shard) => redis.hmget(shardKeys(rainId, shard).state, 'state', 'frozen')),
  );
  // Frozen: its money moves, so an audit has found every claim.
  if (states.some(([state, frozen]) => state === 'settled' || frozen != null)) return total;
  await endMoves(redis, rainId, live.shards);
  // Held with the first one: its packet may lie in the list.
  const lost = yield* findLostCredits(
    { redis, ledger },
    rainId,
    live,
    async () => void (await hold(redis, rainId, live.shards, 'redis_behind')),
  );
  if (lost.length > 0 && states.some(([state]) => state === 'draft')) return { ...total, waitsForLoad: true };
  const ordered = inOrder(rainId, lost);
  for (let from = 0; from < ordered.length; from += PUT_BACK_MAX) {
    const claims = await bookedClaims({ ledger }, rainId, ordered.slice(from, from + PUT_BACK_MAX));
    const { written, contested, refused } = await putBack(
      { redis, signer },
      { id: rainId, shards: live.shards },
      claims,
    );
    if (refused.length > 0) throw new Error(`the rain ${rainId} is being settled, or Redis has lost it meanwhile`);
    total.putBack += written - contested;
    total.contested += contested;
    yield;
  }
  return total;
}

/**
 * The credits of a rain whose claims Redis has lost: neither the user's claim nor the log has them.
 * @param onFirst called when the first one without a claim by user is found; the log may have it all the same
 */
export async function* findLostCredits(
  { redis, ledger }: Pick<Stores, 'redis' | 'ledger'>,
  rainId: string,
  live: Shards,
  onFirst = async () => {},
): AsyncGenerator<void, BookedCredit[]> {
  const missing: BookedCredit[] = [];
  for await (const page of creditPages({ ledger }, rainId)) {
    for (let from = 0; from < page.length; from += READ_MAX) {
      const found = await withoutClaim({ redis }, rainId, live, page.slice(from, from + READ_MAX));
      if (missing.length === 0 && found.length > 0) await onFirst();
      missing.push(...found);
      yield;
    }
  }
  if (missing.length === 0) return [];
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
  return missing.filter((credit) => absent.has(nameOf(credit)));
}

const nameOf = ({ redPacketId, userId }: Pick<BookedCredit, 'redPacketId' | 'userId'>): string =>
  `${redPacketId} ${userId}`;

/** The credits whose user has no claim in Redis, or one to another packet. */
async function withoutClaim(
  { redis }: Pick<Stores, 'redis'>,
  rainId: string,
  { shards }: Shards,
  credits: readonly BookedCredit[],
): Promise<BookedCredit[]> {
  const found = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const some = credits.filter(({ userId }) => shardOf(userId, shards) === shard);
      if (some.length === 0) return [];
      const held = await redis.hmget(shardKeys(rainId, shard).claimed, ...some.map(({ userId }) => userId));
      return some.filter(({ redPacketId }, i) => {
        const parsed = parseClaim(held[i] ?? '');
        return !parsed.ok || parsed.claim.redPacketId !== redPacketId;
      });
    }),
  );
  return found.flat();
}
