import type { Claim } from '../rain/claim.ts';
import { parseMoney, type Cents } from '../rain/money.ts';
import { rainAccount } from './accounts.ts';
import type { Database, Transaction } from './database.ts';

/** A credit that stands in the book. */
export interface Standing {
  rainId: string;
  redPacketId: string;
  userId: string;
  amountCents: Cents;
}

/** What became of one claim, in order of precedence. Only `posted` has moved money. */
export type Posting =
  | { outcome: 'posted' }
  /** This very claim was posted before [R5]. */
  | { outcome: 'already' }
  /** The packet's money went back to the operator: he has discarded this claim, or another one to the same packet. */
  | { outcome: 'discarded'; amountCents: Cents }
  /** This user's credit for this packet stands, with another amount. */
  | { outcome: 'amount_differs'; standing: Standing }
  /** The packet is another user's, or the user has another packet of this rain: after a failover it was handed out again. */
  | { outcome: 'promised_twice'; standing: Standing };

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
  if (claims.some(({ rainId }) => rainId !== first.rainId)) throw new TypeError('claims of several rains in one posting');
  const rows = claims.map(toRow);
  return database.$transaction(async (book) => {
    const posted = new Map((await post(book, first.rainId, rows)).map((row) => [row.redPacketId, row]));
    const standing = posted.size === rows.length ? [] : await readStanding(book, first.rainId, rows);
    return judge(first.rainId, rows, posted, standing);
  });
}

type Row = Standing & { at: string };

function toRow({ rainId, redPacketId, userId, amount, at }: Claim): Row {
  const amountCents = parseMoney(amount);
  if (amountCents === undefined) throw new TypeError('a claim without an amount');
  return { rainId, redPacketId, userId, amountCents, at };
}

/**
 * The unique keys decide; what they turn away is not in the answer.
 *
 * Claims go in in the order in which they were won. So of two claims to one packet in one batch the first won stands, and
 * two batches that hold the same claims meet the same keys in the same order and wait for each other instead of deadlocking.
 * The users' accounts follow in order of their ids, the rain's account comes last: it is the one row that all batches of a
 * rain want, and it is held for the shortest time this way.
 */
async function post(book: Transaction, rainId: string, rows: readonly Row[]): Promise<Pick<Standing, 'redPacketId' | 'userId' | 'amountCents'>[]> {
  const sorted = rows.toSorted((a, b) => order(a.at, b.at) || order(a.redPacketId, b.redPacketId));
  return book.$queryRaw`
    WITH claimed AS (
      SELECT * FROM unnest(${sorted.map((row) => row.redPacketId)}::text[], ${sorted.map((row) => row.userId)}::text[],
        ${sorted.map((row) => row.amountCents)}::bigint[]) WITH ORDINALITY AS claimed ("redPacketId", "userId", "amountCents", "place")
    ), posted AS (
      INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
      SELECT 'credit:' || "redPacketId", 'credit', ${rainAccount(rainId)}, 'user:' || "userId", "amountCents", ${rainId}, "redPacketId", "userId"
      FROM claimed ORDER BY "place"
      ON CONFLICT DO NOTHING
      RETURNING "redPacketId", "userId", "creditAccountId", "amountCents"
    ), users AS (
      INSERT INTO "Account" AS account ("id", "kind", "balanceCents")
      SELECT "creditAccountId", 'user', sum("amountCents") FROM posted GROUP BY "creditAccountId" ORDER BY "creditAccountId"
      ON CONFLICT ("id") DO UPDATE SET "balanceCents" = account."balanceCents" + excluded."balanceCents"
    ), rain AS (
      UPDATE "Account" SET "balanceCents" = "balanceCents" - (SELECT sum("amountCents") FROM posted)
      WHERE "id" = ${rainAccount(rainId)} AND (SELECT count(*) FROM posted) > 0
    )
    SELECT "redPacketId", "userId", "amountCents" FROM posted`;
}

/** Of what stands in a claim's place; without a user it is the recycle of a discarded claim. */
type StandingRow = Omit<Standing, 'userId'> & { userId: string | null };

/** A second statement, since a batch that was posted at the same time is not seen by the first one. */
function readStanding(book: Transaction, rainId: string, rows: readonly Row[]): Promise<StandingRow[]> {
  return book.$queryRaw`
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM "Transfer"
    WHERE "redPacketId" = ANY (${rows.map((row) => row.redPacketId)}::text[])
    UNION
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM "Transfer"
    WHERE "rainId" = ${rainId} AND "userId" = ANY (${rows.map((row) => row.userId)}::text[])`;
}

function judge(rainId: string, rows: readonly Row[], posted: Map<string, Pick<Standing, 'userId' | 'amountCents'>>, standing: readonly StandingRow[]): Posting[] {
  const byPacket = new Map(standing.map((row) => [row.redPacketId, row]));
  const byUser = new Map(standing.filter((row) => row.rainId === rainId).map((row) => [row.userId, row]));
  return rows.map((row) => {
    const fresh = posted.get(row.redPacketId);
    if (fresh?.userId === row.userId && fresh.amountCents === row.amountCents) {
      posted.delete(row.redPacketId); // The same claim a second time in this batch is `already`.
      return { outcome: 'posted' };
    }
    const found = byPacket.get(row.redPacketId) ?? byUser.get(row.userId);
    // Never told as anything it is not: thrown inside the transaction, so that what else was posted is undone with it.
    if (!found) throw new Error(`a claim of rain ${rainId} was turned away, and nothing stands in its place`);
    if (!isCredit(found)) return { outcome: 'discarded', amountCents: found.amountCents };
    if (found.rainId !== rainId || found.redPacketId !== row.redPacketId || found.userId !== row.userId) return { outcome: 'promised_twice', standing: found };
    return found.amountCents === row.amountCents ? { outcome: 'already' } : { outcome: 'amount_differs', standing: found };
  });
}

function isCredit(row: StandingRow): row is Standing {
  return row.userId !== null;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
