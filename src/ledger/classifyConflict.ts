import type { Claim } from '../rain/claim.ts';
import { parseMoney, type Cents } from '../rain/money.ts';
import type { Transaction } from './database.ts';
import { Prisma } from './generated/client.ts';

/** A posting in the ledger: which user has which packet. */
export interface ExistingPosting {
  rainId: string;
  redPacketId: string;
  userId: string;
  amountCents: Cents;
}

/** A row of the ledger; without a user it is the money of a discarded claim that went back. */
type ExistingPostingRow = Omit<ExistingPosting, 'userId'> & { userId: string | null };

/** Why a claim cannot be posted, in order of precedence. */
export type Conflict =
  /** The packet's money went back to the operator, who discarded this claim or another one to the same packet. */
  | { outcome: 'discarded'; amountCents: Cents }
  /** This user already has this packet, with another amount. */
  | { outcome: 'amount_differs'; existing: ExistingPosting }
  /**
   * The packet belongs to another user, or the user has another packet of this rain: it was handed out again after a
   * failover.
   */
  | { outcome: 'told_twice'; existing: ExistingPosting };

/** `already`: exactly this claim is posted. */
export type ConflictClass = { outcome: 'already' } | Conflict;

export type ClaimRow = ExistingPosting & { at: string };

/** @throws TypeError when the claims are of several rains, or one has no amount: an error of the caller */
export function toRows(claims: readonly Claim[]): ClaimRow[] {
  return claims.map(({ rainId, redPacketId, userId, amount, at }) => {
    const amountCents = parseMoney(amount);
    if (amountCents === undefined) throw new TypeError('a claim without an amount');
    if (rainId !== claims[0]!.rainId) throw new TypeError('claims of several rains in one posting');
    return { rainId, redPacketId, userId, amountCents, at };
  });
}

/**
 * The rows as a query, to be inserted in the order of "place", in which they were won. If one batch has two claims to
 * one packet, the first one wins. Two batches with the same claims take the same keys in the same order and wait for
 * each other instead of deadlocking.
 */
export function inOrderWon(rows: readonly ClaimRow[]): Prisma.Sql {
  const sorted = rows.toSorted((a, b) => order(a.at, b.at) || order(a.redPacketId, b.redPacketId));
  return Prisma.sql`
      SELECT * FROM unnest(${sorted.map((row) => row.redPacketId)}::text[], ${sorted.map((row) => row.userId)}::text[],
        ${sorted.map((row) => row.amountCents)}::bigint[]) WITH ORDINALITY AS claimed ("redPacketId", "userId", "amountCents", "place")`;
}

/**
 * All rows of these packets or users: credits and discarded claims, or reservations. It has to be a statement of its
 * own: the inserting one does not see a batch that was posted at the same time.
 */
export function readExisting(
  transaction: Transaction,
  table: 'Transfer' | 'Reservation',
  rainId: string,
  rows: readonly ClaimRow[],
): Promise<ExistingPostingRow[]> {
  const from = Prisma.raw(`"${table}"`);
  return transaction.$queryRaw`
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM ${from}
    WHERE "redPacketId" = ANY (${rows.map((row) => row.redPacketId)}::text[])
    UNION
    SELECT "rainId", "redPacketId", "userId", "amountCents" FROM ${from}
    WHERE "rainId" = ${rainId} AND "userId" = ANY (${rows.map((row) => row.userId)}::text[])`;
}

/** Finds the conflict of a row. @param existing postings of any packet or user of these rows */
export function classifyConflict(
  existing: readonly ExistingPostingRow[],
): (row: ClaimRow) => ConflictClass | undefined {
  const byPacket = new Map(existing.map((found) => [found.redPacketId, found]));
  const byUser = new Map(existing.filter(isCredit).map((found) => [ofUser(found), found]));
  return (row) => {
    const found = byPacket.get(row.redPacketId) ?? byUser.get(ofUser(row));
    if (!found) return undefined;
    if (!isCredit(found)) return { outcome: 'discarded', amountCents: found.amountCents };
    if (found.rainId !== row.rainId || found.redPacketId !== row.redPacketId || found.userId !== row.userId)
      return { outcome: 'told_twice', existing: found };
    return found.amountCents === row.amountCents
      ? { outcome: 'already' }
      : { outcome: 'amount_differs', existing: found };
  };
}

function isCredit(row: ExistingPostingRow): row is ExistingPosting {
  return row.userId !== null;
}

/** A rain id never contains a slash. */
function ofUser({ rainId, userId }: ExistingPosting): string {
  return `${rainId}/${userId}`;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
