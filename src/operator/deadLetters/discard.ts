import { findDeadLetter, type DeadLetterRow } from '../../credit/deadLetters.ts';
import type { Discarding, NewDiscard } from '../../ledger/discard.ts';
import { refusalOf } from '../../ledger/refusal.ts';
import { parseClaim } from '../../rain/claim.ts';
import { formatMoney, parseMoney, type Cents } from '../../rain/money.ts';
import { redPacketId } from '../../rain/red-packet.ts';
import { refuse, type OperatorContext, type QueueContext, type Refused } from '../context.ts';
import { allocationOf } from '../load.ts';
import { readReason } from '../wording.ts';
import { noSuchDeadLetter } from './letters.ts';

export type Discarded =
  /** The money is the operator's again. @see Discarding */
  | { ok: true; outcome: 'returned'; amount: string }
  | { ok: true; outcome: 'discarded' | 'credited' }
  | { ok: true; outcome: 'already'; reason: string; actor: string }
  | Refused;

/**
 * Gives a claim up: what money is left in it goes back, and the audit counts it as explained. First the book, then the queue:
 * killed in between it is to be done again, and finds itself done.
 * @param notPaid the operator has made sure that no wallet outside has paid the claim
 * @param dryRun only say what it would come to
 */
export async function discardDeadLetter(context: QueueContext, id: string, why: string, notPaid = false, dryRun = false): Promise<Discarded> {
  const given = readReason(why);
  if (!given.ok) return given;
  const letter = await findDeadLetter(context.queues.dead, id);
  if (!letter) {
    const standing = (await context.ledger.discardedClaims([id])).get(id);
    return standing ? { ok: true, outcome: 'already', reason: standing.reason, actor: standing.actor } : noSuchDeadLetter(id, undefined);
  }
  const asked: NewDiscard = {
    letterId: id, rainId: letter.rainId, entry: letter.entry, deadReason: letter.reason, reason: given.reason, actor: context.actor, notPaid, ...await claimIn(context, letter),
  };
  const done = await discard(context, asked, dryRun);
  if (!('outcome' in done)) return done;
  if (done.outcome === 'maybe_paid') return refuse('notPaid', `the wallet was asked to pay what is in ${id}; send it again with requeue, or make sure that it was not paid and say so (--not-paid)`);
  if (!dryRun) await context.queues.dead.remove(id);
  switch (done.outcome) {
    case 'returned': return { ok: true, outcome: 'returned', amount: formatMoney(done.amountCents) };
    case 'already': return { ok: true, outcome: 'already', reason: done.discard.reason, actor: done.discard.actor };
    case 'discarded': case 'credited': return { ok: true, outcome: done.outcome };
    default: return done satisfies never;
  }
}

async function discard({ ledger }: OperatorContext, asked: NewDiscard, dryRun: boolean): Promise<Discarding | Refused> {
  try {
    return await ledger.discard(asked, dryRun);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return refuse('letter', `the book does not give back what is in ${asked.letterId}: ${refusal.message}`);
  }
}

/**
 * The claim whose money may go back: one that can be read, stood in its own rain's log, and names a packet of this rain. What
 * goes back is what was allocated to the packet, whatever the claim says.
 *
 * Of an entry that is no claim of this rain no money moves, even where a packet can be guessed from it. What cannot be trusted
 * to be a claim cannot be trusted to name its packet: it may be one that is still in the list, or another user's, who would
 * find his win discarded. Nothing is lost by that: a packet that nobody won counts as spoiled, and its money goes back with
 * the rest at the settlement, which needs its sum to stand still.
 */
async function claimIn({ ledger }: OperatorContext, { rainId, entry }: DeadLetterRow): Promise<Pick<NewDiscard, 'claim'>> {
  const parsed = parseClaim(entry);
  const rain = parsed.ok && parsed.claim.rainId === rainId ? await ledger.rain(rainId) : undefined;
  if (!parsed.ok || !rain) return {};
  const { claim } = parsed;
  const allocatedCents = allocatedTo(rain, claim.redPacketId);
  if (allocatedCents === undefined) return {};
  return { claim: { redPacketId: claim.redPacketId, userId: claim.userId, claimedCents: parseMoney(claim.amount)!, allocatedCents } };
}

function allocatedTo(rain: Parameters<typeof allocationOf>[0] & { id: string }, packet: string): Cents | undefined {
  const index = Number(/-(\d{1,9})$/.exec(packet)?.[1]);
  return packet === redPacketId(rain.id, index) ? allocationOf(rain)[index] : undefined;
}
