import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import type { BookedDiscard } from '../../ledger/discard.ts';
import { parseClaim } from '../../rain/claim.ts';
import type { Cents } from '../../rain/money.ts';
import { bookOf, type OperatorContext } from '../context.ts';
import type { Acknowledged } from './findings.ts';

interface Posted {
  userId: string;
  cents: Cents;
}

/** The ledger's entries about a rain's packets, with every user: some 0.4 KB a credit. */
export interface Booked extends Returned {
  /** redPacketId → its credit. */
  credits: Map<string, Posted>;
  /** userId → the packet credited to the user. */
  packetOf: Map<string, string>;
}

/** The money that went back to the operator, and why. */
export interface Returned {
  /** redPacketId → the amount that went back when its claim was discarded. */
  discards: Map<string, Cents>;
  /** Discarded claims, by the id of the dead letter. */
  acknowledged: Map<string, Acknowledged>;
  /** Unclaimed money that went back at the settlement. */
  recycledCents: Cents;
  /** Entries that nothing in the ledger explains. */
  problems: string[];
}

/** A packet is credited or discarded, never both. One that changes during this read may count as not yet credited. */
export async function readBooked(context: OperatorContext, rainId: string): Promise<Booked> {
  const credits = await readCredits(context, rainId);
  const packetOf = new Map([...credits].map(([redPacketId, { userId }]) => [userId, redPacketId]));
  return { credits, packetOf, ...(await readReturned(context, rainId)) };
}

/** After the credits: what is credited meanwhile is not discarded. */
export async function readReturned(context: OperatorContext, rainId: string): Promise<Returned> {
  const { recycledCents, discarded } = await bookOf(context, rainId);
  const booked: Returned = { discards: new Map(), acknowledged: new Map(), recycledCents, problems: [] };
  let returnedTotalCents = 0n;
  for await (const page of discardPages(context, rainId)) {
    for (const { rainId: _, entry: __, ...acknowledged } of page) {
      const { letterId, returned } = acknowledged;
      booked.acknowledged.set(letterId, acknowledged);
      if (!returned) continue;
      booked.discards.set(returned.redPacketId, returned.amountCents);
      returnedTotalCents += returned.amountCents;
    }
  }
  if (returnedTotalCents < discarded.cents)
    booked.problems.push('money of single packets went back, and no discard explains it');
  return booked;
}

/** redPacketId → its credit in the ledger. For a rain of a million winners see `creditPages`. */
export async function readCredits(
  context: Pick<OperatorContext, 'ledger'>,
  rainId: string,
): Promise<Map<string, Posted>> {
  const credits = new Map<string, Posted>();
  for await (const page of creditPages(context, rainId)) {
    for (const { redPacketId, userId, amountCents } of page) credits.set(redPacketId, { userId, cents: amountCents });
  }
  return credits;
}

/** All credits of a rain, ordered by user. */
export function creditPages(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rainId: string,
): AsyncGenerator<BookedCredit[]> {
  return pages(
    (after) => ledger.credits(rainId, after),
    ({ userId }) => userId,
  );
}

/** All discards of a rain or sale, ordered by dead letter id. */
export function discardPages(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rainId: string,
): AsyncGenerator<BookedDiscard[]> {
  return pages(
    (after) => ledger.discards(rainId, after),
    ({ letterId }) => letterId,
  );
}

/** @param keyOf the key in the last row from which `read` reads the next page */
async function* pages<Row>(
  read: (after?: string) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[]> {
  for (let page = await read(); page.length > 0; page = await read(keyOf(page.at(-1)!))) yield page;
}

/**
 * The entries of the claim log that the ledger has not credited: this packet, to this user. It is asked about a page of
 * them, for a whole rain may not fit.
 */
export async function uncredited<Entry extends Pick<LogEntry, 'entry'>>(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rainId: string,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const parsed = entries.map(({ entry }) => parseClaim(entry));
  const redPacketIds = parsed.flatMap((one) => (one.ok ? [one.claim.redPacketId] : []));
  const userOf = new Map(
    (await ledger.creditsTo(rainId, { redPacketIds })).map(({ redPacketId, userId }) => [redPacketId, userId]),
  );
  return entries.filter((_, i) => {
    const one = parsed[i]!;
    return !one.ok || userOf.get(one.claim.redPacketId) !== one.claim.userId;
  });
}

/** Whether the operator has discarded this entry of the claim log. */
type IsDiscarded = (entry: LogEntry) => boolean;

/** Reads the discards from the ledger now. */
export async function readDiscardedLetters(
  context: Pick<OperatorContext, 'ledger'>,
  rainId: string,
): Promise<IsDiscarded> {
  const letterIds: string[] = [];
  for await (const page of discardPages(context, rainId)) letterIds.push(...page.map(({ letterId }) => letterId));
  return discardedAmong(letterIds);
}

/**
 * A dead letter id is a hash over the entry. It is only computed where a discard exists at the same place of the log.
 */
export function discardedAmong(letterIds: Iterable<string>): IsDiscarded {
  const discarded = new Set(letterIds);
  const places = new Set([...discarded].map((letterId) => letterId.slice(0, letterId.lastIndexOf('-'))));
  return (entry) => places.has(`${entry.rainId}-${entry.shard}-${entry.index}`) && discarded.has(deadLetterId(entry));
}
