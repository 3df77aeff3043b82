import type { Share } from '../../rain/equation.ts';
import { parseMoney } from '../../rain/money.ts';
import { creditPages } from '../audit/booked.ts';
import type { OperatorContext } from '../context.ts';
import { openReplay } from '../replay.ts';

/**
 * The wins of users other than the known ones in a rain: from the claim log or, when it has expired, from the ledger.
 */
export async function wonByOthers(
  context: OperatorContext,
  rainId: string,
  known: (userId: string) => boolean,
): Promise<Share> {
  const others: Share = { count: 0, cents: 0n };
  const count = (userId: string, cents: bigint) => {
    if (known(userId)) return;
    others.count++;
    others.cents += cents;
  };
  const replay = await openReplay(context, rainId);
  if (!replay.ok)
    for await (const page of creditPages(context, rainId))
      page.forEach(({ userId, amountCents }) => count(userId, amountCents));
  else
    for await (const replayed of replay.entries)
      if (replayed.ok) count(replayed.claim.userId, parseMoney(replayed.claim.amount)!);
  return others;
}
