import type { EntryRange } from '../credit/job.ts';
import { readDiscardedLetters, uncredited } from '../operator/audit/booked.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Loop } from '../platform/concurrency/loop.ts';
import { shardKeys } from '../store/keys.ts';
import { liveRains, readEntries, readRain, type LiveRain } from '../store/rains.ts';
import { startRedeliveryLoop, type LoggedEntry, type Redelivered, type RedeliveryTiming } from './redeliveryLoop.ts';

export interface RedeliveryOptions extends RedeliveryTiming {
  context: OperatorContext;
  /** The ranges of unfinished credit jobs, and of those that wait for the payout provider. */
  pendingRanges: () => Promise<readonly EntryRange[]>;
  /**
   * Sends entries `from` (inclusive) to `to` (exclusive) of a claim log to the queue again; 0 when another process does
   * it.
   */
  resend: (rainId: string, shard: number, from: number, to: number) => Promise<number>;
  /** Which of these entries are dead letters, in order. */
  areDead: (rainId: string, shard: number, entries: readonly LoggedEntry[]) => Promise<boolean[]>;
}

/** Sends claims again that the queue has lost. */
export function startRedelivery({ context, pendingRanges, resend, areDead, ...timing }: RedeliveryOptions): Loop {
  const claims: Redelivered<LiveRain> = {
    entries: 'claims',
    label: (rainId) => ({ rainId }),
    live: () => liveRains(context.redis),
    async settled(rainId, live) {
      const [snapshot, book] = [await readRain(context.redis, rainId, live), await context.ledger.book(rainId)];
      if (!snapshot || !book) return undefined;
      // Counts prove that nothing is missing only while the log is complete: a closed rain is checked claim by claim.
      return snapshot.relayed <= book.credited.count + book.discardedClaims && snapshot.state !== 'closed'
        ? undefined
        : book.credited.count;
    },
    async logs(rainId, { shards }) {
      // Read in the order in which a claim moves: a claim that is credited or dead-lettered in between is found there.
      const pending = (await pendingRanges()).filter((range) => range.rainId === rainId);
      const isDiscarded = await readDiscardedLetters(context, rainId);
      return Array.from({ length: shards }, (_, shard) => ({
        length: () => context.redis.llen(shardKeys(rainId, shard).claims),
        read: (from, to) => readEntries(context.redis, rainId, shard, from, to),
        async unsettled(entries) {
          const absent = (await uncredited(context, rainId, entries)).filter(
            (found) => !isDiscarded({ rainId, shard, ...found }),
          );
          const dead = absent.length === 0 ? [] : await areDead(rainId, shard, absent);
          const isPending = (index: number) =>
            pending.some((range) => range.shard === shard && range.from <= index && index < range.to);
          return absent.map(({ index }, i) => ({ index, missing: !dead[i] && !isPending(index) }));
        },
        resend: (from, to) => resend(rainId, shard, from, to),
      }));
    },
  };
  return startRedeliveryLoop(claims, timing);
}
