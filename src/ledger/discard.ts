import { formatMoney, type Cents } from '../rain/money.ts';
import { findRainMoney, operatorAccount, type RainMoney } from './accounts.ts';
import { record } from './actions.ts';
import { attempt } from './attempt.ts';
import type { Database, Transaction } from './database.ts';
import type { Discard } from './generated/client.ts';
import { withdraw } from './reserve.ts';

/** A dead letter that the operator discards. */
export interface NewDiscard {
  letterId: string;
  rainId: string;
  /** The entry of the claim log, kept for later questions. */
  entry: string;
  /** Why it could not be credited. */
  deadReason: string;
  /** The operator's reason: 1 to 500 characters. */
  reason: string;
  actor: string;
  /** The operator has made sure that no external wallet paid this claim. */
  notPaid?: boolean;
  /** The claim in the letter, when it names a packet of this rain; absent: no money moves. */
  claim?: {
    redPacketId: string;
    userId: string;
    claimedCents: Cents;
    /** The amount allocated to this packet, which goes back if it is still there. */
    allocatedCents: Cents;
  };
}

export interface BookedDiscard extends Omit<NewDiscard, 'claim' | 'notPaid'> {
  /** The money that went back; absent when there was none. */
  returned?: { redPacketId: string; amountCents: Cents };
  /** Epoch ms. */
  at: number;
}

type Discarding =
  /** This call returned the packet's money to the operator; no user can be credited with it any more. */
  | { outcome: 'returned'; amountCents: Cents }
  /** No money to return: the packet is credited to another user, was discarded before, or does not exist. */
  | { outcome: 'discarded' }
  /** Nothing was discarded: exactly this claim has been credited meanwhile. */
  | { outcome: 'credited' }
  /**
   * Nothing was done: a wallet may have been asked to pay this claim, and the operator has not confirmed that it did
   * not.
   */
  | { outcome: 'maybe_paid' }
  /** The letter was discarded before; the first reason is kept. */
  | { outcome: 'already'; discard: BookedDiscard };

/**
 * Discards a dead letter and gives back the money left in it, in one transaction. It does not ask whether there is any,
 * it tries: the unique key on a transfer's packet accepts a credit or a discard, whichever comes first, and never both
 * [R5].
 * @throws when the database refuses, e.g. because the rain's account no longer holds the money; then nothing was done
 */
export function discard(database: Database, requested: NewDiscard, dryRun = false): Promise<Discarding> {
  const { letterId, rainId, claim } = requested;
  return attempt(
    database,
    async (transaction): Promise<Discarding> => {
      const existing = await transaction.discard.findUnique({ where: { letterId } });
      if (existing) return { outcome: 'already', discard: toBookedDiscard(existing) };
      const money = (await findRainMoney(transaction, rainId)) ?? { rainId, rehearsal: false, accounts: 1 };
      const reservation = claim ? await reserveForNobody(transaction, rainId, claim) : 'no';
      if (reservation === 'reserved' && !requested.notPaid) return { outcome: 'maybe_paid' };
      const returned = claim !== undefined && reservation !== 'no' && (await postReturn(transaction, money, claim));
      if (claim && !returned && (await isCredited(transaction, rainId, claim))) {
        await record(transaction, {
          actor: requested.actor,
          verb: 'discard',
          rainId,
          details: { letter: letterId, outcome: 'credited' },
        });
        return { outcome: 'credited' };
      }
      const { count } = await transaction.discard.createMany({
        data: {
          letterId,
          rainId,
          entry: storable(requested.entry),
          deadReason: requested.deadReason,
          reason: requested.reason,
          actor: requested.actor,
          ...(claim && returned && { redPacketId: claim.redPacketId, amountCents: claim.allocatedCents }),
        },
        skipDuplicates: true,
      });
      if (count === 0) {
        // The first discard tried the same packet before, so its money cannot have been left for this one.
        if (returned) throw new Error(`the letter ${letterId} was discarded at the same time, but its money was not`);
        return {
          outcome: 'already',
          discard: toBookedDiscard(await transaction.discard.findUniqueOrThrow({ where: { letterId } })),
        };
      }
      await record(transaction, {
        actor: requested.actor,
        verb: 'discard',
        rainId,
        details: {
          letter: letterId,
          reason: requested.reason,
          ...(claim && returned && { redPacketId: claim.redPacketId, amount: formatMoney(claim.allocatedCents) }),
        },
      });
      if (!claim || !returned) return { outcome: 'discarded' };
      if (reservation === 'yes') await withdraw(transaction, rainId, claim.allocatedCents);
      return { outcome: 'returned', amountCents: claim.allocatedCents };
    },
    dryRun,
  );
}

