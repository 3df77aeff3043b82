import { formatMoney, type Cents } from '../rain/money.ts';
import { findRainMoney, operatorAccount, rainAccounts, type RainMoney } from './accounts.ts';
import { record } from './actions.ts';
import type { Database, Transaction } from './database.ts';
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
 * Gives unclaimed money back to the operator, once per rain however often it is called. The rain's row is locked first,
 * so that two calls at once give back what one of them found.
 * @throws when the rain's accounts hold less than `cents`, a wallet may have been paid from this money, or there is
 *   no such rain
 */
export function recycle(database: Database, rainId: string, cents: Cents, actor: string): Promise<Recycling> {
  return database.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT FROM "Rain" WHERE "id" = ${rainId} FOR NO KEY UPDATE`;
    const {
      _sum: { amountCents: recycledCents },
    } = await transaction.transfer.aggregate({
      where: { rainId, kind: 'recycle', userId: null, redPacketId: null },
      _sum: { amountCents: true },
    });
    if (recycledCents !== null)
      return recycledCents === cents ? { outcome: 'already' } : { outcome: 'differs', recycledCents };
    if (cents === 0n) return { outcome: 'nothing' };
    const money = await findRainMoney(transaction, rainId);
    if (!money) throw new Error(`the ledger has no rain ${rainId}`);
    await transaction.transfer.createMany({ data: await giveBack(transaction, money, cents) });
    await withdraw(transaction, rainId, cents);
    await record(transaction, { actor, verb: 'recycle', rainId, details: { amount: formatMoney(cents) } });
    return { outcome: 'recycled' };
  });
}

/**
 * The transfers from the accounts of the rain, in their order, until they come to `cents`; the last one takes what is
 * missing, and is refused.
 */
async function giveBack(transaction: Transaction, money: RainMoney, cents: Cents) {
  const { rainId, rehearsal } = money;
  const accountIds = rainAccounts(money);
  const found = new Map(
    (await transaction.account.findMany({ where: { id: { in: accountIds } } })).map(({ id, balanceCents }) => [
      id,
      balanceCents,
    ]),
  );
  let left = cents;
  return accountIds
    .map((debitAccountId, shard) => {
      const held = found.get(debitAccountId) ?? 0n;
      const amountCents = shard === accountIds.length - 1 || left < held ? left : held;
      left -= amountCents;
      return {
        id: `recycle:${rainId}${accountIds.length > 1 ? `/${shard}` : ''}`,
        kind: 'recycle' as const,
        debitAccountId,
        creditAccountId: operatorAccount(rehearsal),
        amountCents,
        rainId,
      };
    })
    .filter(({ amountCents }) => amountCents > 0n);
}
