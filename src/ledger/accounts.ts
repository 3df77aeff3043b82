import type { Cents } from '../rain/money.ts';
import type { Database } from './database.ts';

/**
 * Prefix of all account ids of a rehearsal: the same book-keeping, in money that never becomes real. The database refuses a
 * transfer between the two kinds.
 */
const SHADOW = 'shadow:';

/** The prefix of a rain's account ids. */
export function accountPrefix(rehearsal: boolean): string {
  return rehearsal ? SHADOW : '';
}

/** The operator's account: the only one that may be below zero. */
export function operatorAccount(rehearsal = false): string {
  return `${accountPrefix(rehearsal)}operator`;
}

export function rainAccount(rainId: string, rehearsal = false): string {
  return `${accountPrefix(rehearsal)}rain:${rainId}`;
}

export function userAccount(userId: string): string {
  return `user:${userId}`;
}

interface Wallet {
  balanceCents: Cents;
  /** The newest credits, newest first, at most `limit`. */
  credits: { rainId: string; redPacketId: string; amountCents: Cents; /** Epoch ms. */ postedAt: number }[];
}

/** A user's balance, cents; 0 for a user who never won. Money won in a rehearsal is not counted. */
export async function balance(database: Database, userId: string): Promise<Cents> {
  const account = await database.account.findUnique({ where: { id: userAccount(userId) }, select: { balanceCents: true } });
  return account?.balanceCents ?? 0n;
}

export async function wallet(database: Database, userId: string, limit = 100): Promise<Wallet> {
  const [balanceCents, transfers] = await Promise.all([
    balance(database, userId),
    database.transfer.findMany({
      where: { creditAccountId: userAccount(userId), kind: 'credit' },
      orderBy: [{ postedAt: 'desc' }, { id: 'asc' }],
      take: limit,
      select: { rainId: true, redPacketId: true, amountCents: true, postedAt: true },
    }),
  ]);
  return {
    balanceCents,
    credits: transfers.map(({ rainId, redPacketId, amountCents, postedAt }) => ({ rainId, redPacketId: redPacketId!, amountCents, postedAt: postedAt.getTime() })),
  };
}

/** The sum of all balances, cents. Anything but 0 means that money was created or lost. */
export async function sumOfBalances(database: Database): Promise<Cents> {
  const { _sum } = await database.account.aggregate({ _sum: { balanceCents: true } });
  return _sum.balanceCents ?? 0n;
}
