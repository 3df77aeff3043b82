import { formatMoney, type Cents } from '../rain/money.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record } from './actions.ts';
import type { Database } from './database.ts';
import { isRehearsal } from './rains.ts';
import { withdraw } from './reserve.ts';

type Recycling =
  | { outcome: 'recycled' }
  /** The same amount went back before; no money moved again. */
  | { outcome: 'already' }
  /** There was nothing to give back; no transfer was made. */
  | { outcome: 'nothing' }
  /** Another amount went back before; no money moved. */
  | { outcome: 'differs'; recycledCents: Cents };

/**
 * Gives unclaimed money back to the operator, once per rain however often it is called.
 * @throws when the rain's account holds less than `cents`, a wallet may have been paid from this money, or there is no such rain
 */
export function recycle(database: Database, rainId: string, cents: Cents, actor: string): Promise<Recycling> {
  const id = `recycle:${rainId}`;
  return database.$transaction(async (transaction) => {
    const rehearsal = await isRehearsal(transaction, rainId);
    const { count } = cents === 0n ? { count: 0 } : await transaction.transfer.createMany({
      data: { id, kind: 'recycle', debitAccountId: rainAccount(rainId, rehearsal), creditAccountId: operatorAccount(rehearsal), amountCents: cents, rainId },
      skipDuplicates: true,
    });
    if (count === 0) {
      const existing = await transaction.transfer.findUnique({ where: { id }, select: { amountCents: true } });
      if (!existing) return { outcome: 'nothing' };
      return existing.amountCents === cents ? { outcome: 'already' } : { outcome: 'differs', recycledCents: existing.amountCents };
    }
    await withdraw(transaction, rainId, cents);
    await record(transaction, { actor, verb: 'recycle', rainId, details: { amount: formatMoney(cents) } });
    return { outcome: 'recycled' };
  });
}
