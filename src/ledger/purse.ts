import type { Cents } from '../rain/money.ts';
import { userAccount } from './accounts.ts';
import type { BookedCredit } from './book.ts';
import type { Database } from './database.ts';

/** One red packet that a user has been credited with. */
export interface PursePacket {
  rainId: string;
  title: string;
  redPacketId: string;
  amountCents: Cents;
  /** Epoch ms, by the database's clock. */
  postedAt: number;
}

/** Where a page ended. */
export type PursePlace = Pick<PursePacket, 'postedAt' | 'redPacketId'>;

/**
 * A user's credits, newest first.
 * @param after the last one of the page before
 */
export async function purse(database: Database, userId: string, after: PursePlace | undefined, limit: number): Promise<PursePacket[]> {
  const postedAt = after && new Date(after.postedAt);
  const rows = await database.transfer.findMany({
    where: {
      creditAccountId: userAccount(userId), kind: 'credit',
      // The first condition is what the index is walked by, the second what it leaves to be said.
      ...(after && { postedAt: { lte: postedAt! }, OR: [{ postedAt: { lt: postedAt! } }, { id: { gt: `credit:${after.redPacketId}` } }] }),
    },
    orderBy: [{ postedAt: 'desc' }, { id: 'asc' }],
    take: limit,
    select: { rainId: true, redPacketId: true, amountCents: true, postedAt: true, rain: { select: { title: true } } },
  });
  return rows.map(({ rainId, redPacketId, amountCents, postedAt, rain }) => ({ rainId, title: rain.title, redPacketId: redPacketId!, amountCents, postedAt: postedAt.getTime() }));
}

/** What the book holds for this user in these rains, by rain: one at most in each. */
export async function creditsAmong(database: Database, userId: string, rainIds: readonly string[]): Promise<Map<string, BookedCredit>> {
  if (rainIds.length === 0) return new Map();
  const rows = await database.transfer.findMany({
    where: { rainId: { in: [...rainIds] }, userId }, select: { rainId: true, redPacketId: true, amountCents: true },
  });
  return new Map(rows.map(({ rainId, redPacketId, amountCents }) => [rainId, { redPacketId: redPacketId!, userId, amountCents }]));
}

/** The highest credits of a rain; of equal ones the earlier. `settled`: nothing will be added. `undefined`: no such rain. */
export async function luckiest(database: Database, rainId: string, limit: number): Promise<{ credits: BookedCredit[]; settled: boolean } | undefined> {
  // In this order: of a book that is closed here all credits are seen.
  const rain = await database.rain.findUnique({ where: { id: rainId }, select: { settledAt: true } });
  if (!rain) return undefined;
  const rows = await database.transfer.findMany({
    where: { rainId, kind: 'credit' }, orderBy: [{ amountCents: 'desc' }, { postedAt: 'asc' }, { id: 'asc' }], take: limit,
    select: { redPacketId: true, userId: true, amountCents: true },
  });
  return { credits: rows.map(({ redPacketId, userId, amountCents }) => ({ redPacketId: redPacketId!, userId: userId!, amountCents })), settled: rain.settledAt !== null };
}
