import type { Claim } from '../rain/claim.ts';
import { parseMoney, type Cents } from '../rain/money.ts';

/** Who has which packet, as it stands in the book. */
export interface Standing {
  rainId: string;
  redPacketId: string;
  userId: string;
  amountCents: Cents;
}

/** As the book has it; without a user it is the money of a discarded claim, gone back. */
export type StandingRow = Omit<Standing, 'userId'> & { userId: string | null };

/** What stands in the way of a claim, in order of precedence. */
export type Turned =
  /** The packet's money went back to the operator: he has discarded this claim, or another one to the same packet. */
  | { outcome: 'discarded'; amountCents: Cents }
  /** This user's packet stands, with another amount. */
  | { outcome: 'amount_differs'; standing: Standing }
  /** The packet is another user's, or the user has another packet of this rain: after a failover it was handed out again. */
  | { outcome: 'promised_twice'; standing: Standing };

/** `already`: this very claim stands. */
export type Judgement = { outcome: 'already' } | Turned;

export type ClaimRow = Standing & { at: string };

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
 * @param standing what stands for any packet or user of these rows
 * @returns what that means for one of the rows; `undefined`: nothing stands in its place
 */
export function judge(standing: readonly StandingRow[]): (row: ClaimRow) => Judgement | undefined {
  const byPacket = new Map(standing.map((found) => [found.redPacketId, found]));
  const byUser = new Map(standing.filter(isCredit).map((found) => [ofUser(found), found]));
  return (row) => {
    const found = byPacket.get(row.redPacketId) ?? byUser.get(ofUser(row));
    if (!found) return undefined;
    if (!isCredit(found)) return { outcome: 'discarded', amountCents: found.amountCents };
    if (found.rainId !== row.rainId || found.redPacketId !== row.redPacketId || found.userId !== row.userId) return { outcome: 'promised_twice', standing: found };
    return found.amountCents === row.amountCents ? { outcome: 'already' } : { outcome: 'amount_differs', standing: found };
  };
}

function isCredit(row: StandingRow): row is Standing {
  return row.userId !== null;
}

/** No id of a rain holds a slash. */
function ofUser({ rainId, userId }: Standing): string {
  return `${rainId}/${userId}`;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
