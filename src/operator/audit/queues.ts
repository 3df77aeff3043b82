import { readDeadLetters } from '../../credit/deadLetters.ts';
import { readLoad, type QueueLoad } from '../../credit/queueLoad.ts';
import { parseClaim } from '../../rain/claim.ts';
import { parseMoney, type Cents } from '../../rain/money.ts';
import type { Queues } from '../context.ts';

/** A rain's claims on their way to the ledger, and its dead letters. Shown beside the equation, not part of it. */
export interface QueueReport extends QueueLoad {
  /** Dead letters; `cents` sums those that can be parsed. */
  dead: { count: number; cents: Cents };
}

/** Dead letters counted for one report; the list shows them page by page [R10]. */
const DEAD_LETTERS_COUNTED_MAX = 10_000;

export async function readQueues({ credit, dead }: Queues, rainId: string): Promise<QueueReport> {
  const load = await readLoad(credit, rainId);
  const { letters, complete } = await readDeadLetters(dead, { rainId, limit: DEAD_LETTERS_COUNTED_MAX });
  const cents = letters.reduce((sum, { entry }) => {
    const parsed = parseClaim(entry);
    return parsed.ok ? sum + parseMoney(parsed.claim.amount)! : sum;
  }, 0n);
  return { jobs: load.jobs, dead: { count: letters.length, cents }, complete: load.complete && complete };
}
