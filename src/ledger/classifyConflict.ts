import type { Claim } from '../rain/claim.ts';
import { parseMoney, type Cents } from '../rain/money.ts';

/** Who has which packet, as it stands in the book. */
export interface ExistingPosting {
  rainId: string;
  redPacketId: string;
  userId: string;
  amountCents: Cents;
}

/** As the book has it; without a user it is the money of a discarded claim, gone back. */
export type ExistingPostingRow = Omit<ExistingPosting, 'userId'> & { userId: string | null };

/** What stands in the way of a claim, in order of precedence. */
export type Conflict =
  /** The packet's money went back to the operator: he has discarded this claim, or another one to the same packet. */
  | { outcome: 'discarded'; amountCents: Cents }
  /** This user's packet stands, with another amount. */
  | { outcome: 'amount_differs'; existing: ExistingPosting }
  /** The packet is another user's, or the user has another packet of this rain: after a failover it was handed out again. */
  | { outcome: 'told_twice'; existing: ExistingPosting };

/** `already`: this very claim stands. */
export type ConflictClass = { outcome: 'already' } | Conflict;

export type ClaimRow = ExistingPosting & { at: string };

/** @throws TypeError when they are of several rains, or one has no amount: a mistake of the caller */
export function toRows(claims: readonly Claim[]): ClaimRow[] {
  return claims.map(({ rainId, redPacketId, userId, amount, at }) => {
    const amountCents = parseMoney(amount);
    if (amountCents === undefined) throw new TypeError('a claim without an amount');
    if (rainId !== claims[0]!.rainId) throw new TypeError('claims of several rains in one posting');
    return { rainId, redPacketId, userId, amountCents, at };
  });
}

/**
 * In the order in which they were won. So of two claims to one packet in one batch the first won stands, and two batches
 * that hold the same claims meet the same keys in the same order and wait for each other instead of deadlocking.
 */
export function inOrderWon(rows: readonly ClaimRow[]): ClaimRow[] {
  return rows.toSorted((a, b) => order(a.at, b.at) || order(a.redPacketId, b.redPacketId));
}

/**
 * @param existing what stands for any packet or user of these rows
 * @returns what that means for one of the rows; `undefined`: nothing stands in its place
 */
export function classifyConflict(existing: readonly ExistingPostingRow[]): (row: ClaimRow) => ConflictClass | undefined {
  const byPacket = new Map(existing.map((found) => [found.redPacketId, found]));
  const byUser = new Map(existing.filter(isCredit).map((found) => [ofUser(found), found]));
  return (row) => {
    const found = byPacket.get(row.redPacketId) ?? byUser.get(ofUser(row));
    if (!found) return undefined;
    if (!isCredit(found)) return { outcome: 'discarded', amountCents: found.amountCents };
    if (found.rainId !== row.rainId || found.redPacketId !== row.redPacketId || found.userId !== row.userId) return { outcome: 'told_twice', existing: found };
    return found.amountCents === row.amountCents ? { outcome: 'already' } : { outcome: 'amount_differs', existing: found };
  };
}

function isCredit(row: ExistingPostingRow): row is ExistingPosting {
  return row.userId !== null;
}

/** No id of a rain holds a slash. */
function ofUser({ rainId, userId }: ExistingPosting): string {
  return `${rainId}/${userId}`;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
