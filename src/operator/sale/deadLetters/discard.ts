import type { OrderDeadReason } from '../../../orders/deadLetter.ts';
import { findOrderLetter, readOrderLetters } from '../../../orders/deadLetters.ts';
import { refuse, type Refused } from '../../context.ts';
import { DEAD_LETTERS_MAX, noSuchDeadLetter } from '../../deadLetters/letters.ts';
import { readReason } from '../../wording.ts';
import { noSaleReason } from '../lost.ts';
import type { OrderLetterContext } from './letters.ts';

type Letter = Awaited<ReturnType<typeof readOrderLetters>>['letters'][number];

/** `already`: it was discarded before; the first reason is kept. */
type OrderLetterDiscarded =
  | { ok: true; outcome: 'discarded' }
  | { ok: true; outcome: 'already'; reason: string; actor: string }
  | Refused;

/**
 * Is done with a dead letter: it does not come back. No units and no money move. First the ledger, then the queue: if
 * cut, repeat it.
 */
export async function discardOrderLetter(
  context: OrderLetterContext,
  id: string,
  why: string,
  dryRun = false,
): Promise<OrderLetterDiscarded> {
  const given = readReason(why);
  if (!given.ok) return given;
  const letter = await findOrderLetter(context.queues.ordersDead, id);
  if (!letter) {
    const earlier = (await context.ledger.discardedClaims([id])).get(id);
    return earlier
      ? { ok: true, outcome: 'already', reason: earlier.reason, actor: earlier.actor }
      : noSuchDeadLetter(id, undefined);
  }
  return discard(context, letter, given.reason, dryRun);
}

type LettersDiscarded =
  | { ok: true; letters: number; /** False: the sale has more; discard again. */ complete: boolean }
  | Refused;

/** Discards the dead letters of a sale that have this reason, oldest first, at most 1,000 at a time, each as above. */
export async function discardOrderLetters(
  context: OrderLetterContext,
  saleId: string,
  deadReason: OrderDeadReason,
  why: string,
  dryRun = false,
): Promise<LettersDiscarded> {
  const given = readReason(why);
  if (!given.ok) return given;
  const { letters, complete } = await readOrderLetters(context.queues.ordersDead, {
    saleId,
    deadReason,
    limit: DEAD_LETTERS_MAX,
  });
  // Dead letters may exist for a sale that the ledger has lost.
  if (letters.length === 0 && !(await context.ledger.sale(saleId)))
    return refuse('sale', await noSaleReason(context, saleId));
  for (const letter of letters) await discard(context, letter, given.reason, dryRun);
  return { ok: true, letters: letters.length, complete };
}

async function discard(
  context: OrderLetterContext,
  { id, saleId, entry, reason: deadReason }: Letter,
  reason: string,
  dryRun: boolean,
): Promise<OrderLetterDiscarded> {
  const done = await context.ledger.discardLetter(
    { letterId: id, saleId, entry, deadReason, reason, actor: context.actor },
    dryRun,
  );
  if (!dryRun) await context.queues.ordersDead.remove(id);
  return done.outcome === 'discarded'
    ? { ok: true, outcome: 'discarded' }
    : { ok: true, outcome: 'already', reason: done.discard.reason, actor: done.discard.actor };
}
