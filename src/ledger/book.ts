import type { Cents } from '../rain/money.ts';
import type { Share } from '../rain/equation.ts';
import type { Database } from './database.ts';

/** What the book says about one rain: its part of the money equation [R8]. */
export interface RainBook {
  fundedCents: Cents;
  credited: Share;
  recycledCents: Cents;
  /** Epoch ms; absent while the book is open. */
  settledAt?: number;
}

/** One row of the book, as the audit compares it with the claim log. */
export interface BookedCredit {
  redPacketId: string;
  userId: string;
  amountCents: Cents;
}

/** `undefined`: the book has no such rain. */
export async function book(database: Database, rainId: string): Promise<RainBook | undefined> {
  const [rain, sums] = await Promise.all([
    database.rain.findUnique({ where: { id: rainId }, select: { settledAt: true } }),
    database.transfer.groupBy({ by: ['kind'], where: { rainId }, _sum: { amountCents: true }, _count: true }),
  ]);
  if (!rain) return undefined;
  const of = (kind: 'fund' | 'credit' | 'recycle') => sums.find((sum) => sum.kind === kind);
  return {
    fundedCents: of('fund')?._sum.amountCents ?? 0n,
    credited: { count: of('credit')?._count ?? 0, cents: of('credit')?._sum.amountCents ?? 0n },
    recycledCents: of('recycle')?._sum.amountCents ?? 0n,
    ...(rain.settledAt && { settledAt: rain.settledAt.getTime() }),
  };
}

/**
 * The credits of a rain, page by page, ordered by user: one user has one credit per rain, so his id is the cursor.
 * @param afterUserId the last user of the page before; absent for the first page
 */
export async function credits(database: Database, rainId: string, afterUserId: string | undefined, limit = 10_000): Promise<BookedCredit[]> {
  const rows = await database.transfer.findMany({
    where: { rainId, userId: afterUserId === undefined ? { not: null } : { gt: afterUserId } },
    orderBy: { userId: 'asc' },
    take: limit,
    select: { redPacketId: true, userId: true, amountCents: true },
  });
  return rows.map(({ redPacketId, userId, amountCents }) => ({ redPacketId: redPacketId!, userId: userId!, amountCents }));
}
