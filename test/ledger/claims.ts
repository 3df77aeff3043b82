import { expect } from 'vitest';
import type { Claim } from '../../src/rain/claim.ts';
import { formatMoney, type Cents } from '../../src/rain/money.ts';
import type { Database } from '../../src/ledger/database.ts';
import type { NewRain } from '../../src/ledger/rains.ts';

export const FIRST_WIN = 1_795_000_000_000;

/** The n-th win of a rain: packet n goes to user n, n cents and one more, n ms after the first. */
export function claimOf(rainId: string, n: number, differing: Partial<Claim> = {}): Claim {
  return {
    rainId,
    redPacketId: `${rainId}-p${n}`,
    amount: formatMoney(BigInt(n + 1)),
    userId: `u${n}`,
    at: String(FIRST_WIN + n),
    ...differing,
  };
}

/** Wins `from` (inclusive) to `to` (exclusive). */
export function claimsOf(rainId: string, from: number, to: number): Claim[] {
  return Array.from({ length: to - from }, (_, i) => claimOf(rainId, from + i));
}

/** The sum of the wins 0 to n − 1 of `claimOf`, cents. */
export function sumOfFirst(n: number): Cents {
  return (BigInt(n) * BigInt(n + 1)) / 2n;
}

export function newRain(id: string, budgetCents: Cents, differing: Partial<NewRain> = {}): NewRain {
  return {
    id,
    title: `rain ${id}`,
    budgetCents,
    packets: 10,
    split: { method: 'double-mean', min: '0.01' },
    seed: 'ab'.repeat(32),
    shards: 2,
    opensAt: FIRST_WIN,
    closesAt: FIRST_WIN + 60_000,
    ...differing,
  };
}

/** The two ways to know what is in an account must agree, and nothing may come from nowhere. */
export async function expectBalanced(database: Database): Promise<void> {
  const [accounts, debits, credits] = await Promise.all([
    database.account.findMany(),
    database.transfer.groupBy({ by: ['debitAccountId'], _sum: { amountCents: true } }),
    database.transfer.groupBy({ by: ['creditAccountId'], _sum: { amountCents: true } }),
  ]);
  const moved = new Map(accounts.map(({ id }) => [id, 0n]));
  for (const { debitAccountId: id, _sum } of debits) moved.set(id, moved.get(id)! - _sum.amountCents!);
  for (const { creditAccountId: id, _sum } of credits) moved.set(id, moved.get(id)! + _sum.amountCents!);
  expect(new Map(accounts.map(({ id, balanceCents }) => [id, balanceCents]))).toEqual(moved);
  expect(accounts.reduce((sum, { balanceCents }) => sum + balanceCents, 0n)).toBe(0n);
}
