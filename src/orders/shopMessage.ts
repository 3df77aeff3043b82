import { z } from 'zod';
import { readBatchAnswer, RESULT_STATUSES } from '../credit/batchAnswer.ts';
import type { BookedOrder } from '../ledger/orders.ts';
import { batchKey, type SignedRequest } from '../platform/network/signedPost.ts';
import type { EndedOrder } from './endedOrders.ts';
import { amountOf } from '../sale/item.ts';

/** Orders of one sale, as a shop gets them. Documented for its developers in docs/reference/order-service.md. */
export function orderRequest(saleId: string, orders: readonly BookedOrder[]): SignedRequest {
  const payload = orders.map(({ id, userId, sku, quantity, price, ref, reservedAt, payBy }) => ({
    orderId: id,
    saleId,
    userId,
    sku,
    quantity,
    price,
    amount: amountOf({ price, quantity }),
    ...(ref !== undefined && { ref }),
    at: String(reservedAt),
    payBy: String(payBy),
  }));
  return { key: keyOf(payload.map(({ orderId }) => orderId)), body: JSON.stringify({ orders: payload }) };
}

/** Orders of one sale that have ended, as a shop is told of them. */
export function endedRequest(saleId: string, orders: readonly EndedOrder[]): SignedRequest {
  const ended = orders.map(({ id, userId, status }) => ({ orderId: id, saleId, userId, status }));
  return { key: keyOf(ended.map(({ orderId, status }) => `${orderId}-${status}`)), body: JSON.stringify({ ended }) };
}

function keyOf(ids: readonly string[]): string {
  return ids.length === 1 ? ids[0]! : batchKey(ids);
}

const orderResult = z.object({
  orderId: z.string(),
  status: z.enum(RESULT_STATUSES),
  reason: z.string().optional().catch(undefined),
});
export type OrderResult = z.infer<typeof orderResult>;

/** The results of an answer by order id; `undefined`: not a valid answer. */
export function readOrderResults(text: string): Map<string, OrderResult> | undefined {
  return readBatchAnswer(
    text,
    (value) => orderResult.safeParse(value).data,
    ({ orderId }) => orderId,
  );
}
