import type { BookedCredit } from '../../ledger/book.ts';
import type { BookedDiscard } from '../../ledger/discard.ts';
import { formatMoney, type Cents } from '../../rain/money.ts';

/**
 * A win that a user was told of and that this rain cannot pay, after a failover. The operator has to compensate the
 * user.
 */
export interface ToldTwice {
  redPacketId: string;
  /** The amount that the user was told. */
  amountCents: Cents;
  /** The user who was told of the win and is not paid. */
  toldTo: string;
  /**
   * The user who was paid, and with which packet; absent while nobody is paid, or when the money went back to the
   * operator.
   */
  paid?: { userId: string; redPacketId: string };
  letterId: string;
}

/** A credit whose claim is not in the log. Redis lost the claim in a failover, or it was never won: nobody can tell. */
export type LostFromLog = BookedCredit;

/** A claim that the operator has discarded. It is explained and no longer counts as a problem. */
export type Acknowledged = Omit<BookedDiscard, 'rainId' | 'entry'>;

/** The letter id under which a lost claim is discarded; ids of real dead letters never contain a colon. */
export function lostClaimId(redPacketId: string): string {
  return `lost:${redPacketId}`;
}

export function describeToldTwice({ redPacketId, amountCents, toldTo, paid, letterId }: ToldTwice): string {
  const paidNow = !paid
    ? 'nobody is paid with it'
    : paid.redPacketId === redPacketId
      ? `it was paid to ${paid.userId}`
      : `${paid.userId} was paid with ${paid.redPacketId}`;
  return `${redPacketId} is told twice: ${formatMoney(amountCents)} to ${toldTo}, and ${paidNow}; letter ${letterId}`;
}

export function describeLostClaim({ redPacketId, amountCents, userId }: LostFromLog): string {
  return `${redPacketId} was credited to ${userId} with ${formatMoney(amountCents)} and is not in the claim log: Redis has lost the claim, or it was never won`;
}
