import { Readable } from 'node:stream';
import { z } from 'zod';
import { iso } from '../../rain/figures.ts';
import { userId } from '../../rain/ids.ts';
import { refusalsOf } from '../../rain/refusal.ts';
import { reservationIdText } from '../../sale/ids.ts';
import { ORDER_STATUSES } from '../../sale/order.ts';
import type { Units } from '../../sale/units.ts';
import { amountOf } from '../../sale/item.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import type { BookedOrder, OrderQuery, OrderTotal } from '../../ledger/orders.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { sheetOf, type SheetReader } from '../sheet.ts';
import { withParticipants, type Listed } from '../withParticipants.ts';
import { noSaleReason } from './lost.ts';

/** The statuses that an order can be searched by: one that is only reserved is not written yet. */
export const SEARCHED_STATUSES = ORDER_STATUSES.filter((status) => status !== 'reserved');

const STATUS = `expected ${SEARCHED_STATUSES.join(', ')}`;
const orderSearch = z.strictObject({
  user: userId.optional(),
  status: z.enum(SEARCHED_STATUSES, STATUS).optional(),
  order: reservationIdText.optional(),
});
/** As somebody typed it: it is checked here. */
interface OrderSearch {
  user?: string | undefined;
  status?: string | undefined;
  order?: string | undefined;
}

/**
 * Times are ISO texts, the price of a unit and the amount of all of them decimal strings. `name`: of the item, if it
 * has one.
 */
interface OrderView {
  orderId: string;
  userId: string;
  sku: string;
  name?: string;
  quantity: Units;
  price: string;
  amount: string;
  status: BookedOrder['status'];
  reservedAt: string;
  payBy: string;
  changedAt: string;
  ref?: string;
  /** Only in lists. */
  participant?: Listed;
}

const COLUMNS = [
  'orderId',
  'userId',
  'sku',
  'name',
  'quantity',
  'price',
  'amount',
  'status',
  'reservedAt',
  'payBy',
  'changedAt',
  'ref',
] as const satisfies readonly (keyof OrderView)[];
/** `name` is the item's. */
const PARTICIPANT_COLUMNS = ['participantNumber', 'participantName', 'department'];

/** @param items its sale's */
export function viewOrder(
  { id, userId: user, sku, quantity, price, status, reservedAt, payBy, changedAt, ref }: BookedOrder,
  items: BookedSale['items'] = [],
): OrderView {
  const name = items.find((item) => item.sku === sku)?.name;
  return {
    orderId: id,
    userId: user,
    sku,
    ...(name !== undefined && { name }),
    quantity,
    price,
    amount: amountOf({ price, quantity }),
    status,
    reservedAt: iso(reservedAt),
    payBy: iso(payBy),
    changedAt: iso(changedAt),
    ...(ref !== undefined && { ref }),
  };
}

type SaleOrderQuery = OrderQuery & { saleId: string };
interface Search {
  query: SaleOrderQuery;
  items: BookedSale['items'];
}
type Searched = { ok: true; orders: AsyncGenerator<OrderView, void> } | Refused;
/** `next`: absent on the last page. */
type OrderPage = { ok: true; orders: OrderView[]; next?: string } | Refused;

/** The orders of a sale that the search finds, by their numbers. */
export async function searchOrders(
  context: OperatorContext,
  saleId: string,
  search: OrderSearch = {},
): Promise<Searched> {
  const read = await readSearch(context, saleId, search);
  return read.ok ? { ok: true, orders: pages(context, read) } : read;
}

/** One page of them. @param after the `next` of the previous page */
export async function orderPage(
  context: OperatorContext,
  saleId: string,
  search: OrderSearch,
  limit: number,
  after?: string,
): Promise<OrderPage> {
  const read = await readSearch(context, saleId, search);
  if (!read.ok) return read;
  const orders = await context.ledger.numberedOrders({ ...read.query, ...(after !== undefined && { after }) }, limit);
  return {
    ok: true,
    orders: await viewOrders(context, orders, read.items),
    ...(orders.length === limit && { next: orders.at(-1)!.id }),
  };
}

/** The sums of the orders of a sale, by item and status. */
export async function orderTotals(
  context: OperatorContext,
  saleId: string,
): Promise<{ ok: true; totals: (OrderTotal & { name?: string })[] } | Refused> {
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('id', await noSaleReason(context, saleId));
  const names = new Map(sale.items.map(({ sku, name }) => [sku, name]));
  const totals = (await context.ledger.orderTotals(saleId)).map((total) => {
    const name = names.get(total.sku);
    return { ...total, ...(name !== undefined && { name }) };
  });
  return { ok: true, totals };
}

async function readSearch(
  context: OperatorContext,
  saleId: string,
  search: OrderSearch,
): Promise<({ ok: true } & Search) | Refused> {
  const parsed = orderSearch.safeParse(search);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'search') };
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('id', await noSaleReason(context, saleId));
  const { user, status, order } = parsed.data;
  return {
    ok: true,
    items: sale.items,
    query: {
      saleId,
      ...(user !== undefined && { userId: user }),
      ...(status && { status }),
      ...(order !== undefined && { ids: [order] }),
    },
  };
}

async function* pages(context: OperatorContext, { query, items }: Search): AsyncGenerator<OrderView, void> {
  const { ledger } = context;
  for (
    let page = await ledger.numberedOrders(query);
    page.length > 0;
    page = await ledger.numberedOrders({ ...query, after: page.at(-1)!.id })
  )
    yield* await viewOrders(context, page, items);
}

const viewOrders = (
  context: OperatorContext,
  orders: readonly BookedOrder[],
  items: BookedSale['items'],
): Promise<OrderView[]> =>
  withParticipants(
    context,
    orders.map((order) => viewOrder(order, items)),
  );

/** All of them as CSV; where there is a list of participants, with what it has of the buyers. */
export async function ordersSheet(
  { ledger, timeZone }: Pick<OperatorContext, 'ledger' | 'timeZone'>,
  orders: AsyncIterable<OrderView>,
  reader: SheetReader,
): Promise<Readable> {
  const localTime = { column: 'reservedAt', timeZone };
  return (await ledger.hasParticipants())
    ? sheetOf(flat(orders), [...COLUMNS, ...PARTICIPANT_COLUMNS], reader, localTime)
    : sheetOf(orders, COLUMNS, reader, localTime);
}

async function* flat(orders: AsyncIterable<OrderView>): AsyncGenerator<object, void> {
  for await (const { participant, ...order } of orders)
    yield {
      ...order,
      participantNumber: participant?.number,
      participantName: participant?.name,
      department: participant?.department,
    };
}

/** All of them as JSON, one object per line. */
export function ordersLines(orders: AsyncIterable<object>): Readable {
  return Readable.from(orders).map((order: unknown) => `${JSON.stringify(order)}\n`);
}
