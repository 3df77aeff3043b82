import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE } from '../../store/rains.ts';
import { areDeadLettered } from '../../credit/deadLetters.ts';
import type { EntryRange } from '../../credit/job.ts';
import { pendingRanges } from '../../credit/queue.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { formatMoney } from '../../rain/money.ts';
import { readDiscardedLetters, type Booked } from '../audit/booked.ts';
import { lostClaimId } from '../audit/findings.ts';
import type { OperatorContext } from '../context.ts';
import type { RestoreContext } from './context.ts';
import type { Difference } from './difference.ts';
import type { ShardClaims } from './knownWins.ts';
import { elementIn } from './packetElements.ts';

interface Compared {
  booked: Booked;
  claims: readonly ShardClaims[];
  /** Whether a relay carries the claims that it has not carried yet. */
  isCarried: boolean;
}

const PAGE = 500;

/** Compares the claims and the packet lists of Redis with the ledger, which must have been read before the log. */
export async function compareClaims(
  context: RestoreContext,
  rain: BookedRain,
  { booked, claims, isCarried }: Compared,
  add: (difference: Difference) => void,
): Promise<void> {
  const logged = new Set(
    claims.flatMap((shard) => shard.logged.map(({ claim }) => `${claim.redPacketId}\n${claim.userId}`)),
  );
  for (const [redPacketId, { userId, cents }] of booked.credits) {
    if (logged.has(`${redPacketId}\n${userId}`) || booked.acknowledged.has(lostClaimId(redPacketId))) continue;
    const amount = formatMoney(cents);
    add({
      kind: 'credit_not_in_log',
      redPacketId,
      userId,
      amount,
      sentence: `${redPacketId} is credited to ${userId} with ${amount}, and the claim log does not have it`,
    });
  }
  for (let shard = 0; shard < rain.shards; shard++) {
    for await (const redPacketId of listedPackets(context, rain.id, shard)) {
      const credit = booked.credits.get(redPacketId);
      if (credit)
        add({
          kind: 'credited_packet_in_list',
          redPacketId,
          userId: credit.userId,
          amount: formatMoney(credit.cents),
          sentence: `${redPacketId} is credited to ${credit.userId} and still in the list: it would be handed out again`,
        });
    }
  }
  await compareLog(context, rain, { booked, claims, isCarried }, add);
}

/** Claims that the ledger lacks, and that no relay, job or discard explains. */
async function compareLog(
  context: RestoreContext,
  rain: BookedRain,
  { booked, claims, isCarried }: Compared,
  add: (difference: Difference) => void,
): Promise<void> {
  // After the log: a claim that moves meanwhile is seen in the queue, or in the ledger at the end.
  const relayed = await Promise.all(
    claims.map(async (_, shard) => Number((await context.redis.get(shardKeys(rain.id, shard).relayed)) ?? 0)),
  );
  const pending = (await pendingRanges(context.redis, [context.queues.credit, context.queues.later])).filter(
    ({ rainId }) => rainId === rain.id,
  );
  const isDiscarded = await readDiscardedLetters(context, rain.id);
  for (const [shard, { logged }] of claims.entries()) {
    const open = logged.filter(
      (entry) =>
        booked.credits.get(entry.claim.redPacketId)?.userId !== entry.claim.userId &&
        !isDiscarded(entry) &&
        !isPending(pending, shard, entry.index),
    );
    for (let at = 0; at < open.length; at += PAGE) {
      const page = open.slice(at, at + PAGE);
      const dead = await areDeadLettered(context.queues.dead, page);
      const posted = new Map(
        (await context.ledger.postings(page.map(({ claim }) => claim.redPacketId))).map(({ redPacketId, userId }) => [
          redPacketId,
          userId,
        ]),
      );
      page.forEach(({ index, claim: { redPacketId, userId, amount } }, i) => {
        if (posted.get(redPacketId) === userId) return;
        const win = `${redPacketId}, won by ${userId} with ${amount},`;
        if (dead[i]) add({ kind: 'claim_dead', redPacketId, userId, amount, sentence: `${win} is a dead letter` });
        else if (!isCarried || index < relayed[shard]!)
          add({
            kind: 'claim_not_in_book',
            redPacketId,
            userId,
            amount,
            sentence: `${win} is not in the ledger, and not on its way there`,
          });
      });
    }
  }
}

function isPending(pending: readonly EntryRange[], shard: number, index: number): boolean {
  return pending.some((range) => range.shard === shard && range.from <= index && index < range.to);
}

/** The ids of the packets in a list. A packet may be missed when grabs or top-ups change the list meanwhile. */
async function* listedPackets(
  { redis }: Pick<OperatorContext, 'redis'>,
  rainId: string,
  shard: number,
): AsyncGenerator<string> {
  const key = shardKeys(rainId, shard).packets;
  for (let from = 0; ; from += ELEMENTS_PAGE) {
    const elements = await redis.lrange(key, from, from + ELEMENTS_PAGE - 1);
    for (const element of elements) {
      const redPacketId = elementIn(element);
      if (redPacketId !== undefined) yield redPacketId;
    }
    if (elements.length < ELEMENTS_PAGE) return;
  }
}
