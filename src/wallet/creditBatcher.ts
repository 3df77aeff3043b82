import type { PayoutProvider } from '../credit/payoutProvider.ts';
import { ENTRIES_MAX } from '../credit/job.ts';
import { postBisecting, type Posted } from '../credit/bisect.ts';
import type { Claim } from '../rain/claim.ts';
import type { Unbooked } from './unbooked.ts';

/** What became of a claim that was handed in. `later`: not now, or nobody knows; it comes again by itself, with the credit worker. */
type Submission = { outcome: 'credited' } | { outcome: 'held' } | { outcome: 'later'; afterMs?: number };

interface CreditBatcherOptions {
  balance: PayoutProvider;
  /** Claims of one rain that are posted in one go: a book takes many as cheaply as one, a wallet elsewhere answers for each. */
  togetherMax: number;
  /** Postings under way at once; the credit worker wants the same rows. */
  atOnceMax: number;
  /** Claims that wait for one; who comes when it is full is not kept waiting [R10]. */
  waitingMax: number;
  /** After the commit, never before it. What it throws changes nothing: the money is there, and the credit worker tells it, too. */
  onCredited: (rainId: string, shard: number, claims: readonly Claim[]) => Promise<void>;
  /** A wallet has paid, and the book could not take it: nobody else will ever hear of it. Never rejects. */
  onUnbooked: (unbooked: Unbooked) => Promise<void>;
  onFault: (error: unknown) => void;
}

/** Where claims are handed in one by one, by whoever asks for his money, and posted together. */
export interface CreditBatcher {
  /** Never rejects. */
  submit(claim: Claim, shard: number): Promise<Submission>;
}

interface Waiting {
  claim: Claim;
  shard: number;
  answer: (what: Submission) => void;
}

export const CREDIT_BATCHER_LIMITS = { ledger: { togetherMax: ENTRIES_MAX, atOnceMax: 2 }, webhook: { togetherMax: 1, atOnceMax: 16 }, waitingMax: 5_000 } as const;

/**
 * Posts through the port, as the credit worker does, and buries nothing but what a wallet has paid in vain: any other claim that cannot
 * be credited is met by the credit worker as well, who knows its place in the log. Whoever of the two is first posts it, the other finds
 * it `already` there [R5].
 */
export function createCreditBatcher({ balance, togetherMax, atOnceMax, waitingMax, onCredited, onUnbooked, onFault }: CreditBatcherOptions): CreditBatcher {
  const lines = new Map<string, Waiting[]>();
  let waiting = 0;
  let under = 0;
  let planned = false;

  /** In the next turn, so that all who ask in this one stand in line. */
  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      while (under < atOnceMax && lines.size > 0) void serve();
    });
  }

  async function serve(): Promise<void> {
    const [rainId, line] = lines.entries().next().value!;
    const batch = line.splice(0, togetherMax);
    // To the end of the row, so that no rain waits for another.
    lines.delete(rainId);
    if (line.length > 0) lines.set(rainId, line);
    waiting -= batch.length;
    under++;
    try {
      const posted = await postBisecting(balance, rainId, batch.map(({ claim }, index) => ({ index, entry: '', claim })), true);
      await Promise.all(posted.lost.filter(({ reason }) => reason === 'paid_not_booked').map(({ index, reason, detail }) => onUnbooked({ ...batch[index]!, reason, detail })));
      tell(posted, batch);
      await announce(rainId, posted, batch);
    } catch (error) {
      onFault(error);
      for (const { answer } of batch) answer({ outcome: 'later' });
    } finally {
      under--;
      plan();
    }
  }

  async function announce(rainId: string, { committed }: Posted, batch: readonly Waiting[]): Promise<void> {
    const shards = new Set(committed.map(({ index }) => batch[index]!.shard));
    await Promise.all([...shards].map((shard) => {
      const claims = committed.filter(({ index }) => batch[index]!.shard === shard).map(({ claim }) => claim);
      return onCredited(rainId, shard, claims).catch(onFault);
    }));
  }

  function tell({ committed, late, lost }: Posted, batch: readonly Waiting[]): void {
    for (const { index } of committed) batch[index]!.answer({ outcome: 'credited' });
    for (const { index, afterMs } of late) batch[index]!.answer({ outcome: 'later', ...(afterMs !== undefined && { afterMs }) });
    for (const { index } of lost) batch[index]!.answer({ outcome: 'held' });
  }

  return {
    submit(claim, shard) {
      if (waiting >= waitingMax) return Promise.resolve({ outcome: 'later' });
      return new Promise((answer) => {
        const line = lines.get(claim.rainId) ?? [];
        line.push({ claim, shard, answer });
        lines.set(claim.rainId, line);
        waiting++;
        plan();
      });
    },
  };
}
