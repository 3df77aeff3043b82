import type { BookedCredit } from './book.ts';
import type { Database } from './database.ts';

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
  const rows = await database.transfer.findMany({ where: { redPacketId: { in: [...redPacketIds] } }, select: { redPacketId: true, userId: true, postedAt: true } });
  return rows.map(({ redPacketId, userId, postedAt }) => ({ redPacketId: redPacketId!, ...(userId !== null && { userId }), postedAt: postedAt.getTime() }));
}

/** A user's credit in a rain, if the ledger has it: at most one per rain. */
export async function creditOf(database: Database, rainId: string, userId: string): Promise<(BookedCredit & { postedAt: number }) | undefined> {
  const row = await database.transfer.findUnique({ where: { rainId_userId: { rainId, userId } }, select: { redPacketId: true, userId: true, amountCents: true, postedAt: true } });
  return row ? { redPacketId: row.redPacketId!, userId, amountCents: row.amountCents, postedAt: row.postedAt.getTime() } : undefined;
}
