import type { Claim } from '../rain/claim.ts';
import { accountPrefix } from './accounts.ts';
import type { Database, Transaction } from './database.ts';
import {
  classifyConflict,
  inOrderWon,
  readExisting,
  toRows,
  type ClaimRow,
  type ConflictClass,
  type ExistingPosting,
} from './classifyConflict.ts';

/** The outcome of one claim, in order of precedence. Only `posted` moved money; `already` was posted before [R5]. */
export type Posting = { outcome: 'posted' } | ConflictClass;

/**
 * Posts claims of one rain to their users' accounts, each exactly once, however often it is delivered and in whatever
 * batch [R5]. All of them or none: one transaction, one statement for any number of claims.
 * @returns one posting per claim, in order
 * @throws when the database refuses or cannot be reached; then nothing was posted, unless the answer to the commit
 *   was lost
 */
export async function credit(database: Database, claims: readonly Claim[]): Promise<Posting[]> {
  const [first] = claims;
  if (!first) return [];
  const rows = toRows(claims);
  return database.$transaction(async (transaction) => {
    const posted = new Map((await post(transaction, first.rainId, rows)).map((row) => [row.redPacketId, row]));
    const conflictOf = classifyConflict(
      posted.size === rows.length ? [] : await readExisting(transaction, 'Transfer', first.rainId, rows),
    );
    return rows.map((row) => {
      const fresh = posted.get(row.redPacketId);
      if (fresh?.userId === row.userId && fresh.amountCents === row.amountCents) {
        posted.delete(row.redPacketId); // The same claim a second time in this batch is `already`.
        return { outcome: 'posted' };
      }
      const posting = conflictOf(row);
      // Throw inside the transaction, so that the other claims of this batch are rolled back too.
      if (!posting) throw new Error(`a claim of rain ${first.rainId} was rejected, but no conflicting posting exists`);
      return posting;
    });
  });
}

/**
 * Inserts the transfers, from which the database updates the balances. The unique keys decide; rejected claims are not
 * in the result.
 */
async function post(
  transaction: Transaction,
  rainId: string,
  rows: readonly ClaimRow[],
): Promise<Pick<ExistingPosting, 'redPacketId' | 'userId' | 'amountCents'>[]> {
  return transaction.$queryRaw`
    WITH claimed AS (${inOrderWon(rows)}), rain AS (
      SELECT coalesce(bool_or("rehearsal"), false) AS "rehearsal", coalesce(max("accounts"), 1) AS "accounts" FROM "Rain" WHERE "id" = ${rainId}
    )
    INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
    SELECT 'credit:' || "redPacketId", 'credit', packet_account(${rainId}, "rehearsal", "accounts", "redPacketId"),
      CASE WHEN "rehearsal" THEN ${accountPrefix(true)} ELSE '' END || 'user:' || "userId", "amountCents", ${rainId}, "redPacketId", "userId"
    FROM claimed, rain ORDER BY "place"
    ON CONFLICT DO NOTHING
    RETURNING "redPacketId", "userId", "amountCents"`;
}
