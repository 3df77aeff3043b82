import type { Share } from '../../rain/equation.ts';
import { parseMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';
import { logEnds, readLog } from './log.ts';

const PAGE = 1_000;

/**
 * What other users won in a rain: from the claim log or, when it has expired, from the ledger.
 * @param known whether a user is excluded from the sum
 */
export async function wonByOthers(context: OperatorContext, rainId: string, known: (userId: string) => boolean): Promise<Share> {
  const rain = await context.ledger.rain(rainId);
  const others: Share = { count: 0, cents: 0n };
  if (!rain) return others;
  const count = (userId: string, cents: bigint) => {
    if (known(userId)) return;
    others.count++;
    others.cents += cents;
  };
  const ends = await logEnds(context, rain);
  for (let from = ends; from?.some((left) => left > 0);) {
    const { logged, next } = await readLog(context, rain, from, PAGE);
    for (const { claim } of logged) count(claim.userId, parseMoney(claim.amount) ?? 0n);
    from = next;
  }
  for (let after: string | undefined = ''; !ends && after !== undefined;) {
    const credits = await context.ledger.credits(rainId, after, PAGE);
    for (const { userId, amountCents } of credits) count(userId, amountCents);
    after = credits.length === PAGE ? credits.at(-1)?.userId : undefined;
  }
  return others;
}
