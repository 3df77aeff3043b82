import type { Claim } from '../rain/claim.ts';
import { sideOf } from './accounts.ts';
import type { Database, Transaction } from './database.ts';
import { inOrderWon, classifyConflict, toRows, type ClaimRow, type ConflictClass, type ExistingPosting, type ExistingPostingRow } from './classifyConflict.ts';

/** What became of one claim, in order of precedence. Only `posted` has moved money; `already` was posted before [R5]. */
export type Posting = { outcome: 'posted' } | ConflictClass;

/**
 * Posts claims of one rain to their users' accounts, each exactly once however often and in whatever company it is
 * delivered [R5]. All of them or none: one transaction, one statement however many claims.
 *
 * @returns one posting per claim, in order
 * @throws when the database refuses or cannot be reached; then nothing was posted, unless the answer to the commit was lost
 */
export async function credit(database: Database, claims: readonly Claim[]): Promise<Posting[]> {
  const [first] = claims;
  if (!first) return [];
  const rows = toRows(claims);
  return database.$transaction(async (book) => {
    const posted = new Map((await post(book, first.rainId, rows)).map((row) => [row.redPacketId, row]));
    const judged = classifyConflict(posted.size === rows.length ? [] : await readTransfers(book, first.rainId, rows));
    return rows.map((row) => {
      const fresh = posted.get(row.redPacketId);
      if (fresh?.userId === row.userId && fresh.amountCents === row.amountCents) {
        posted.delete(row.redPacketId); // The same claim a second time in this batch is `already`.
        return { outcome: 'posted' };
      }
      const posting = judged(row);
      // Never told as anything it is not: thrown inside the transaction, so that what else was posted is undone with it.
      if (!posting) throw new Error(`a claim of rain ${first.rainId} was turned away, and nothing stands in its place`);
      return posting;
    });
  });
}

/**
 * The unique keys decide; what they turn away is not in the answer.
 *
 * Claims go in in the order in which they were won, see `inOrderWon`. The users' accounts follow in order of their ids, the
 * rain's account comes last: it is the one row that all batches of a rain want, and it is held for the shortest time this way.
 */
async function post(book: Transaction, rainId: string, rows: readonly ClaimRow[]): Promise<Pick<ExistingPosting, 'redPacketId' | 'userId' | 'amountCents'>[]> {
  const sorted = inOrderWon(rows);
  return book.$queryRaw`
    WITH claimed AS (
      SELECT * FROM unnest(${sorted.map((row) => row.redPacketId)}::text[], ${sorted.map((row) => row.userId)}::text[],
        ${sorted.map((row) => row.amountCents)}::bigint[]) WITH ORDINALITY AS claimed ("redPacketId", "userId", "amountCents", "place")
    ), side AS (
      SELECT CASE WHEN EXISTS (SELECT FROM "Rain" WHERE "id" = ${rainId} AND "rehearsal") THEN ${sideOf(true)} ELSE '' END AS "prefix"
    ), posted AS (
      INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
      SELECT 'credit:' || "redPacketId", 'credit', "prefix" || 'rain:' || ${rainId}, "prefix" || 'user:' || "userId", "amountCents", ${rainId}, "redPacketId", "userId"
      FROM claimed, side ORDER BY "place"
      ON CONFLICT DO NOTHING
      RETURNING "redPacketId", "userId", "creditAccountId", "amountCents"
    ), users AS (
      INSERT INTO "Account" AS account ("id", "kind", "balanceCents")
      SELECT "creditAccountId", 'user', sum("amountCents") FROM posted GROUP BY "creditAccountId" ORDER BY "creditAccountId"
      ON CONFLICT ("id") DO UPDATE SET "balanceCents" = account."balanceCents" + excluded."balanceCents"
    ), rain AS (
      UPDATE "Account" SET "balanceCents" = "balanceCents" - (SELECT sum("amountCents") FROM posted)
      WHERE "id" = (SELECT "prefix" FROM side) || 'rain:' || ${rainId} AND (SELECT count(*) FROM posted) > 0
    )
    SELECT "redPacketId", "userId", "amountCents" FROM posted`;
}

/**
 * What stands for any of these packets or users, a credit or the recycle of a discarded claim. A second statement, since a
 * batch that was posted at the same time is not seen by the first one.
 */
export function readTransfers(book: Transaction, rainId: string, rows: readonly ClaimRow[]): Promise<ExistingPostingRow[]> {
  return book.$queryRaw`
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM "Transfer"
    WHERE "redPacketId" = ANY (${rows.map((row) => row.redPacketId)}::text[])
    UNION
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM "Transfer"
    WHERE "rainId" = ${rainId} AND "userId" = ANY (${rows.map((row) => row.userId)}::text[])`;
}
