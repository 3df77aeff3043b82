import type { Cents } from '../rain/money.ts';
import type { Share } from '../rain/equation.ts';
import type { Database } from './database.ts';

/** The ledger's sums for one rain: its part of the money equation [R8]. */
export interface RainBook {
  fundedCents: Cents;
  credited: Share;
  /** Unclaimed money, given back once when the rain was settled. */
  recycledCents: Cents;
  /** Discarded claims whose money went back. */
  discarded: Share;
  /** Discarded dead letters, with or without money. */
  discardedClaims: number;
  /** Epoch ms; absent until the rain is settled. */
  settledAt?: number;
}

/** One credit in the ledger, as the audit compares it with the claim log. */
export interface BookedCredit {
  redPacketId: string;
  userId: string;
  amountCents: Cents;
}

/** `undefined`: the ledger has no such rain. */
export async function book(database: Database, rainId: string): Promise<RainBook | undefined> {
  const discardedOnly = { kind: 'recycle', redPacketId: { not: null } } as const;
  const [rain, sums, discarded, discardedClaims] = await Promise.all([
    database.rain.findUnique({ where: { id: rainId }, select: { settledAt: true } }),
    database.transfer.groupBy({ by: ['kind'], where: { rainId, NOT: discardedOnly }, _sum: { amountCents: true }, _count: true }),
    database.transfer.aggregate({ where: { rainId, ...discardedOnly }, _sum: { amountCents: true }, _count: true }),
    database.discard.count({ where: { rainId } }),
  ]);
  if (!rain) return undefined;
  const of = (kind: 'fund' | 'credit' | 'recycle') => sums.find((sum) => sum.kind === kind);
  return {
    fundedCents: of('fund')?._sum.amountCents ?? 0n,
    credited: { count: of('credit')?._count ?? 0, cents: of('credit')?._sum.amountCents ?? 0n },
    recycledCents: of('recycle')?._sum.amountCents ?? 0n,
    discarded: { count: discarded._count, cents: discarded._sum.amountCents ?? 0n },
    discardedClaims,
    ...(rain.settledAt && { settledAt: rain.settledAt.getTime() }),
  };
}

/**
 * The credits of a rain, page by page, ordered by user: a user has one credit per rain, so the user id is the cursor.
 * @param afterUserId the last user of the previous page; absent for the first page
 */
export async function credits(database: Database, rainId: string, afterUserId?: string, limit = 10_000): Promise<BookedCredit[]> {
  const rows = await database.transfer.findMany({
    where: { rainId, userId: afterUserId === undefined ? { not: null } : { gt: afterUserId } },
    orderBy: { userId: 'asc' },
    take: limit,
    select: { redPacketId: true, userId: true, amountCents: true },
  });
  return rows.map(({ redPacketId, userId, amountCents }) => ({ redPacketId: redPacketId!, userId: userId!, amountCents }));
}
