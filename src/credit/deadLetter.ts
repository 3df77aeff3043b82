import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rainId } from '../rain/ids.ts';

/** Why a claim was given up, for the operator who has to resolve it. */
export const DEAD_REASONS = {
  malformed: 'The entry of the claim log is not a claim.',
  wrong_rain: 'The claim belongs to another rain than its log.',
  not_in_plan:
    'The plan of the rain does not hold this packet with this amount; see `detail`. Nobody was paid and no wallet was asked. Find out who wrote it to Redis, then discard it.',
  told_twice:
    'In the ledger the packet belongs to another user, or the user has another packet of this rain; see `detail`.',
  discarded:
    'The operator has discarded this claim, or another one to the same packet; its money went back to the operator.',
  paid_not_booked:
    'The external wallet has paid it, but the ledger meanwhile gave its money to another user or back; see `detail`.',
  paid_differs:
    'The external wallet has paid this claim id before, to another user or with another amount; see `detail`. Nobody was credited.',
  amount_differs: 'The claim is in the ledger, with another amount.',
  refused: 'The payout provider understood the claim and refuses it.',
  unavailable:
    'The payout provider has not confirmed the claim in time, or without a receipt; see `detail`. It may have paid it, and its answers were lost: send the claim again, do not pay it by hand.',
} as const;
export type DeadReason = keyof typeof DEAD_REASONS;

/**
 * A letter that was written before the reason `told_twice` had its name still waits for its operator, and has to be
 * found.
 */
const FORMER_REASONS: Partial<Record<string, DeadReason>> = { promised_twice: 'told_twice' };

/** One entry that cannot be credited, complete. */
export const deadLetter = z.object({
  rainId,
  shard: z.int().min(0),
  /** Its position in the shard's claim log; the oldest entry is 0. */
  index: z.int().min(0),
  entry: z.string(),
  reason: z.preprocess(
    (word) => FORMER_REASONS[String(word)] ?? word,
    z.enum(Object.keys(DEAD_REASONS) as [DeadReason, ...DeadReason[]]),
  ),
  detail: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

/** One entry of a claim log and its position. */
export type LogEntry = Pick<DeadLetter, 'rainId' | 'shard' | 'index' | 'entry'>;

/**
 * A late payment by a wallet is a letter of its own: the operator must see it even when the claim was discarded before.
 */
export function idOfDeadLetter(letter: DeadLetter): string {
  return letter.reason === 'paid_not_booked' ? `${deadLetterId(letter)}-paid` : deadLetterId(letter);
}

/** The same entry at the same position is one letter, however often its job is repeated. */
export function deadLetterId(logged: LogEntry): string {
  return letterIdIn(`${logged.rainId}-${logged.shard}`, logged);
}

/** The id of the letter about an entry of this log. */
export function letterIdIn(log: string, { index, entry }: Pick<LogEntry, 'index' | 'entry'>): string {
  return `${log}-${index}-${createHash('sha256').update(entry).digest('hex').slice(0, 16)}`;
}
