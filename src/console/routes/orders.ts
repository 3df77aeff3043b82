import { orderPage, ordersSheet, searchOrders } from '../../operator/sale/orders.ts';
import { cancelOrder, refundOrder } from '../../operator/sale/step.ts';
import { reservationIdText } from '../../sale/ids.ts';
import { EXPECTED_CURSOR } from '../contract/endpoint.ts';
import { ordersApi } from '../contract/orders.ts';
import { refusalFor } from '../refusals.ts';
import { AT_ONCE, declinedForNow } from './atOnce.ts';
import { answerOf, declinedFor, route, saleRoute, type Route } from './route.ts';

export const orderRoutes: readonly Route[] = [
  saleRoute(ordersApi.list, async ({ context, sale, query: { limit, cursor, ...search } }) => {
    if (cursor !== undefined && !reservationIdText.safeParse(cursor).success) return { declined: refusalFor([{ field: 'cursor', reason: EXPECTED_CURSOR }], 'bad_request') };
    return answerOf(await orderPage(context, sale.id, search, limit, cursor));
  }),

  saleRoute(ordersApi.csv, async ({ context, visitor, sale, query, reply }) => {
    const found = await searchOrders(context, sale.id, query);
    if (!found.ok) return declinedFor(found.refusals);
    const end = AT_ONCE.exports(visitor.name);
    if (!end) return declinedForNow();
    const stream = ordersSheet(found.orders, 'spreadsheet');
    stream.once('close', end);
    void reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="orders-${sale.id}.csv"`).send(stream);
    return 'streamed';
  }),

  route(ordersApi.cancel, async ({ context, params: { orderId }, body: { reason, dryRun } }) => answerOf(await cancelOrder(context, orderId, reason, dryRun))),
  route(ordersApi.refund, async ({ context, params: { orderId }, body: { reason, dryRun } }) => answerOf(await refundOrder(context, orderId, reason, dryRun))),
];
