import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rainId } from '../rain/claim.ts';

/** Why a claim was given up, for the operator who has to put it right. */
export const DEAD_REASONS = {
  malformed: 'The entry of the claim log is not a claim.',
  wrong_rain: 'The claim belongs to another rain than the log it stood in.',
  told_twice: 'The packet is in the book for another user, or the user has another packet of this rain; see `detail`.',
  discarded: 'The operator has discarded this claim, or another to the same packet; its money went back to the operator.',
  paid_not_booked: 'The wallet outside has paid it, and the book has given its money elsewhere meanwhile; see `detail`.',
  amount_differs: 'The claim is in the book, with another amount.',
  refused: 'The balance system understood the claim and will not take it.',
  unavailable: 'The balance system has not taken the claim in all the time it was given. It may have, and its answers were lost: send the claim again, do not pay it by hand.',
} as const;
export type DeadReason = keyof typeof DEAD_REASONS;

/** What is left of one entry that cannot be credited; nothing of it is lost. */
export const deadLetter = z.object({
  rainId,
  shard: z.int().min(0),
  /** Its place in the shard's claim log; the oldest is 0. */
  index: z.int().min(0),
  entry: z.string(),
  reason: z.enum(Object.keys(DEAD_REASONS) as [DeadReason, ...DeadReason[]]),
  detail: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

/** One entry of a claim log, and where it stands. */
export type LogEntry = Pick<DeadLetter, 'rainId' | 'shard' | 'index' | 'entry'>;

/**
 * The same entry at the same place is one letter, however often its job is repeated. That a wallet has paid it after all is a
 * letter of its own: it has to be heard of even when the claim was discarded before.
 */
export function idOfDeadLetter(letter: DeadLetter): string {
  return letter.reason === 'paid_not_booked' ? `${deadLetterId(letter)}-paid` : deadLetterId(letter);
}

/** The name of a letter of an entry. */
export function deadLetterId({ rainId, shard, index, entry }: LogEntry): string {
  return `${rainId}-${shard}-${index}-${createHash('sha256').update(entry).digest('hex').slice(0, 16)}`;
}
