import { formatMoney, type Cents } from '../rain/money.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record } from './actions.ts';
import { attempt } from './attempt.ts';
import type { Database, Transaction } from './database.ts';
import type { Discard } from './generated/client.ts';
import { isRehearsal } from './rains.ts';
import { giveBack } from './recycle.ts';
import { withdraw } from './reserve.ts';

/** A dead letter that the operator discards. */
export interface NewDiscard {
  /** The key: the same letter is discarded once. */
  letterId: string;
  rainId: string;
  /** The entry of the claim log, for whoever asks later. */
  entry: string;
  /** Why it could not be credited. */
  deadReason: string;
  /** Why the operator gives it up: 1 to 500 characters. */
  reason: string;
  actor: string;
  /** The operator has made sure that no wallet outside has paid this claim. */
  notPaid?: boolean;
  /** Of the claim in it, when it names a packet of this rain; absent: no money moves. */
  claim?: {
    redPacketId: string;
    userId: string;
    claimedCents: Cents;
    /** What the rain holds for this packet, and what goes back when it is still there. */
    allocatedCents: Cents;
  };
}

export interface BookedDiscard extends Omit<NewDiscard, 'claim' | 'notPaid'> {
  /** What went back; absent when nothing was left in it. */
  returned?: { redPacketId: string; amountCents: Cents };
  /** Epoch ms. */
  at: number;
}

export type Discarding =
  /** The packet's money went back to the operator, by this call; nobody can be credited with it any more. */
  | { outcome: 'returned'; amountCents: Cents }
  /** Nothing was left in it: the packet is credited to another user, was discarded before, or there is none. Only the word is kept. */
  | { outcome: 'discarded' }
  /** This very claim has been credited meanwhile: there is nothing to discard, and nothing was. */
  | { outcome: 'credited' }
  /** A wallet outside was, or is being, asked to pay this claim, and nobody has said that it did not: nothing was done. */
  | { outcome: 'maybe_paid' }
  /** The letter was discarded before; the first reason stands. */
  | { outcome: 'already'; discard: BookedDiscard };

/**
 * Lays a dead letter to rest and gives back what money is left in it, in one transaction. Whether there is any is not asked
 * but tried: the unique key on a transfer's packet lets in a credit or a discard, whoever comes first, and never both [R5].
 *
 * @param dryRun only say what it would come to
 * @throws when the database refuses, e.g. because the rain's account no longer holds the money; then nothing was done
 */
export function discard(database: Database, asked: NewDiscard, dryRun = false): Promise<Discarding> {
  const { letterId, rainId, claim } = asked;
  return attempt(database, async (book): Promise<Discarding> => {
    const existing = await book.discard.findUnique({ where: { letterId } });
    if (existing) return { outcome: 'already', discard: toBookedDiscard(existing) };
    const rehearsal = await isRehearsal(book, rainId);
    const mine = claim ? await keepForNobody(book, rainId, claim) : 'no';
    if (mine === 'reserved' && !asked.notPaid) return { outcome: 'maybe_paid' };
    const returned = claim !== undefined && mine !== 'no' && await claimBack(book, rainId, rehearsal, claim);
    if (claim && !returned && await isCredited(book, rainId, claim)) {
      await record(book, { actor: asked.actor, verb: 'discard', rainId, details: { letter: letterId, outcome: 'credited' } });
      return { outcome: 'credited' };
    }
    const { count } = await book.discard.createMany({
      data: {
        letterId, rainId, entry: storable(asked.entry), deadReason: asked.deadReason, reason: asked.reason, actor: asked.actor,
        ...(claim && returned && { redPacketId: claim.redPacketId, amountCents: claim.allocatedCents }),
      },
      skipDuplicates: true,
    });
    if (count === 0) {
      // Whoever was first has tried the same packet before, so it cannot have been left for us.
      if (returned) throw new Error(`the letter ${letterId} was discarded at the same time, and not its money`);
      return { outcome: 'already', discard: toBookedDiscard(await book.discard.findUniqueOrThrow({ where: { letterId } })) };
    }
    await record(book, {
      actor: asked.actor, verb: 'discard', rainId,
      details: { letter: letterId, reason: asked.reason, ...(claim && returned && { redPacketId: claim.redPacketId, amount: formatMoney(claim.allocatedCents) }) },
    });
    // The rain's account is locked last, after all that others may wait for.
    if (!claim || !returned) return { outcome: 'discarded' };
    if (mine === 'yes') await withdraw(book, rainId, claim.allocatedCents);
    await giveBack(book, rainId, rehearsal, claim.allocatedCents);
    return { outcome: 'returned', amountCents: claim.allocatedCents };
  }, dryRun);
}

