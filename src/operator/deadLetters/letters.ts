import { DEAD_REASONS, type DeadLetter } from '../../credit/deadLetter.ts';
import { findDeadLetter, isSignedDeadLetter, readDeadLetters, type DeadLetterRow } from '../../credit/deadLetters.ts';
import { UNSIGNED_ADVICE } from '../../credit/letterBox.ts';
import type { BookedDiscard } from '../../ledger/discard.ts';
import { parseClaim } from '../../rain/claim.ts';
import { iso } from '../../rain/figures.ts';
import type { Signer } from '../../store/signer.ts';
import { refuse, type QueueContext, type Refused } from '../context.ts';

/** A dead letter as shown to the operator. Amounts are decimal strings. */
export interface DeadLetterView extends DeadLetter {
  letter: string;
  /** The meaning of the reason, or that it must not be believed. */
  text: string;
  /** No process with our keys has written it. */
  unsigned?: true;
  /** The claim's packet, when the entry is a claim. */
  redPacketId?: string;
  userId?: string;
  amount?: string;
  deadLetteredAt: string;
  /** It was discarded, and a cut discard left it in the queue; discarding it again removes it. */
  discarded?: { reason: string; actor: string; at: string };
}

/** `total`: dead letters of all rains; `complete` false: there are more, read them with `skip`. */
type DeadLetterList = { letters: DeadLetterView[]; total: number; complete: boolean };

/** Upper bound of one page: as many are looked up in the ledger at once. */
export const DEAD_LETTERS_MAX = 1_000;

/** Oldest first. */
export async function listDeadLetters(
  { queues, ledger, signer }: QueueContext,
  { rainId, skip, limit }: { rainId?: string | undefined; skip: number; limit: number },
): Promise<DeadLetterList> {
  const { letters, complete } = await readDeadLetters(queues.dead, {
    rainId,
    skip,
    limit: Math.min(limit, DEAD_LETTERS_MAX),
  });
  const discards = await ledger.discardedClaims(letters.map(({ id }) => id));
  return {
    letters: letters.map((letter) => view(letter, signer, discards.get(letter.id))),
    total: await queues.dead.getJobCountByTypes('waiting'),
    complete,
  };
}

type ShownDeadLetter = { ok: true; letter: DeadLetterView } | Refused;

export async function showDeadLetter({ queues, ledger, signer }: QueueContext, id: string): Promise<ShownDeadLetter> {
  const [letter, discards] = await Promise.all([findDeadLetter(queues.dead, id), ledger.discardedClaims([id])]);
  return letter ? { ok: true, letter: view(letter, signer, discards.get(id)) } : noSuchDeadLetter(id, discards.get(id));
}

/** The refusal for an unknown letter, or for one that was discarded and removed. */
export function noSuchDeadLetter(id: string, discard: BookedDiscard | undefined): Refused {
  return refuse(
    'letter',
    discard ? `${id} was discarded by ${discard.actor}: ${discard.reason}` : `there is no dead letter ${id}`,
  );
}

/** For a discarded letter: why, by whom and when. */
export function discardedBy(discard: BookedDiscard | undefined): Pick<DeadLetterView, 'discarded'> {
  return discard ? { discarded: { reason: discard.reason, actor: discard.actor, at: iso(discard.at) } } : {};
}

function view(row: DeadLetterRow, signer: Signer, discard: BookedDiscard | undefined): DeadLetterView {
  const { id, deadLetteredAt, mac: _, ...letter } = row;
  const signed = isSignedDeadLetter(row, signer);
  const parsed = parseClaim(letter.entry);
  return {
    letter: id,
    ...letter,
    text: signed ? DEAD_REASONS[letter.reason] : UNSIGNED_ADVICE,
    ...(!signed && { unsigned: true as const }),
    ...(parsed.ok && {
      redPacketId: parsed.claim.redPacketId,
      userId: parsed.claim.userId,
      amount: parsed.claim.amount,
    }),
    deadLetteredAt: iso(deadLetteredAt),
    ...discardedBy(discard),
  };
}
