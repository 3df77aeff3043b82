import { z } from 'zod';
import { SEARCHED_STATUSES } from '../../operator/sale/orders.ts';
import { reservationIdText } from '../../sale/ids.ts';
import { count, cursor, limit, listed, money, reason, time, type Endpoint } from './endpoint.ts';
import { SALES_PATH, saleParams } from './sales.ts';

/** The same fields as in `rain sale orders --json`. */
const order = z.object({
  orderId: z.string(),
  userId: z.string(),
  sku: z.string(),
  name: z.string().optional().describe('Of the item; only in lists.'),
  quantity: count,
  price: money.describe('Of one unit.'),
  amount: money.describe('Of all units of the order.'),
  status: z.enum(SEARCHED_STATUSES),
  reservedAt: time,
  payBy: time,
  changedAt: time.describe('Since when it has this status.'),
  ref: z.string().optional(),
  participant: listed,
});

/** The verb validates them, so that its refusals name them as the command line does. */
const search = {
  user: z.string().optional().describe('A complete user id.'),
  status: z.string().optional().describe(SEARCHED_STATUSES.join(', ')),
  order: z.string().optional().describe('A complete order id.'),
};

const path = `${SALES_PATH}/:saleId/orders`;
const tag = 'orders';
const orderParams = z.strictObject({ orderId: reservationIdText });
const byHand = z.strictObject({ reason, dryRun: z.boolean('expected true or false').default(false) });
const stepped = z.object({ changed: z.boolean().describe('False: it had this status before.'), order });

export const ordersApi = {
  list: {
    id: 'listOrders',
    method: 'GET',
    path,
    tag,
    summary: 'The orders of a sale, by id.',
    access: 'viewer',
    params: saleParams,
    query: z.strictObject({ ...search, cursor, limit: limit(500) }),
    status: 200,
    answer: z.object({ orders: z.array(order), next: z.string().optional() }),
  },
  csv: {
    id: 'exportOrders',
    method: 'GET',
    path: `${path}.csv`,
    tag,
    summary:
      'The orders that the search finds as CSV: UTF-8 with BOM; localTime, of the reservation, is in the time zone of the event. With the columns participantNumber, participantName and department where there is a list of participants. Cells that a spreadsheet would run as formulas are escaped.',
    access: 'viewer',
    params: saleParams,
    query: z.strictObject(search),
    status: 200,
    answer: z.string(),
    mediaType: 'text/csv',
  },
  totals: {
    id: 'totalOrders',
    method: 'GET',
    path: `${path}/totals`,
    tag,
    summary: 'Sums of the orders of a sale, by item and status. The revenue is the amount of the paid ones.',
    access: 'viewer',
    params: saleParams,
    status: 200,
    answer: z.object({
      totals: z.array(
        z.object({
          sku: z.string(),
          name: z.string().optional(),
          status: z.enum(SEARCHED_STATUSES),
          orders: count,
          units: count,
          amount: money,
        }),
      ),
    }),
  },
  pay: {
    id: 'payOrder',
    method: 'POST',
    path: '/api/console/orders/:orderId/pay',
    tag,
    summary: 'Mark an order that waits for its payment as paid. No money moves: the shop has it already.',
    access: 'operator',
    params: orderParams,
    body: byHand,
    status: 200,
    answer: stepped,
  },
  cancel: {
    id: 'cancelOrder',
    method: 'POST',
    path: '/api/console/orders/:orderId/cancel',
    tag,
    summary: 'Cancel an order that waits for its payment. Its units are sold again while the sale is open.',
    access: 'operator',
    params: orderParams,
    body: byHand,
    status: 200,
    answer: stepped,
  },
  refund: {
    id: 'refundOrder',
    method: 'POST',
    path: '/api/console/orders/:orderId/refund',
    tag,
    summary: 'Mark a paid order as refunded. The shop pays the money back itself.',
    access: 'operator',
    params: orderParams,
    body: byHand,
    status: 200,
    answer: stepped,
  },
} satisfies Record<string, Endpoint>;
