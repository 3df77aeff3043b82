import type { Cents } from '../rain/money.ts';
import type { Share } from '../rain/equation.ts';
import type { Database } from './database.ts';
import type { Prisma } from './generated/client.ts';

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
    database.transfer.groupBy({
      by: ['kind'],
      where: { rainId, NOT: discardedOnly },
      _sum: { amountCents: true },
      _count: true,
    }),
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

const CREDIT = { redPacketId: true, userId: true, amountCents: true } as const;

/** Finds credits in the order given. */
export async function findCredits(
  database: Database,
  query: Pick<Prisma.TransferFindManyArgs, 'where' | 'orderBy' | 'take'>,
): Promise<BookedCredit[]> {
  const rows = await database.transfer.findMany({ ...query, select: CREDIT });
  return rows.map(({ redPacketId, userId, amountCents }) => ({
    redPacketId: redPacketId!,
    userId: userId!,
    amountCents,
  }));
}

/**
 * The credits of a rain, page by page, ordered by user: a user has one credit per rain, so the user id is the cursor.
 * @param afterUserId the last user of the previous page; absent for the first page
 */
export function credits(
  database: Database,
  rainId: string,
  afterUserId?: string,
  limit = 10_000,
): Promise<BookedCredit[]> {
  const userId = afterUserId === undefined ? { not: null } : { gt: afterUserId };
  return findCredits(database, { where: { rainId, userId }, orderBy: { userId: 'asc' }, take: limit });
}

/** The credits of a rain to these users, and those of these packets, in no order. */
export function creditsTo(
  database: Database,
  rainId: string,
  { userIds = [], redPacketIds = [] }: { userIds?: readonly string[]; redPacketIds?: readonly string[] },
): Promise<BookedCredit[]> {
  return database.$queryRaw`
    SELECT "redPacketId", "userId", "amountCents" FROM "Transfer" WHERE "redPacketId" = ANY (${redPacketIds}::text[]) AND "rainId" = ${rainId} AND "userId" IS NOT NULL
    UNION SELECT "redPacketId", "userId", "amountCents" FROM "Transfer" WHERE "rainId" = ${rainId} AND "userId" = ANY (${userIds}::text[])`;
}

/** A packet in the ledger: the user it was credited to, or that its money went back. */
interface BookedPosting {
  redPacketId: string;
  /** Absent: its claim was discarded. */
  userId?: string;
  /** Epoch ms. */
  postedAt: number;
}

/** The postings of these packets, as far as the ledger has them, in no order. */
export async function postings(database: Database, redPacketIds: readonly string[]): Promise<BookedPosting[]> {
  if (redPacketIds.length === 0) return [];
  const rows = await database.transfer.findMany({
    where: { redPacketId: { in: [...redPacketIds] } },
    select: { redPacketId: true, userId: true, postedAt: true },
  });
  return rows.map(({ redPacketId, userId, postedAt }) => ({
    redPacketId: redPacketId!,
    ...(userId !== null && { userId }),
    postedAt: postedAt.getTime(),
  }));
}

/** A user's credit in a rain, if the ledger has it: at most one per rain. */
export async function creditOf(
  database: Database,
  rainId: string,
  userId: string,
): Promise<(BookedCredit & { postedAt: number }) | undefined> {
  const row = await database.transfer.findUnique({
    where: { rainId_userId: { rainId, userId } },
    select: { redPacketId: true, userId: true, amountCents: true, postedAt: true },
  });
  return row
    ? { redPacketId: row.redPacketId!, userId, amountCents: row.amountCents, postedAt: row.postedAt.getTime() }
    : undefined;
}
