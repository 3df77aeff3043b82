import type { Claim } from '../rain/claim.ts';
import type { Cents } from '../rain/money.ts';
import type { Database, Transaction } from './database.ts';
import { Prisma } from './generated/client.ts';
import {
  classifyConflict,
  inOrderWon,
  readExisting,
  toRows,
  type ClaimRow,
  type Conflict,
} from './classifyConflict.ts';

/** The outcome of one claim, in order of precedence. */
type Reserving =
  /** It is in the ledger already: no wallet needs to be asked. */
  | { outcome: 'credited' }
  | Conflict
  /** This packet is reserved for this user, by this call or an earlier one: a wallet may be asked to pay it. */
  | { outcome: 'reserved' };

/**
 * Reserves packets of one rain for the users who won them, before an external wallet is asked to pay: that wallet does
 * not have our unique keys. A reservation is permanent, as it may have been paid at any time since [R2][R5].
 * @returns one outcome per claim, in order
 * @throws when the database refuses (no such rain, beyond its budget) or cannot be reached; then nothing was
 *   reserved, unless the answer to the commit was lost
 */
export async function reserve(database: Database, claims: readonly Claim[]): Promise<Reserving[]> {
  const [first] = claims;
  if (!first) return [];
  const rows = toRows(claims);
  return database.$transaction(async (transaction) => {
    await insertReservations(transaction, first.rainId, rows);
    const credited = classifyConflict(await readExisting(transaction, 'Transfer', first.rainId, rows));
    const reserved = classifyConflict(await readExisting(transaction, 'Reservation', first.rainId, rows));
    return rows.map((row) => {
      const inBook = credited(row);
      if (inBook) return inBook.outcome === 'already' ? { outcome: 'credited' } : inBook;
      const reservation = reserved(row);
      if (!reservation)
        throw new Error(`a claim of rain ${first.rainId} was not reserved, but no conflicting reservation exists`);
      return reservation.outcome === 'already' ? { outcome: 'reserved' } : reservation;
    });
  });
}

/** A rain's budget only grows, by top-ups, so the greatest value read so far is valid. */
const ADD_TO_RESERVED = Prisma.sql`
    ON CONFLICT ("rainId") DO UPDATE SET "reservedCents" = kept."reservedCents" + excluded."reservedCents",
      "budgetCents" = greatest(kept."budgetCents", excluded."budgetCents")`;

/** Inserts the reservations; the unique keys decide. The rain's sum comes last: all batches of a rain want this row. */
async function insertReservations(transaction: Transaction, rainId: string, rows: readonly ClaimRow[]): Promise<void> {
  await transaction.$executeRaw`
    WITH claimed AS (${inOrderWon(rows)}), reserved AS (
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
    WHERE "id" = ${rainId} AND (SELECT count(*) FROM reserved) > 0 ${ADD_TO_RESERVED}`;
}

/**
 * Takes money that goes back out of what external wallets may be asked to pay. The database refuses when more is
 * reserved than would be left: then a wallet may have been paid from this money.
 */
export async function withdraw(transaction: Transaction, rainId: string, cents: Cents): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO "ReservedBudget" AS kept ("rainId", "budgetCents", "reservedCents")
    SELECT "id", "budgetCents", ${cents}::bigint FROM "Rain" WHERE "id" = ${rainId} ${ADD_TO_RESERVED}`;
}
