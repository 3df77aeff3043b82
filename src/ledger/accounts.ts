import type { Cents } from '../rain/money.ts';
import type { Database, Transaction } from './database.ts';

/** The prefix of account ids. A rehearsal's money never becomes real; the database refuses a transfer between the two kinds. */
export function accountPrefix(rehearsal: boolean): string {
  return rehearsal ? 'shadow:' : '';
}

/** The operator's account: the only one that may be below zero. */
export function operatorAccount(rehearsal = false): string {
  return `${accountPrefix(rehearsal)}operator`;
}

export function rainAccount(rainId: string, rehearsal = false): string {
  return `${accountPrefix(rehearsal)}rain:${rainId}`;
}

/** Whether this is the account of the rain, in real or in test money. */
export function isRainAccount(accountId: string, rainId: string): boolean {
  return accountId === rainAccount(rainId) || accountId === rainAccount(rainId, true);
}

export function userAccount(userId: string): string {
  return `user:${userId}`;
}

interface Funding {
  /** Of the transfer, see prisma/schema.prisma. */
  id: string;
  rainId: string;
  rehearsal: boolean;
  cents: Cents;
}

/** Transfers money from the operator to a rain; the database updates both balances, and makes the accounts that are missing. */
export async function fund(transaction: Transaction, { id, rainId, rehearsal, cents }: Funding): Promise<void> {
  const [debitAccountId, creditAccountId] = [operatorAccount(rehearsal), rainAccount(rainId, rehearsal)];
  await transaction.transfer.create({ data: { id, kind: 'fund', debitAccountId, creditAccountId, amountCents: cents, rainId }, select: { id: true } });
}

/** A user's balance, cents; 0 for a user who never won. Money won in a rehearsal is not counted. */
export async function balance(database: Database, userId: string): Promise<Cents> {
  const account = await database.account.findUnique({ where: { id: userAccount(userId) }, select: { balanceCents: true } });
  return account?.balanceCents ?? 0n;
}

/**
 * The sum of all balances, cents. Anything but 0 means that money was created or lost. The database reads every account for it, about
 * a quarter of a second for a million; Prisma's aggregate would keep it from reading in parallel.
 */
export async function sumOfBalances(database: Database): Promise<Cents> {
  const [row] = await database.$queryRaw<{ sum: string }[]>`SELECT coalesce(sum("balanceCents"), 0)::text AS "sum" FROM "Account"`;
  return BigInt(row!.sum);
}
