import type { BookedDiscard } from '../../ledger/discard.ts';
import { parseClaim } from '../../rain/claim.ts';
import type { Cents } from '../../rain/money.ts';
import { bookOf, type OperatorContext } from '../context.ts';
import type { Acknowledged } from './findings.ts';

export interface Posted {
  userId: string;
  cents: Cents;
}

/** What the book knows of a rain's packets. */
export interface Booked {
  /** redPacketId → its credit. */
  credits: Map<string, Posted>;
  /** userId → the packet he was credited with. */
  packetOf: Map<string, string>;
  /** redPacketId → what went back when its claim was discarded. */
  discards: Map<string, Cents>;
  /** What was discarded, by its letter. */
  resting: Map<string, Acknowledged>;
  /** What nobody had won, given back at the settlement. */
  recycledCents: Cents;
  problems: string[];
}

/** A packet is credited or discarded, never both; one that becomes so while this is read counts as not yet credited. */
export async function readBooked(context: OperatorContext, rainId: string): Promise<Booked> {
  const credits = await readCredits(context, rainId);
  const { recycledCents, discarded } = await bookOf(context, rainId);
  const booked: Booked = { credits, packetOf: new Map(), discards: new Map(), resting: new Map(), recycledCents, problems: [] };
  for (const [redPacketId, { userId }] of credits) booked.packetOf.set(userId, redPacketId);
  let returnedCents = 0n;
  for await (const { letterId, deadReason, reason, actor, at, returned } of readDiscards(context, rainId)) {
    booked.resting.set(letterId, { letterId, deadReason, reason, actor, at, ...(returned && { returned }) });
    if (!returned) continue;
    booked.discards.set(returned.redPacketId, returned.amountCents);
    returnedCents += returned.amountCents;
  }
  if (returnedCents < discarded.cents) booked.problems.push('money went back packet by packet, and nobody has discarded them');
  return booked;
}

/** redPacketId → its credit in the book. */
export async function readCredits(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<Map<string, Posted>> {
  const credits = new Map<string, Posted>();
  for (let after: string | undefined; ;) {
    const page = await context.ledger.credits(rainId, after);
    for (const { redPacketId, userId, amountCents } of page) credits.set(redPacketId, { userId, cents: amountCents });
    after = page.at(-1)?.userId;
    if (after === undefined) return credits;
  }
}

/** Whether this entry of the claim log is in the book: this packet, for this user. */
export function isCredited(entry: string, credits: ReadonlyMap<string, Posted>): boolean {
  const parsed = parseClaim(entry);
  return parsed.ok && credits.get(parsed.claim.redPacketId)?.userId === parsed.claim.userId;
}

/** Everything that was discarded of a rain, ordered by letter. */
export async function* readDiscards(context: Pick<OperatorContext, 'ledger'>, rainId: string): AsyncGenerator<BookedDiscard> {
  for (let after: string | undefined; ;) {
    const page = await context.ledger.discards(rainId, after);
    yield* page;
    after = page.at(-1)?.letterId;
    if (after === undefined) return;
  }
}
