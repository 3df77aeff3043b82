import { DEAD_REASONS, type DeadReason } from '../../credit/deadLetter.ts';
import { findDeadLetter, readDeadLetters, type DeadLetterRow } from '../../credit/deadLetters.ts';
import type { BookedDiscard } from '../../ledger/discard.ts';
import { parseClaim } from '../../rain/claim.ts';
import { refuse, type QueueContext, type Refused } from '../context.ts';

/** A dead letter as the operator reads it. Amounts are decimal strings. */
export interface DeadLetterView {
  letter: string;
  rainId: string;
  shard: number;
  /** Its place in the shard's claim log; the oldest is 0. */
  index: number;
  reason: DeadReason;
  /** What the reason means. */
  text: string;
  detail: string;
  /** Of the claim in it, when it is one. */
  redPacketId?: string;
  userId?: string;
  amount?: string;
  entry: string;
  deadLetteredAt: string;
  /** It was discarded, and is left over from a discard that was cut: to discard it again clears it away. */
  discardedClaims?: { reason: string; actor: string; at: string };
}

interface DeadLetterList {
  letters: DeadLetterView[];
  /** Letters in the queue, of all rains. */
  total: number;
  /** False: there is more, to be passed over to with `skip`. */
  complete: boolean;
}

/** Bounded: at most 1,000 at a time are asked of the book. */
export const DEAD_LETTERS_MAX = 1_000;

/** Oldest first. */
export async function listDeadLetters({ queues, ledger }: QueueContext, { rainId, skip, limit }: { rainId?: string | undefined; skip: number; limit: number }): Promise<DeadLetterList> {
  const { letters, complete } = await readDeadLetters(queues.dead, { rainId, skip, limit: Math.min(limit, DEAD_LETTERS_MAX) });
  const resting = await ledger.discardedClaims(letters.map(({ id }) => id));
  return { letters: letters.map((letter) => view(letter, resting.get(letter.id))), total: await queues.dead.getJobCountByTypes('waiting'), complete };
}

type ShownDeadLetter = { ok: true; letter: DeadLetterView } | Refused;

export async function showDeadLetter({ queues, ledger }: QueueContext, id: string): Promise<ShownDeadLetter> {
  const [letter, resting] = await Promise.all([findDeadLetter(queues.dead, id), ledger.discardedClaims([id])]);
  return letter ? { ok: true, letter: view(letter, resting.get(id)) } : noSuchDeadLetter(id, resting.get(id));
}

/** Also what is told of one that was discarded and cleared away. */
export function noSuchDeadLetter(id: string, discard: BookedDiscard | undefined): Refused {
  return refuse('letter', discard ? `${id} was discarded by ${discard.actor}: ${discard.reason}` : `there is no dead letter ${id}`);
}

function view({ id, deadLetteredAt, rainId, shard, index, reason, detail, entry }: DeadLetterRow, discard: BookedDiscard | undefined): DeadLetterView {
  const parsed = parseClaim(entry);
  return {
    letter: id, rainId, shard, index, reason, text: DEAD_REASONS[reason], detail,
    ...(parsed.ok && { redPacketId: parsed.claim.redPacketId, userId: parsed.claim.userId, amount: parsed.claim.amount }),
    entry, deadLetteredAt: new Date(deadLetteredAt).toISOString(),
    ...(discard && { discardedClaims: { reason: discard.reason, actor: discard.actor, at: new Date(discard.at).toISOString() } }),
  };
}