type DiscardedClaim = NonNullable<NewDiscard['claim']>;

/**
 * A wallet outside is asked for what the book reserves, see reserve.ts. So a packet is kept for nobody before its money goes
 * back, and the unique key lets in one of the two.
 * @returns `yes` no wallet was or will be asked · `reserved` it is kept for this user, whom a wallet may have paid · `no` it
 * is credited, or kept for another user, or went back before: there is nothing of this claim's to give back
 */
async function keepForNobody(book: Transaction, rainId: string, { redPacketId, userId, allocatedCents }: DiscardedClaim): Promise<'yes' | 'reserved' | 'no'> {
  if (await book.transfer.findUnique({ where: { redPacketId }, select: { id: true } })) return 'no';
  const { count } = await book.reservation.createMany({ data: { redPacketId, rainId, userId: null, amountCents: allocatedCents }, skipDuplicates: true });
  if (count === 1) return 'yes';
  const kept = await book.reservation.findUnique({ where: { redPacketId }, select: { rainId: true, userId: true } });
  return kept?.rainId === rainId && kept.userId === userId ? 'reserved' : 'no';
}

/** @returns false: a transfer of this packet stands, of whatever kind */
async function claimBack(book: Transaction, rainId: string, rehearsal: boolean, { redPacketId, allocatedCents }: DiscardedClaim): Promise<boolean> {
  const { count } = await book.transfer.createMany({
    data: {
      id: `discard:${redPacketId}`, kind: 'recycle', debitAccountId: rainAccount(rainId, rehearsal), creditAccountId: operatorAccount(rehearsal),
      amountCents: allocatedCents, rainId, redPacketId,
    },
    skipDuplicates: true,
  });
  return count === 1;
}

async function isCredited(book: Transaction, rainId: string, { redPacketId, userId, claimedCents }: DiscardedClaim): Promise<boolean> {
  const transfer = await book.transfer.findUnique({ where: { redPacketId }, select: { rainId: true, userId: true, amountCents: true } });
  return transfer?.rainId === rainId && transfer.userId === userId && transfer.amountCents === claimedCents;
}

/** The letters of a rain that were discarded, page by page, ordered by id. @param afterLetterId the last of the page before */
export async function discards(database: Database, rainId: string, afterLetterId?: string, limit = 10_000): Promise<BookedDiscard[]> {
  const rows = await database.discard.findMany({
    where: { rainId, ...(afterLetterId !== undefined && { letterId: { gt: afterLetterId } }) }, orderBy: { letterId: 'asc' }, take: limit,
  });
  return rows.map(toBookedDiscard);
}

/** Those of these letters that were discarded, by their ids. */
export async function discardedClaims(database: Database, letterIds: readonly string[]): Promise<Map<string, BookedDiscard>> {
  if (letterIds.length === 0) return new Map();
  const rows = await database.discard.findMany({ where: { letterId: { in: [...letterIds] } } });
  return new Map(rows.map((row) => [row.letterId, toBookedDiscard(row)]));
}

/** PostgreSQL holds no NUL and no half of a surrogate pair; what is no claim may well contain them. */
function storable(entry: string): string {
  return Buffer.from(entry.replaceAll('\0', '\\u0000')).toString();
}

function toBookedDiscard({ redPacketId, amountCents, at, ...plain }: Discard): BookedDiscard {
  return { ...plain, ...(redPacketId !== null && amountCents !== null && { returned: { redPacketId, amountCents } }), at: at.getTime() };
}
