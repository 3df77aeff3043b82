import { formatMoney, type Cents } from '../../rain/money.ts';

/**
 * A user was told that he has won, and cannot be paid out of this rain: after a failover the packet was handed out a second
 * time, or the user has won a second one. For the operator to compensate.
 */
export interface ToldTwice {
  redPacketId: string;
  /** As the user was told. */
  amountCents: Cents;
  /** Who was told so, and is not paid. */
  toldTo: string;
  /** Who was paid, and with which packet; absent while nobody is, or when the money went back to the operator. */
  paid?: { userId: string; redPacketId: string };
  letterId: string;
}

/** A credit whose claim is not in the log: Redis has lost it in a failover. Or it was never won, which nobody can tell. */
export interface LostFromLog {
  redPacketId: string;
  amountCents: Cents;
  userId: string;
}

/** What the operator has discarded: it is explained, and counts as no problem any more. */
export interface Acknowledged {
  letterId: string;
  deadReason: string;
  reason: string;
  actor: string;
  /** Epoch ms. */
  at: number;
  /** What went back to the operator. */
  returned?: { redPacketId: string; amountCents: Cents };
}

/** The name under which a lost claim is discarded; no letter's id has a colon. */
export function lostClaimId(redPacketId: string): string {
  return `lost:${redPacketId}`;
}

export function tellPromise({ redPacketId, amountCents, toldTo, paid, letterId }: ToldTwice): string {
  const standing = !paid ? 'nobody is paid with it' : paid.redPacketId === redPacketId ? `it was paid to ${paid.userId}` : `${paid.userId} was paid with ${paid.redPacketId}`;
  return `${redPacketId} is told twice: ${formatMoney(amountCents)} to ${toldTo}, and ${standing}; letter ${letterId}`;
}

export function tellLost({ redPacketId, amountCents, userId }: LostFromLog): string {
  return `${redPacketId} was credited to ${userId} with ${formatMoney(amountCents)} and is not in the claim log: Redis has lost the claim, or it was never won`;
}
