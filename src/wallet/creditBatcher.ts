import type { PayoutProvider } from '../credit/payoutProvider.ts';
import { ENTRIES_MAX } from '../credit/job.ts';
import { postBisecting, type Posted } from '../credit/bisect.ts';
import type { Claim } from '../rain/claim.ts';
import type { Unbooked } from './deadLetters.ts';

/** `held`: the operator has to handle the claim. `later`: not now, or unknown; the credit worker retries it. */
type Submission = { outcome: 'credited' | 'held' } | { outcome: 'later'; afterMs?: number | undefined };

interface CreditBatcherOptions {
  balance: PayoutProvider;
  /**
   * Claims of one rain per posting: many cost the ledger no more than one, while an external wallet answers for each.
   */
  batchMax: number;
  /** Concurrent postings; the credit worker uses the same database rows. */
  postingsMax: number;
  /** Beyond this a claim is answered `later` at once [R10]. */
  waitingMax: number;
  /**
   * Called after the commit. Its errors change nothing: the money is posted, and the credit worker announces it too.
   */
  onCredited: (rainId: string, shard: number, claims: readonly Claim[]) => Promise<void>;
  /** Called when a wallet has paid and the ledger could not post it: nobody else would report this. Never rejects. */
  onUnbooked: (unbooked: Unbooked) => Promise<void>;
  onFault: (error: unknown) => void;
}

export type CreditBatcher = ReturnType<typeof createCreditBatcher>;

interface Waiting {
  claim: Claim;
  shard: number;
  answer: (submission: Submission) => void;
}

export const CREDIT_BATCHER_LIMITS = {
  ledger: { batchMax: ENTRIES_MAX, postingsMax: 2 },
  webhook: { batchMax: 1, postingsMax: 16 },
  waitingMax: 5_000,
} as const;

/**
 * Takes single claims from users' requests and posts them in batches, as the credit worker does: the first of the two
 * posts a claim, the other finds it `already` there [R5]. It dead-letters only claims that a wallet paid in vain; any
 * other claim that cannot be credited also reaches the credit worker, which knows its position in the log.
 */
export function createCreditBatcher({
  balance,
  batchMax,
  postingsMax,
  waitingMax,
  onCredited,
  onUnbooked,
  onFault,
}: CreditBatcherOptions) {
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;
  let running = 0;
  let planned = false;

  /** Runs in the next turn of the event loop, so that all submissions of this turn are batched. */
  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      while (running < postingsMax && queues.size > 0) void serve();
    });
  }

  async function serve(): Promise<void> {
    const [rainId, queue] = queues.entries().next().value!;
    const batch = queue.splice(0, batchMax);
    // Move the rain to the end, so that no rain has to wait for another.
    queues.delete(rainId);
    if (queue.length > 0) queues.set(rainId, queue);
    waiting -= batch.length;
    running++;
    try {
      const posted = await postBisecting(
        balance,
        rainId,
        batch.map(({ claim }, index) => ({ index, entry: '', claim })),
        true,
      );
      await Promise.all(
        posted.lost
          .filter(({ reason }) => reason === 'paid_not_booked')
          .map(({ index, reason, detail }) => onUnbooked({ ...batch[index]!, reason, detail })),
      );
      answerAll(posted, batch);
      await announce(rainId, posted, batch);
    } catch (error) {
      onFault(error);
      for (const { answer } of batch) answer({ outcome: 'later' });
    } finally {
      running--;
      plan();
    }
  }

  async function announce(rainId: string, { committed }: Posted, batch: readonly Waiting[]): Promise<void> {
    const shards = new Set(committed.map(({ index }) => batch[index]!.shard));
    await Promise.all(
      [...shards].map((shard) => {
        const claims = committed.filter(({ index }) => batch[index]!.shard === shard).map(({ claim }) => claim);
        return onCredited(rainId, shard, claims).catch(onFault);
      }),
    );
  }

  function answerAll({ committed, late, lost }: Posted, batch: readonly Waiting[]): void {
    for (const { index } of committed) batch[index]!.answer({ outcome: 'credited' });
    for (const { index, afterMs } of late) batch[index]!.answer({ outcome: 'later', afterMs });
    for (const { index } of lost) batch[index]!.answer({ outcome: 'held' });
  }

  return {
    /** Never rejects. */
    submit(claim: Claim, shard: number): Promise<Submission> {
      if (waiting >= waitingMax) return Promise.resolve({ outcome: 'later' });
      return new Promise((answer) => {
        const queue = queues.get(claim.rainId) ?? [];
        queue.push({ claim, shard, answer });
        queues.set(claim.rainId, queue);
        waiting++;
        plan();
      });
    },
  };
}