type DiscardedClaim = NonNullable<NewDiscard['claim']>;

/**
 * Reserves the packet for nobody before its money goes back: then no wallet is asked to pay it, see reserve.ts.
 * @returns `yes` no wallet was or will be asked · `reserved` it is reserved for this user, whom a wallet may have
 *   paid · `no` it is credited, reserved for another user, or went back before: there is no money of this claim to give
 *   back
 */
async function reserveForNobody(
  transaction: Transaction,
  rainId: string,
  { redPacketId, userId, allocatedCents }: DiscardedClaim,
): Promise<'yes' | 'reserved' | 'no'> {
  if (await transaction.transfer.findUnique({ where: { redPacketId }, select: { id: true } })) return 'no';
  const { count } = await transaction.reservation.createMany({
    data: { redPacketId, rainId, userId: null, amountCents: allocatedCents },
    skipDuplicates: true,
  });
  if (count === 1) return 'yes';
  const found = await transaction.reservation.findUnique({
    where: { redPacketId },
    select: { rainId: true, userId: true },
  });
  return found?.rainId === rainId && found.userId === userId ? 'reserved' : 'no';
}

/** @returns false: a transfer of this packet exists, of any kind */
async function postReturn(
  transaction: Transaction,
  { rainId, rehearsal, accounts }: RainMoney,
  { redPacketId, allocatedCents }: DiscardedClaim,
): Promise<boolean> {
  const count = await transaction.$executeRaw`
    INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId")
    VALUES (${`discard:${redPacketId}`}, 'recycle', packet_account(${rainId}, ${rehearsal}, ${accounts}::integer, ${redPacketId}), ${operatorAccount(rehearsal)},
      ${allocatedCents}::bigint, ${rainId}, ${redPacketId})
    ON CONFLICT DO NOTHING`;
  return count === 1;
}

async function isCredited(
  transaction: Transaction,
  rainId: string,
  { redPacketId, userId, claimedCents }: DiscardedClaim,
): Promise<boolean> {
  const transfer = await transaction.transfer.findUnique({
    where: { redPacketId },
    select: { rainId: true, userId: true, amountCents: true },
  });
  return transfer?.rainId === rainId && transfer.userId === userId && transfer.amountCents === claimedCents;
}

/**
 * The discarded letters of a rain, page by page, ordered by id.
 * @param afterLetterId the last letter of the previous page
 */
export async function discards(
  database: Database,
  rainId: string,
  afterLetterId?: string,
  limit = 10_000,
): Promise<BookedDiscard[]> {
  const rows = await database.discard.findMany({
    where: { rainId, ...(afterLetterId !== undefined && { letterId: { gt: afterLetterId } }) },
    orderBy: { letterId: 'asc' },
    take: limit,
  });
  return rows.map(toBookedDiscard);
}

/** Which of these letters were discarded, by letter id. */
export async function discardedClaims(
  database: Database,
  letterIds: readonly string[],
): Promise<Map<string, BookedDiscard>> {
  if (letterIds.length === 0) return new Map();
  const rows = await database.discard.findMany({ where: { letterId: { in: [...letterIds] } } });
  return new Map(rows.map((row) => [row.letterId, toBookedDiscard(row)]));
}

/** PostgreSQL cannot store NUL or half of a surrogate pair; an invalid entry may contain them. */
export function storable(entry: string): string {
  return Buffer.from(entry.replaceAll('\0', '\\u0000')).toString();
}

export function toBookedDiscard({ redPacketId, amountCents, at, ...plain }: Discard): BookedDiscard {
  return {
    ...plain,
    ...(redPacketId !== null && amountCents !== null && { returned: { redPacketId, amountCents } }),
    at: at.getTime(),
  };
}
