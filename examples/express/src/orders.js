import { centsOf, ENDS, isAmount } from './shop.js';
import { signed } from './signature.js';

const AGAIN_MS_MAX = 60_000;
/**
 * What repeating a report would not change, see "Your callbacks" of docs/reference/order-service.md. A status alone
 * decides nothing: it may come from a proxy, so the answer must name the order.
 */
const isFinal = (httpStatus) => [200, 404, 409].includes(httpStatus);

/**
 * The order service behind ORDER_SERVICE=webhook, see docs/reference/order-service.md. Buyers pay from their wallet.
 */
export function openOrders(shop, journal, { consoleUrl, secret }) {
  async function take(order) {
    const { orderId } = order;
    // An end may overtake its order; what has ended is not to be delivered.
    if (shop.order(orderId)) return journal.written().then(() => ({ orderId, status: 'already' }));
    if (!isAmount(order.amount))
      return { orderId, status: 'refused', reason: 'amount: expected a text with two digits' };
    await journal.record({ type: 'ordered', order });
    return { orderId, status: 'done' };
  }

  async function end({ orderId, status }) {
    if (ENDS.has(shop.order(orderId)?.status)) await journal.written();
    else await journal.record({ type: 'ended', orderId, status });
    return { orderId, status: 'done' };
  }

  /** Reports a payment until the answer is final; a payment that came too late is paid back. */
  async function report({ orderId }) {
    for (let pauseMs = 500; ; pauseMs = Math.min(AGAIN_MS_MAX, pauseMs * 2)) {
      const body = JSON.stringify({ orderId, status: 'paid' });
      const answer = await fetch(`${consoleUrl}/api/shop/orders/${encodeURIComponent(orderId)}`, {
        method: 'POST',
        headers: signed(secret, body),
        body,
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined);
      const told = await answer?.json().catch(() => undefined);
      // Meanwhile the workers may have told that it has ended.
      if (shop.order(orderId).status !== 'debited') return;
      if (told?.orderId === orderId && isFinal(answer.status)) {
        const hasEnded = !answer.ok || ENDS.has(told.status);
        return journal.record(
          hasEnded
            ? { type: 'ended', orderId, status: ENDS.has(told.status) ? told.status : 'failed' }
            : { type: 'confirmed', orderId },
        );
      }
      await new Promise((resolve) => {
        setTimeout(resolve, pauseMs).unref();
      });
    }
  }

  // Those whose payment is on the disk, and whose report was cut off.
  for (const order of shop.unreported()) void report(order);

  return {
    async answer({ orders, ended }) {
      return { results: await Promise.all(orders ? orders.map(take) : (ended ?? []).map(end)) };
    },
    /** @returns why not, as a code; undefined: it is paid */
    async pay(orderId, userId) {
      const order = shop.order(orderId);
      if (order?.userId !== userId) return 'no_such_order';
      if (order.status !== 'open')
        return order.status === 'debited' || order.status === 'paid' ? undefined : 'order_ended';
      if (Date.now() > Number(order.payBy)) return 'too_late';
      if (shop.balanceOf(userId) < centsOf(order.amount)) return 'too_little_money';
      await journal.record({ type: 'debited', orderId });
      void report(order);
      return undefined;
    },
  };
}
