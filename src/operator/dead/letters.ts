import { DEAD_REASONS, type DeadReason } from '../../credit/deadLetter.ts';
import { findLetter, readLetters, type Letter } from '../../credit/letters.ts';
import type { BookedDiscard } from '../../ledger/discard.ts';
import { parseClaim } from '../../rain/claim.ts';
import { refuse, type QueueDesk, type Refused } from '../desk.ts';

/** A dead letter as the operator reads it. Amounts are decimal strings. */
export interface LetterView {
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
  buriedAt: string;
  /** It was laid to rest, and is left over from a discard that was cut: to discard it again clears it away. */
  laidToRest?: { reason: string; actor: string; at: string };
}

interface LetterList {
  letters: LetterView[];
  /** Letters in the queue, of all rains. */
  total: number;
  /** False: there is more, to be passed over to with `skip`. */
  complete: boolean;
}

/** Bounded: at most 1,000 at a time are asked of the book. */
export const LETTERS_MAX = 1_000;

/** Oldest first. */
export async function listLetters({ queues, ledger }: QueueDesk, { rainId, skip, limit }: { rainId?: string | undefined; skip: number; limit: number }): Promise<LetterList> {
  const { letters, complete } = await readLetters(queues.dead, { rainId, skip, limit: Math.min(limit, LETTERS_MAX) });
  const resting = await ledger.laidToRest(letters.map(({ id }) => id));
  return { letters: letters.map((letter) => view(letter, resting.get(letter.id))), total: await queues.dead.getJobCountByTypes('waiting'), complete };
}

type ShownLetter = { ok: true; letter: LetterView } | Refused;

export async function showLetter({ queues, ledger }: QueueDesk, id: string): Promise<ShownLetter> {
  const [letter, resting] = await Promise.all([findLetter(queues.dead, id), ledger.laidToRest([id])]);
  return letter ? { ok: true, letter: view(letter, resting.get(id)) } : noSuchLetter(id, resting.get(id));
}

/** Also what is told of one that was laid to rest and cleared away. */
export function noSuchLetter(id: string, discard: BookedDiscard | undefined): Refused {
  return refuse('letter', discard ? `${id} was laid to rest by ${discard.actor}: ${discard.reason}` : `there is no dead letter ${id}`);
}

function view({ id, buriedAt, rainId, shard, index, reason, detail, entry }: Letter, discard: BookedDiscard | undefined): LetterView {
  const parsed = parseClaim(entry);
  return {
    letter: id, rainId, shard, index, reason, text: DEAD_REASONS[reason], detail,
    ...(parsed.ok && { redPacketId: parsed.claim.redPacketId, userId: parsed.claim.userId, amount: parsed.claim.amount }),
    entry, buriedAt: new Date(buriedAt).toISOString(),
    ...(discard && { laidToRest: { reason: discard.reason, actor: discard.actor, at: new Date(discard.at).toISOString() } }),
  };
}
