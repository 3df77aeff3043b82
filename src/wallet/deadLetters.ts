import type { DeadLetter } from '../credit/deadLetter.ts';
import type { DeadLetterPage } from '../credit/deadLetters.ts';
import type { LostEntry } from '../credit/logEntries.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import { shardKeys } from '../store/keys.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { sharedFor } from './cache.ts';

/** Dead letters per read, and how long one result serves all callers, ms [R10]. */
const DEAD_LETTERS_MAX = 5_000;
const RESULT_MS = 500;

/** Whether a claim is a dead letter; `unknown`: there are more letters than were read. */
export type DeadWins = (claim: Claim) => Promise<boolean | 'unknown'>;

/** While the operator checks that a wallet has not paid a dead-lettered claim, that wallet must not be asked again. */
export function createDeadWins(readDeadLetters: (limit: number) => Promise<DeadLetterPage>): DeadWins {
  const read = sharedFor(RESULT_MS, async () => {
    const { letters, complete } = await readDeadLetters(DEAD_LETTERS_MAX);
    const claims = letters.map(({ entry }) => parseClaim(entry));
    return { names: new Set(claims.flatMap((parsed) => (parsed.ok ? [nameOf(parsed.claim)] : []))), complete };
  });
  return async (claim) => {
    const { names, complete } = await read();
    return names.has(nameOf(claim)) || (complete ? false : 'unknown');
  };
}

/** With the amount: a claim that was raised in the log must not hold back the true one of its user [R14]. */
export function nameOf({ rainId, redPacketId, userId, amount }: Claim): string {
  return JSON.stringify([rainId, redPacketId, userId, amount]);
}

/** A claim that an external wallet has paid but the ledger refused, with the reason. */
export type Unbooked = { claim: Claim; shard: number } & Pick<LostEntry, 'reason' | 'detail'>;

/**
 * Builds its dead letter. The credit worker cannot: for a claim that was discarded meanwhile it gets `discarded`, and
 * only the caller of the wallet knows about the payment.
 * @throws when the claim is no longer in its log, or Redis cannot be read
 */
export async function deadLetterFor(
  redis: RedisClient,
  { claim, shard, reason, detail }: Unbooked,
): Promise<DeadLetter> {
  const { claimed, claims } = shardKeys(claim.rainId, shard);
  const entry = await redis.hget(claimed, claim.userId);
  const parsed = parseClaim(entry ?? '');
  // In one step, since the log grows at its head; the oldest entry is the last one.
  const [[, place], [, length]] = (await redis
    .multi()
    .lpos(claims, entry ?? '')
    .llen(claims)
    .exec()) as [[null, number | null], [null, number]];
  if (entry === null || !parsed.ok || parsed.claim.redPacketId !== claim.redPacketId || place === null)
    throw new Error(`the claim of ${claim.redPacketId} is no longer in its log`);
  return { rainId: claim.rainId, shard, index: length - 1 - place, entry, reason, detail };
}
