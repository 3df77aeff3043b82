import type { BookedCredit } from './book.ts';
import type { Database } from './database.ts';

/** A payment of one packet that an external wallet may have been asked for. */
export interface BookedPayout extends BookedCredit {
  /**
   * `asked`: reserved; the wallet has not confirmed it, or its answer was not believed. `discarded`: the same, and an
   * operator took the packet's money back.
   */
  state: 'credited' | 'asked' | 'discarded';
}

/** The payouts of these packets of a rain, as far as the ledger has them, in no order: one per packet at most. */
export function payouts(database: Database, rainId: string, redPacketIds: readonly string[]): Promise<BookedPayout[]> {
  const ids = [...redPacketIds];
  return database.$queryRaw`
    SELECT "redPacketId", "userId", "amountCents", 'credited' AS "state" FROM "Transfer"
    WHERE "rainId" = ${rainId} AND "kind" = 'credit' AND "redPacketId" = ANY (${ids}::text[])
    UNION ALL
    SELECT kept."redPacketId", kept."userId", kept."amountCents", CASE WHEN moved."kind" IS NULL THEN 'asked' ELSE 'discarded' END
    FROM "Reservation" AS kept LEFT JOIN "Transfer" AS moved ON moved."redPacketId" = kept."redPacketId"
    WHERE kept."rainId" = ${rainId} AND kept."userId" IS NOT NULL AND kept."redPacketId" = ANY (${ids}::text[])
      AND moved."kind" IS DISTINCT FROM 'credit'`;
}
