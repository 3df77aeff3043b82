import type { Claim } from '../rain/claim.ts';
import type { Cents } from '../rain/money.ts';
import { readTransfers } from './credit.ts';
import type { Database, Transaction } from './database.ts';
import { inOrderWon, classifyConflict, toRows, type ClaimRow, type ExistingPostingRow, type Conflict } from './classifyConflict.ts';

/** What became of one claim, in order of precedence. */
type Reserving =
  /** It is in the book already: no wallet need be asked. */
  | { outcome: 'credited' }
  | Conflict
  /** This packet is kept for this user, by this call or an earlier one: a wallet may be asked to pay it. */
  | { outcome: 'reserved' };

/**
 * Keeps packets of one rain for the users who won them, before anybody outside of the book is asked to pay: a wallet
 * elsewhere has no unique keys of ours. What is reserved stays so, as it may have been paid at any time since [R2][R5].
 *
 * @returns one outcome per claim, in order
 * @throws when the database refuses (no such rain, beyond its budget) or cannot be reached; then nothing was reserved,
 * unless the answer to the commit was lost
 */
export async function reserve(database: Database, claims: readonly Claim[]): Promise<Reserving[]> {
  const [first] = claims;
  if (!first) return [];
  const rows = toRows(claims);
  return database.$transaction(async (book) => {
    await keep(book, first.rainId, rows);
    const credited = classifyConflict(await readTransfers(book, first.rainId, rows));
    const reserved = classifyConflict(await readReservations(book, first.rainId, rows));
    return rows.map((row) => {
      const inBook = credited(row);
      if (inBook) return inBook.outcome === 'already' ? { outcome: 'credited' } : inBook;
      const kept = reserved(row);
      if (!kept) throw new Error(`a claim of rain ${first.rainId} was not reserved, and nothing stands in its place`);
      return kept.outcome === 'already' ? { outcome: 'reserved' } : kept;
    });
  });
}

/**
 * The unique keys decide. The rain's sum comes last: it is the one row that all batches of a rain want. Its budget only grows, by
 * top-ups, so that the greatest one that was ever read is the one that counts.
 */
async function keep(book: Transaction, rainId: string, rows: readonly ClaimRow[]): Promise<void> {
  const sorted = inOrderWon(rows);
  await book.$executeRaw`
    WITH claimed AS (
      SELECT * FROM unnest(${sorted.map((row) => row.redPacketId)}::text[], ${sorted.map((row) => row.userId)}::text[],
        ${sorted.map((row) => row.amountCents)}::bigint[]) WITH ORDINALITY AS claimed ("redPacketId", "userId", "amountCents", "place")
    ), reserved AS (
      INSERT INTO "Reservation" ("redPacketId", "rainId", "userId", "amountCents")
      SELECT "redPacketId", ${rainId}, "userId", "amountCents" FROM claimed
      WHERE NOT EXISTS (SELECT FROM "Transfer" WHERE "Transfer"."redPacketId" = claimed."redPacketId")
        AND NOT EXISTS (SELECT FROM "Transfer" WHERE "Transfer"."rainId" = ${rainId} AND "Transfer"."userId" = claimed."userId")
      ORDER BY "place"
      ON CONFLICT DO NOTHING
      RETURNING "amountCents"
    )
    INSERT INTO "ReservedBudget" AS kept ("rainId", "budgetCents", "reservedCents")
    SELECT "id", "budgetCents", (SELECT sum("amountCents") FROM reserved) FROM "Rain"
    WHERE "id" = ${rainId} AND (SELECT count(*) FROM reserved) > 0
    ON CONFLICT ("rainId") DO UPDATE SET "reservedCents" = kept."reservedCents" + excluded."reservedCents",
      "budgetCents" = greatest(kept."budgetCents", excluded."budgetCents")`;
}

/**
 * Money that goes back leaves less for wallets outside to be asked for. The database refuses when more was reserved than would
 * be left: then a wallet may have been paid out of what is about to go back.
 */
export async function withdraw(book: Transaction, rainId: string, cents: Cents): Promise<void> {
  await book.$executeRaw`
    INSERT INTO "ReservedBudget" AS kept ("rainId", "budgetCents", "reservedCents")
    SELECT "id", "budgetCents", ${cents}::bigint FROM "Rain" WHERE "id" = ${rainId}
    ON CONFLICT ("rainId") DO UPDATE SET "reservedCents" = kept."reservedCents" + excluded."reservedCents",
      "budgetCents" = greatest(kept."budgetCents", excluded."budgetCents")`;
}

/** A second statement, since a batch that was reserved at the same time is not seen by the first one. */
function readReservations(book: Transaction, rainId: string, rows: readonly ClaimRow[]): Promise<ExistingPostingRow[]> {
  return book.$queryRaw`
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM "Reservation"
    WHERE "redPacketId" = ANY (${rows.map((row) => row.redPacketId)}::text[])
    UNION
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM "Reservation"
    WHERE "rainId" = ${rainId} AND "userId" = ANY (${rows.map((row) => row.userId)}::text[])`;
}
