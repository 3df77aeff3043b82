import { FINAL_REASONS, type OrderDeadReason } from '../../../orders/deadLetter.ts';
import { findOrderLetter, readOrderLetters } from '../../../orders/deadLetters.ts';
import { orderJobId, type OrderJob } from '../../../orders/job.ts';
import { refuse, type Refused } from '../../context.ts';
import { DEAD_LETTERS_MAX, noSuchDeadLetter } from '../../deadLetters/letters.ts';
import { recordOf, resendLetters } from '../../deadLetters/resend.ts';
import { noSaleReason } from '../lost.ts';
import type { OrderLetterContext } from './letters.ts';

/** `final`: letters that sending again cannot change, which stay; `kept`: how many of them by reason. */
type Requeued =
  | {
      ok: true;
      letters: number;
      final: number;
      kept: Partial<Record<OrderDeadReason, number>>;
      /** False: the sale has more; requeue again. */ complete: boolean;
    }
  | Refused;

/** Sends one reservation to the queue of orders again. If it fails again, it becomes a dead letter again. */
export async function requeueOrderLetter(context: OrderLetterContext, id: string): Promise<Requeued> {
  const [letter, discards] = await Promise.all([
    findOrderLetter(context.queues.ordersDead, id),
    context.ledger.discardedClaims([id]),
  ]);
  if (!letter || discards.has(id)) return noSuchDeadLetter(id, discards.get(id));
  if (FINAL_REASONS.has(letter.reason))
    return refuse(
      'letter',
      `${id} is ${letter.reason}: its order is not posted any more, and sending it again changes nothing; resolve it and discard it`,
    );
  await requeue(context, letter.saleId, [letter]);
  return { ok: true, letters: 1, final: 0, kept: {}, complete: true };
}

/** Requeues the dead letters of a sale, oldest first, at most 1,000 at a time. */
export async function requeueSale(context: OrderLetterContext, saleId: string): Promise<Requeued> {
  if (!(await context.ledger.sale(saleId))) return refuse('sale', await noSaleReason(context, saleId));
  const { letters, complete } = await readOrderLetters(context.queues.ordersDead, { saleId, limit: DEAD_LETTERS_MAX });
  const discards = await context.ledger.discardedClaims(letters.map(({ id }) => id));
  const open = letters.filter(({ id }) => !discards.has(id));
  const again = open.filter(({ reason }) => !FINAL_REASONS.has(reason));
  if (again.length > 0) await requeue(context, saleId, again);
  const kept: Partial<Record<OrderDeadReason, number>> = {};
  for (const { reason } of open) if (FINAL_REASONS.has(reason)) kept[reason] = (kept[reason] ?? 0) + 1;
  return { ok: true, letters: again.length, final: open.length - again.length, kept, complete };
}

async function requeue(
  { ledger, queues, actor }: OrderLetterContext,
  saleId: string,
  letters: Awaited<ReturnType<typeof readOrderLetters>>['letters'],
): Promise<void> {
  // Recorded before it is done: if it is cut, the record shows at least that it was requested.
  await ledger.record({ actor, verb: 'requeue', rainId: saleId, details: recordOf(letters) });
  await resendLetters(letters, {
    dead: queues.ordersDead,
    add({ index, entry }, again, delay) {
      const data: OrderJob = { saleId, from: index, entries: [entry] };
      return queues.orders.add('range', data, { jobId: orderJobId(data, again), delay });
    },
  });
}
