import { orderPage, ordersSheet, orderTotals, searchOrders } from '../../operator/sale/orders.ts';
import { cancelOrder, payOrder, refundOrder } from '../../operator/sale/step.ts';
import { reservationIdText } from '../../sale/ids.ts';
import { EXPECTED_CURSOR } from '../contract/endpoint.ts';
import { ordersApi } from '../contract/orders.ts';
import { refusalFor } from '../refusals.ts';
import { exportSheet } from './exportSheet.ts';
import { answerOf, declinedFor, route, saleRoute, type Route } from './route.ts';

export const orderRoutes: readonly Route[] = [
  saleRoute(ordersApi.list, async ({ context, sale, query: { limit, cursor, ...search } }) => {
    if (cursor !== undefined && !reservationIdText.safeParse(cursor).success)
      return { declined: refusalFor([{ field: 'cursor', reason: EXPECTED_CURSOR }], 'bad_request') };
    return answerOf(await orderPage(context, sale.id, search, limit, cursor));
  }),

  saleRoute(ordersApi.csv, async ({ context, visitor, sale, query, reply }) => {
    const found = await searchOrders(context, sale.id, query);
    if (!found.ok) return declinedFor(found.refusals);
    return exportSheet(reply, visitor, `orders-${sale.id}`, () => ordersSheet(context, found.orders, 'spreadsheet'));
  }),

  saleRoute(ordersApi.totals, async ({ context, sale }) => answerOf(await orderTotals(context, sale.id))),
  route(ordersApi.pay, async ({ context, params: { orderId }, body: { reason, dryRun } }) =>
    answerOf(await payOrder(context, orderId, reason, dryRun)),
  ),
  route(ordersApi.cancel, async ({ context, params: { orderId }, body: { reason, dryRun } }) =>
    answerOf(await cancelOrder(context, orderId, reason, dryRun)),
  ),
  route(ordersApi.refund, async ({ context, params: { orderId }, body: { reason, dryRun } }) =>
    answerOf(await refundOrder(context, orderId, reason, dryRun)),
  ),
];
