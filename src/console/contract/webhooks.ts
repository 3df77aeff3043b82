import { z } from 'zod';
import { RESULT_STATUSES } from '../../credit/batchAnswer.ts';
import { userId } from '../../rain/ids.ts';
import { purchaseRef, reservationIdText, saleId, sku } from '../../sale/ids.ts';
import { price } from '../../sale/item.ts';
import { quantity } from '../../sale/units.ts';

/**
 * A request that workers make to the order service of a shop; documented for its developers in
 * docs/reference/order-service.md.
 */
interface Webhook {
  summary: string;
  description: string;
  body: z.ZodType;
  answer: z.ZodType;
}

const moment = z.string().describe('Epoch milliseconds.');
const orderId = reservationIdText.describe('The id of the reservation and of its order.');
const answer = z.object({
  results: z.array(z.object({ orderId, status: z.enum(RESULT_STATUSES), reason: z.string().optional() })),
});

export const WEBHOOKS: Record<'orders' | 'ended', Webhook> = {
  orders: {
    summary: 'Orders of one sale',
    description:
      'Posted to ORDER_WEBHOOK_URL, signed, until the answer names each of them. See docs/reference/order-service.md.',
    answer,
    body: z.object({
      orders: z.array(
        z.object({
          orderId,
          saleId,
          userId,
          sku,
          quantity,
          price,
          amount: price.describe('Of all units.'),
          ref: purchaseRef.optional().describe("The buyer's own name for the purchase."),
          at: moment,
          payBy: moment.describe('Until then it waits for its payment, epoch milliseconds.'),
        }),
      ),
    }),
  },
  ended: {
    summary: 'Orders of one sale that have ended',
    description:
      'Posted to the same address, signed, until the answer names each of them, for two hours or longer. The answer changes no order.',
    answer,
    body: z.object({
      ended: z.array(
        z.object({ orderId, saleId, userId, status: z.enum(['cancelled', 'timed_out', 'failed', 'refunded']) }),
      ),
    }),
  },
};
