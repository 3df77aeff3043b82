import type { Database } from './database.ts';

/** What the book says of a packet: whom it was credited to, or that its money went back. */
export interface BookedPosting {
  redPacketId: string;
  /** Absent: its claim was discarded. */
  userId?: string;
  /** Epoch ms. */
  postedAt: number;
}

/** Of those of these packets that the book knows, in no order. */
export async function postings(database: Database, redPacketIds: readonly string[]): Promise<BookedPosting[]> {
  if (redPacketIds.length === 0) return [];
  const rows = await database.transfer.findMany({ where: { redPacketId: { in: [...redPacketIds] } }, select: { redPacketId: true, userId: true, postedAt: true } });
  return rows.map(({ redPacketId, userId, postedAt }) => ({ redPacketId: redPacketId!, ...(userId !== null && { userId }), postedAt: postedAt.getTime() }));
}
