import { findDeadLetter, type DeadLetterRow } from '../../credit/deadLetters.ts';
import { allocationOf } from '../../ledger/allocation.ts';
import type { NewDiscard } from '../../ledger/discard.ts';
import { refusalOf } from '../../ledger/refusal.ts';
import { parseClaim } from '../../rain/claim.ts';
import { checkReceipt } from '../../rain/commitment.ts';
import { formatMoney, parseMoney } from '../../rain/money.ts';
import { refuse, type QueueContext, type Refused } from '../context.ts';
import { readReason } from '../wording.ts';
import { noSuchDeadLetter } from './letters.ts';

export type Discarded =
  /** The money went back to the operator. */
  | { ok: true; outcome: 'returned'; amount: string }
  | { ok: true; outcome: 'discarded' | 'credited' }
  | { ok: true; outcome: 'already'; reason: string; actor: string }
  | Refused;

/**
 * Discards a claim: money left in it goes back, and the audit counts it as explained. First the ledger, then the queue:
 * if cut, repeat it.
 * @param notPaid the operator has made sure that no external wallet paid the claim
 */
export async function discardDeadLetter(
  context: QueueContext,
  id: string,
  why: string,
  notPaid = false,
  dryRun = false,
): Promise<Discarded> {
  const given = readReason(why);
  if (!given.ok) return given;
  const letter = await findDeadLetter(context.queues.dead, id);
  if (!letter) {
    const earlier = (await context.ledger.discardedClaims([id])).get(id);
    return earlier
      ? { ok: true, outcome: 'already', reason: earlier.reason, actor: earlier.actor }
      : noSuchDeadLetter(id, undefined);
  }
  const discarding: NewDiscard = {
    letterId: id,
    rainId: letter.rainId,
    entry: letter.entry,
    deadReason: letter.reason,
    reason: given.reason,
    actor: context.actor,
    notPaid,
    ...(await claimIn(context, letter)),
  };
  const done = await context.ledger.discard(discarding, dryRun).catch(async (error: unknown) => {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    // The money of a settled rain is distributed: there is none to give back.
    const { claim, ...moneyless } = discarding;
    if (claim && (await context.ledger.rain(letter.rainId))?.settledAt !== undefined)
      return context.ledger.discard(moneyless, dryRun);
    return refuse('letter', `the ledger refuses to give back the money of ${id}: ${refusal.message}`);
  });
  if (!('outcome' in done)) return done;
  if (done.outcome === 'maybe_paid')
    return refuse(
      'notPaid',
      `the wallet may have paid ${id}; send it again with requeue, or make sure that it was not paid and confirm with --not-paid`,
    );
  if (!dryRun) await context.queues.dead.remove(id);
  switch (done.outcome) {
    case 'returned':
      return { ok: true, outcome: 'returned', amount: formatMoney(done.amountCents) };
    case 'already':
      return { ok: true, outcome: 'already', reason: done.discard.reason, actor: done.discard.actor };
    case 'discarded':
    case 'credited':
      return { ok: true, outcome: done.outcome };
    default:
      return done satisfies never;
  }
}

/**
 * The claim whose money may go back: it must parse, belong to the log of its own rain, and be one that the plan holds
 * [R14]. No other entry can be trusted to name its packet, which may still be in the list or belong to another user.
 * Nothing is lost: a packet that nobody won is unclaimed or counts as spoiled, and its money goes back at the
 * settlement.
 */
async function claimIn({ ledger }: QueueContext, { rainId, entry }: DeadLetterRow): Promise<Pick<NewDiscard, 'claim'>> {
  const parsed = parseClaim(entry);
  const rain = parsed.ok && parsed.claim.rainId === rainId ? await ledger.rain(rainId) : undefined;
  if (!parsed.ok || !rain || checkReceipt(allocationOf(rain), rainId, parsed.claim).outcome !== 'ok') return {};
  const { redPacketId, userId, amount } = parsed.claim;
  const cents = parseMoney(amount)!;
  return { claim: { redPacketId, userId, claimedCents: cents, allocatedCents: cents } };
}
