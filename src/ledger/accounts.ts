import type { Cents } from '../rain/money.ts';
import type { Database } from './database.ts';

/**
 * Before the names of all accounts of a rehearsal: the same book-keeping, in money that never becomes real. The database lets
 * no transfer go from one side to the other.
 */
const SHADOW = 'shadow:';

/** What the accounts of a rain begin with. */
export function sideOf(rehearsal: boolean): string {
  return rehearsal ? SHADOW : '';
}

/** Who gives: the one account that may be below zero. */
export function operatorAccount(rehearsal = false): string {
  return `${sideOf(rehearsal)}operator`;
}

export function rainAccount(rainId: string, rehearsal = false): string {
  return `${sideOf(rehearsal)}rain:${rainId}`;
}

export function userAccount(userId: string): string {
  return `user:${userId}`;
}

interface Wallet {
  balanceCents: Cents;
  /** The newest credits, newest first, at most `limit`. */
  credits: { rainId: string; redPacketId: string; amountCents: Cents; /** Epoch ms. */ postedAt: number }[];
}

/** What a user owns, cents; somebody who never won owns nothing, and what is won in a rehearsal is nobody's. */
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

/** Of all accounts together, cents. Anything but 0 means that money was made or lost. */
export async function sumOfBalances(database: Database): Promise<Cents> {
  const { _sum } = await database.account.aggregate({ _sum: { balanceCents: true } });
  return _sum.balanceCents ?? 0n;
}
