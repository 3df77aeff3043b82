import type { Cents } from '../rain/money.ts';
import type { Database, Transaction } from './database.ts';

/**
 * The prefix of account ids. A rehearsal's money never becomes real; the database refuses a transfer between the two
 * kinds.
 */
export function accountPrefix(rehearsal: boolean): string {
  return rehearsal ? 'shadow:' : '';
}

/** The operator's account: the only one that may be below zero. */
export function operatorAccount(rehearsal = false): string {
  return `${accountPrefix(rehearsal)}operator`;
}

/** Where the money of a rain is: in one account, or in one for each shard. Decided when the rain is created. */
export interface RainMoney {
  rainId: string;
  rehearsal: boolean;
  accounts: number;
}

/**
 * The accounts of a rain, by shard. The money of packet `i` is in the account `i % accounts`, wherever the packet is
 * won; for the database the rule is in the function `packet_account`.
 */
export function rainAccounts({ rainId, rehearsal, accounts }: RainMoney): string[] {
  const account = `${accountPrefix(rehearsal)}rain:${rainId}`;
  return accounts === 1 ? [account] : Array.from({ length: accounts }, (_, shard) => `${account}/${shard}`);
}

/** Whether this is an account of the rain, in real or in test money. */
export function isRainAccount(accountId: string, rainId: string): boolean {
  // The id of a rain never contains a slash.
  const [account] = accountId.split('/');
  return account === `rain:${rainId}` || account === `${accountPrefix(true)}rain:${rainId}`;
}

/** `undefined`: the ledger has no such rain. */
export async function findRainMoney(
  transaction: Database | Transaction,
  rainId: string,
): Promise<RainMoney | undefined> {
  const found = await transaction.rain.findUnique({
    where: { id: rainId },
    select: { rehearsal: true, accounts: true },
  });
  return found ? { rainId, ...found } : undefined;
}

export function userAccount(userId: string): string {
  return `user:${userId}`;
}

/**
 * Transfers money from the operator to the accounts of a rain; the database updates the balances, and makes the
 * accounts that are missing.
 * @param ordinal 0 for the creation, then that of the top-up
 * @param cents by account
 */
export async function fund(
  transaction: Transaction,
  money: RainMoney,
  ordinal: number,
  cents: readonly Cents[],
): Promise<void> {
  const { rainId, rehearsal, accounts } = money;
  const idOf = (shard: number) =>
    accounts > 1 ? `fund:${rainId}/${ordinal}/${shard}` : `fund:${rainId}${ordinal === 0 ? '' : `/${ordinal}`}`;
  const shares = rainAccounts(money).map((creditAccountId, shard) => ({
    id: idOf(shard),
    kind: 'fund' as const,
    debitAccountId: operatorAccount(rehearsal),
    creditAccountId,
    amountCents: cents[shard]!,
    rainId,
  }));
  await transaction.transfer.createMany({ data: shares.filter(({ amountCents }) => amountCents > 0n) });
}

/** A user's balance, cents; 0 for a user who never won. Money won in a rehearsal is not counted. */
export async function balance(database: Database, userId: string): Promise<Cents> {
  const account = await database.account.findUnique({
    where: { id: userAccount(userId) },
    select: { balanceCents: true },
  });
  return account?.balanceCents ?? 0n;
}

/**
 * The sum of all balances, cents. Anything but 0 means that money was created or lost. The database reads every account
 * for it, about a quarter of a second for a million; Prisma's aggregate would keep it from reading in parallel.
 */
export async function sumOfBalances(database: Database): Promise<Cents> {
  const [row] = await database.$queryRaw<
    { sum: string }[]
  >`SELECT coalesce(sum("balanceCents"), 0)::text AS "sum" FROM "Account"`;
  return BigInt(row!.sum);
}
