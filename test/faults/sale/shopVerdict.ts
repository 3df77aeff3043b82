import type { OperatorContext } from '../../../src/operator/context.ts';
import { readOrderLetters } from '../../../src/orders/deadLetters.ts';
import { openOrderQueues } from '../../../src/orders/queue.ts';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import type { Shop } from '../../orders/shop.ts';
import { eventually } from '../../support/eventually.ts';

/** The end of an order is told again after half a second, then later each time. */
const TOLD_WITHIN_MS = 30_000;

/**
 * Checks what the shop of a settled sale knows: every paid order, the same each time, and what has ended without it.
 * @param payBack orders whose payment it was told to pay back: the operator has a dead letter of each, and of no other
 */
export async function checkShop(
  context: OperatorContext,
  { taken, ended, seen }: Shop,
  payBack: ReadonlySet<string>,
  saleId: string,
): Promise<string[]> {
  const orders = await context.ledger.orders({ saleId }, 10_000);
  const problems = seen.changed > 0 ? ['an order was told to the shop otherwise than before'] : [];
  for (const { id, status } of orders)
    if (status === 'paid' && !taken.has(id)) problems.push(`${id} is paid, and the shop never had it`);

  // Changes that it has reported itself need not be told.
  const untold = () =>
    orders.filter(
      ({ id, status }) => (status === 'cancelled' || status === 'timed_out') && ended.get(id)?.status !== status,
    );
  await eventually(() => untold().length === 0, { timeoutMs: TOLD_WITHIN_MS }).catch(() => {});
  for (const { id, status } of untold()) problems.push(`the shop was not told that ${id} is ${status}`);

  const late = new Set(orders.map(({ id }) => id).filter((id) => payBack.has(id)));
  if (late.size === 0) problems.push('no payment came after a cancel or a time-out: this shows nothing');
  const told = await latePayments(context, saleId);
  for (const id of late)
    if (!told.includes(id)) problems.push(`the shop is to pay back ${id}, and no dead letter says so`);
  for (const id of told)
    if (!late.has(id)) problems.push(`a dead letter says that ${id} was paid too late, and the shop was not told`);
  if (new Set(told).size < told.length) problems.push('an order has two dead letters');
  return problems;
}

async function latePayments({ redis }: OperatorContext, saleId: string): Promise<string[]> {
  const queues = openOrderQueues({ connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  try {
    const { letters } = await readOrderLetters(queues.dead, { saleId, limit: 2_000 });
    return letters
      .filter(({ reason }) => reason === 'paid_after_release')
      .map(({ entry }) => {
        const parsed = parseReservation(entry);
        return parsed.ok ? parsed.reservation.reservationId : entry;
      });
  } finally {
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
  }
}
