import { randomUUID } from 'node:crypto';
import { shardOf } from '../../store/keys.ts';
import { creditJobId, ENTRIES_MAX, type CreditJob } from '../../credit/job.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { untilQuiet } from '../audit/repair.ts';
import type { QueueContext } from '../context.ts';

/**
 * Has wins credited that Redis cannot take back: as jobs of the credit queue, so that the ledger's unique keys, the
 * checks and the wallets hold as for every other claim. Safe to repeat.
 * @param waitMs how long it waits for the workers
 * @returns the claims that the ledger has not credited by then
 */
export async function postClaims(
  context: QueueContext,
  rain: BookedRain,
  claims: readonly Claim[],
  waitMs: number,
): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const again = randomUUID();
  let jobs = 0;
  for (let shard = 0; shard < rain.shards; shard++) {
    const here = claims
      .filter(({ userId }) => shardOf(userId, rain.shards) === shard)
      .map((claim) => JSON.stringify(claim));
    for (let from = 0; from < here.length; from += ENTRIES_MAX, jobs++) {
      const data: CreditJob = { rainId: rain.id, shard, from, entries: here.slice(from, from + ENTRIES_MAX) };
      await context.queues.credit.add('range', data, { jobId: creditJobId(data, again) });
    }
  }
  await untilQuiet(context, rain.id, jobs, waitMs);
  return notCredited(context, claims);
}

/** The claims that the ledger has not credited to their users. */
async function notCredited({ ledger }: Pick<QueueContext, 'ledger'>, claims: readonly Claim[]): Promise<Claim[]> {
  const userOf = new Map(
    (await ledger.postings(claims.map(({ redPacketId }) => redPacketId))).map(({ redPacketId, userId }) => [
      redPacketId,
      userId,
    ]),
  );
  return claims.filter(({ redPacketId, userId }) => userOf.get(redPacketId) !== userId);
}
