import type { BookedCredit } from './book.ts';
import type { Database } from './database.ts';

/** What an external wallet may have been asked to pay for one packet. */
export interface BookedPayout extends BookedCredit {
  /** False: reserved; the wallet has not confirmed it, or its answer was not believed. */
  credited: boolean;
}

/** The payouts of these packets of a rain, as far as the ledger has them, in no order: one per packet at most. */
export function payouts(database: Database, rainId: string, redPacketIds: readonly string[]): Promise<BookedPayout[]> {
  const ids = [...redPacketIds];
  return database.$queryRaw`
    SELECT "redPacketId", "userId", "amountCents", true AS "credited" FROM "Transfer"
    WHERE "rainId" = ${rainId} AND "kind" = 'credit' AND "redPacketId" = ANY (${ids}::text[])
    UNION ALL
    SELECT "redPacketId", "userId", "amountCents", false FROM "Reservation" AS kept
    WHERE "rainId" = ${rainId} AND "userId" IS NOT NULL AND "redPacketId" = ANY (${ids}::text[])
      AND NOT EXISTS (SELECT FROM "Transfer" WHERE "Transfer"."redPacketId" = kept."redPacketId")`;
}
