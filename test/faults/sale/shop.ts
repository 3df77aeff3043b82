import type { OperatorContext } from '../../../src/operator/context.ts';
import type { BookedOrder } from '../../../src/ledger/orders.ts';
import { reservationOrdinal } from '../../../src/sale/ids.ts';
import { startLoop } from '../../../src/platform/concurrency/loop.ts';
import { createSemaphore } from '../../../src/platform/concurrency/semaphore.ts';
import type { HonestBuyers } from '../users/honestBuyers.ts';

/**
 * The plan of an order, by its number: half of the buyers pay, some of them give it back, some cancel, the rest never
 * pays.
 */
function planOf(ordinal: number): 'pay' | 'refund' | 'cancel' | 'nothing' {
  const digit = ordinal % 10;
  return digit < 5 ? 'pay' : digit === 5 ? 'refund' : digit < 8 ? 'cancel' : 'nothing';
}

/** Orders of which it reports at once. */
const REPORTS_AT_ONCE_MAX = 8;

/** The orders that a shop knows, and how it reports. */
export type CallBack = Pick<OperatorContext['ledger'], 'orders' | 'stepOrder'>;

/** A shop that calls back twice, and calls "paid" for orders that were cancelled or have timed out. */
export function startShop(ledger: CallBack, saleId: string, buyers: HonestBuyers) {
  /** Orders of which a payment was accepted, and not refunded since. */
  const paid = new Set<string>();
  /** Orders whose payment it has reported, though the answer may have been cut off: it reports again. */
  const asked = new Set<string>();
  const cancelled = new Set<string>();
  const wrong: string[] = [];
  const inSlot = createSemaphore(REPORTS_AT_ONCE_MAX);

  async function pay(id: string): Promise<void> {
    asked.add(id);
    const [one, other] = await Promise.all([ledger.stepOrder(id, 'paid'), ledger.stepOrder(id, 'paid')]);
    if ([one, other].filter(({ outcome }) => outcome === 'done').length > 1) wrong.push(`${id} was paid twice`);
    if ([one, other].some(({ outcome }) => outcome === 'done' || outcome === 'was')) paid.add(id);
  }

  async function refund(id: string): Promise<void> {
    if ((await ledger.stepOrder(id, 'refunded')).outcome !== 'refused') paid.delete(id);
  }

  async function treat({ id, status }: BookedOrder): Promise<void> {
    const plan = planOf(reservationOrdinal(saleId, id)!);
    const isCut = status === 'paid' && asked.has(id) && !paid.has(id);
    if ((status === 'created' || isCut) && (plan === 'pay' || plan === 'refund')) await pay(id);
    if ((status === 'paid' || (status === 'refunded' && paid.has(id))) && plan === 'refund') await refund(id);
    if ((status === 'cancelled' || status === 'timed_out') && !cancelled.has(id)) {
      const { outcome } = await ledger.stepOrder(id, 'paid');
      cancelled.add(id);
      if (outcome !== 'refused') wrong.push(`a payment for ${id}, which is ${status}, was answered ${outcome}`);
    }
  }

  /** Orders side by side: one after the other, they would time out before their turn on a busy machine. */
  async function round(): Promise<void> {
    const orders = await ledger.orders({ saleId });
    for (const { id, userId, status } of orders)
      if (status === 'created' && planOf(reservationOrdinal(saleId, id)!) === 'cancel') buyers.cancel(userId, id);
    const treated = await Promise.allSettled(orders.map((order) => inSlot(() => treat(order))));
    for (const one of treated) if (one.status === 'rejected') throw one.reason;
  }

  // A database that is away is asked again: a shop repeats its calls.
  const loop = startLoop(() =>
    round().then(
      () => 100,
      () => 300,
    ),
  );
  return {
    close: () => loop.close(),
    /** @returns orders that the shop knows and the ledger does not have, at the end */
    async check(): Promise<string[]> {
      // It reports until each report has its answer, also when the sale was settled before it came.
      await round();
      const problems = [...wrong];
      for (const { id, status } of await ledger.orders({ saleId })) {
        if (paid.has(id) !== (status === 'paid'))
          problems.push(`the shop has ${paid.has(id) ? 'a' : 'no'} payment for ${id}, which is ${status}`);
      }
      return problems;
    },
  };
}
