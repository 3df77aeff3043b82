import { formatMoney, type Cents } from '../rain/money.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import { isRehearsal } from './rains.ts';
import { withdraw } from './reserve.ts';

type Recycling =
  | { outcome: 'recycled' }
  /** The same amount went back before; nothing was moved again. */
  | { outcome: 'already' }
  /** Nothing was left; no transfer was made. */
  | { outcome: 'nothing' }
  /** Another amount went back before; nothing was moved. */
  | { outcome: 'differs'; recycledCents: Cents };

/**
 * Unclaimed money goes back to the operator, once per rain however often it is asked for.
 * @throws when the rain's account holds less than `cents`, a wallet outside may have been paid out of them, or there is no such
 * rain: the database refuses
 */
export function recycle(database: Database, rainId: string, cents: Cents, actor: string): Promise<Recycling> {
  const id = `recycle:${rainId}`;
  return database.$transaction(async (book) => {
    const rehearsal = await isRehearsal(book, rainId);
    const { count } = cents === 0n ? { count: 0 } : await book.transfer.createMany({
      data: { id, kind: 'recycle', debitAccountId: rainAccount(rainId, rehearsal), creditAccountId: operatorAccount(rehearsal), amountCents: cents, rainId },
      skipDuplicates: true,
    });
    if (count === 0) {
      const existing = await book.transfer.findUnique({ where: { id }, select: { amountCents: true } });
      if (!existing) return { outcome: 'nothing' };
      return existing.amountCents === cents ? { outcome: 'already' } : { outcome: 'differs', recycledCents: existing.amountCents };
    }
    await withdraw(book, rainId, cents);
    await giveBack(book, rainId, rehearsal, cents);
    await record(book, { actor, verb: 'recycle', rainId, details: { amount: formatMoney(cents) } });
    return { outcome: 'recycled' };
  });
}

/**
 * Moves the balances of a recycle transfer. The rain's account is locked last, as everywhere: two that take the same accounts
 * in another order would wait for each other for ever.
 */
export async function giveBack(book: Transaction, rainId: string, rehearsal: boolean, cents: Cents): Promise<void> {
  await book.account.update({ where: { id: operatorAccount(rehearsal) }, data: { balanceCents: { increment: cents } } });
  await book.account.update({ where: { id: rainAccount(rainId, rehearsal) }, data: { balanceCents: { decrement: cents } } });
}
