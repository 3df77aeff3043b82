import type { BookedDiscard } from '../../ledger/discard.ts';
import { parseClaim } from '../../rain/claim.ts';
import type { Cents } from '../../rain/money.ts';
import { bookOf, type OperatorContext } from '../context.ts';
import type { Acknowledged } from './findings.ts';

export interface Posted {
  userId: string;
  cents: Cents;
}

/** What the ledger holds about a rain's packets. */
export interface Booked {
  /** redPacketId → its credit. */
  credits: Map<string, Posted>;
  /** userId → the packet credited to the user. */
  packetOf: Map<string, string>;
  /** redPacketId → the amount that went back when its claim was discarded. */
  discards: Map<string, Cents>;
  /** Discarded claims, by the id of the dead letter. */
  acknowledged: Map<string, Acknowledged>;
  /** Unclaimed money that went back at the settlement. */
  recycledCents: Cents;
  problems: string[];
}

/**
 * A packet is credited or discarded, never both. One that is credited or discarded during this read may count as not yet
 * credited.
 */
export async function readBooked(context: OperatorContext, rainId: string): Promise<Booked> {
  const credits = await readCredits(context, rainId);
  const { recycledCents, discarded } = await bookOf(context, rainId);
  const booked: Booked = { credits, packetOf: new Map(), discards: new Map(), acknowledged: new Map(), recycledCents, problems: [] };
  for (const [redPacketId, { userId }] of credits) booked.packetOf.set(userId, redPacketId);
  let returnedTotalCents = 0n;
  for await (const { letterId, deadReason, reason, actor, at, returned } of readDiscards(context, rainId)) {
    booked.acknowledged.set(letterId, { letterId, deadReason, reason, actor, at, ...(returned && { returned }) });
    if (!returned) continue;
    booked.discards.set(returned.redPacketId, returned.amountCents);
    returnedTotalCents += returned.amountCents;
  }
  if (returnedTotalCents < discarded.cents) booked.problems.push('money of single packets went back, and no discard explains it');
  return booked;
}

/** redPacketId → its credit in the ledger. */
export async function readCredits(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<Map<string, Posted>> {
  const credits = new Map<string, Posted>();
  for (let after: string | undefined; ;) {
    const page = await context.ledger.credits(rainId, after);
    for (const { redPacketId, userId, amountCents } of page) credits.set(redPacketId, { userId, cents: amountCents });
    after = page.at(-1)?.userId;
    if (after === undefined) return credits;
  }
}

/** Whether the ledger has credited this entry of the claim log: this packet, to this user. */
export function isCredited(entry: string, credits: ReadonlyMap<string, Posted>): boolean {
  const parsed = parseClaim(entry);
  return parsed.ok && credits.get(parsed.claim.redPacketId)?.userId === parsed.claim.userId;
}

/** All discards of a rain, ordered by dead letter id. */
export async function* readDiscards(context: Pick<OperatorContext, 'ledger'>, rainId: string): AsyncGenerator<BookedDiscard> {
  for (let after: string | undefined; ;) {
    const page = await context.ledger.discards(rainId, after);
    yield* page;
    after = page.at(-1)?.letterId;
    if (after === undefined) return;
  }
}
