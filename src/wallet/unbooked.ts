import type { DeadLetter } from '../credit/deadLetter.ts';
import type { LostEntry } from '../credit/logEntries.ts';
import { shardKeys } from '../store/keys.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/** A claim that an external wallet has paid but the ledger refused, with the reason. */
export type Unbooked = { claim: Claim; shard: number } & Pick<LostEntry, 'reason' | 'detail'>;

/**
 * Builds its dead letter, as the credit worker would. The credit worker does not build it: for a claim that was discarded
 * meanwhile it gets `discarded`, and only the caller of the wallet knows about the payment.
 * @throws when the claim is no longer in its log, or Redis cannot be read
 */
export async function deadLetterFor(redis: RedisClient, { claim, shard, reason, detail }: Unbooked): Promise<DeadLetter> {
  const { claimed, claims } = shardKeys(claim.rainId, shard);
  const entry = await redis.hget(claimed, claim.userId);
  const parsed = parseClaim(entry ?? '');
  // In one step, since the log grows at its head; the oldest entry is the last one.
  const [[, place], [, length]] = await redis.multi().lpos(claims, entry ?? '').llen(claims).exec() as [[null, number | null], [null, number]];
  if (entry === null || !parsed.ok || parsed.claim.redPacketId !== claim.redPacketId || place === null) throw new Error(`the claim of ${claim.redPacketId} is no longer in its log`);
  return { rainId: claim.rainId, shard, index: length - 1 - place, entry, reason, detail };
}
