import type { Ledger } from '../ledger/ledger.ts';
import type { BookedOrder } from '../ledger/orders.ts';
import type { OrderLetter } from './deadLetter.ts';
import type { LostReservation } from './reservations.ts';

/** An order that the order service refuses. */
interface RefusedOrder extends LostReservation {
  orderId: string;
}

/** A shop may call back `paid` before it refuses the same order: that one stays paid. */
const reasonOf = (status: BookedOrder['status'] | undefined) =>
  status === 'paid' ? 'refused_after_payment' : 'failed';

/** Gives each the reason that is true now. */
export async function nameReasons(
  ledger: Pick<Ledger, 'orders'>,
  refused: readonly RefusedOrder[],
): Promise<RefusedOrder[]> {
  if (refused.length === 0) return [];
  const ids = refused.map(({ orderId }) => orderId);
  const statuses = new Map((await ledger.orders({ ids }, ids.length)).map(({ id, status }) => [id, status]));
  return refused.map((one) => ({ ...one, reason: reasonOf(statuses.get(one.orderId)) }));
}

/**
 * Fails them, after their letters: a failed order is not posted again, so a crash in between would lose its reason.
 * @param replace called with the letter of an order that was paid after its reason was named
 */
export async function failRefused(
  ledger: Pick<Ledger, 'stepOrder'>,
  saleId: string,
  refused: readonly RefusedOrder[],
  replace: (letter: OrderLetter) => Promise<void>,
): Promise<void> {
  for (const { orderId, index, entry, detail, reason: named } of refused) {
    const stepped = await ledger.stepOrder(orderId, 'failed');
    const reason = reasonOf(stepped.outcome === 'no_order' ? undefined : stepped.order.status);
    if (reason !== named) await replace({ saleId, index, entry, detail, reason });
  }
}
