import { readDeadLetters } from '../../credit/deadLetters.ts';
import { readLoad, type QueueLoad } from '../../credit/queueLoad.ts';
import { parseClaim } from '../../rain/claim.ts';
import { parseMoney, type Cents } from '../../rain/money.ts';
import type { Queues } from '../context.ts';

/** What of a rain is on its way to the book, and what has ended on the way. Told beside the equation, and no part of it. */
export interface QueueReport extends QueueLoad {
  /** Letters with the dead; the amount is that of those which can be read. */
  dead: { count: number; cents: Cents };
}

/** So many letters are counted for one report; to be looked at they are shown a page at a time [R10]. */
const COUNTED_MAX = 10_000;

export async function readQueues({ credit, dead }: Queues, rainId: string): Promise<QueueReport> {
  const load = await readLoad(credit, rainId);
  const { letters, complete } = await readDeadLetters(dead, { rainId, limit: COUNTED_MAX });
  const cents = letters.reduce((sum, { entry }) => sum + amountIn(entry), 0n);
  return { jobs: load.jobs, dead: { count: letters.length, cents }, complete: load.complete && complete };
}

function amountIn(entry: string): Cents {
  const parsed = parseClaim(entry);
  return parsed.ok ? parseMoney(parsed.claim.amount)! : 0n;
}
