import { formatMoney, parseMoney } from '../rain/money.ts';
import { ORDER_STEPS, type OrderStatus, type OrderStep } from '../sale/order.ts';
import type { Reservation } from '../sale/reservation.ts';
import type { Units } from '../sale/units.ts';
import type { OrderStatus as StoredStatus, SaleOrder } from './generated/client.ts';
import { record } from './actions.ts';
import { attempt } from './attempt.ts';
import { byIndex } from './byIndex.ts';
import type { Database, Transaction } from './database.ts';

/** An order as the ledger has it; its id is the reservation's. Times are epoch ms. */
export interface BookedOrder {
  id: string;
  saleId: string;
  userId: string;
  sku: string;
  quantity: Units;
  price: string;
  ref?: string;
  status: Exclude<OrderStatus, 'reserved'>;
  reservedAt: number;
  payBy: number;
  changedAt: number;
}

/** The reservation from which an order was written; its signature is to be made anew. */
export function reservationOf(booked: BookedOrder): Omit<Reservation, 'mac'> {
  const { id: reservationId, saleId, userId, sku, quantity, price, ref, reservedAt, payBy } = booked;
  return {
    saleId,
    reservationId,
    userId,
    sku,
    quantity,
    price,
    ...(ref !== undefined && { ref }),
    at: String(reservedAt),
    payBy: String(payBy),
  };
}

/**
 * The outcome of one reservation, in order of precedence. Only `created` wrote an order; `already` was written before
 * [R5].
 */
type Writing =
  | { outcome: 'created' | 'already'; order: BookedOrder }
  /** An order with this id says something else, or the buyer has another order with this ref. */
  | { outcome: 'differs'; existing: BookedOrder };

/**
 * Writes the orders of reservations of one sale, each exactly once, however often it is delivered and in whatever batch
 * [R5]; the database takes their units from the stock. All of them or none.
 * @returns one outcome per reservation, in order
 * @throws when the database refuses (no such item, price or quantity; not enough units) or cannot be reached; then
 *   nothing was written, unless an answer was lost
 */
export async function writeOrders(database: Database, reservations: readonly Reservation[]): Promise<Writing[]> {
  if (reservations.length === 0) return [];
  if (reservations.some(({ saleId }) => saleId !== reservations[0]!.saleId))
    throw new TypeError('reservations of several sales in one writing');
  const written = await insert(database, reservations);
  const before = reservations.flatMap(({ reservationId }) => (written.has(reservationId) ? [] : [reservationId]));
  const found = new Map(written);
  if (before.length > 0)
    for (const row of await database.saleOrder.findMany({ where: { id: { in: before } } }))
      found.set(row.id, toBooked(row));
  const writings: Writing[] = [];
  for (const reservation of reservations) {
    const booked = found.get(reservation.reservationId);
    const existing = booked ?? (await ofRef(database, reservation));
    if (!existing)
      throw new Error(`the reservation ${reservation.reservationId} was not written, but no order stands in its way`);
    writings.push(
      booked && isSame(booked, reservation)
        ? { outcome: written.delete(booked.id) ? 'created' : 'already', order: booked }
        : { outcome: 'differs', existing },
    );
  }
  return writings;
}

/**
 * One statement for any number of orders, and no transaction around it: the stock of their items is locked until it is
 * committed, and all other writers wait. The sale says how long a reservation waits for its payment: its entry in Redis
 * may say anything.
 * @returns the orders that it has written, by id; the others are there already, or their ref is
 */
async function insert(database: Database, reservations: readonly Reservation[]): Promise<Map<string, BookedOrder>> {
  // In one order, so that two batches with the same reservations wait for each other instead of deadlocking.
  const rows = reservations.toSorted((a, b) =>
    a.reservationId < b.reservationId ? -1 : a.reservationId > b.reservationId ? 1 : 0,
  );
  // One row with lists of what the database knows better: a row for each order, with all that we have sent, would take
  // as long as the writing.
  const [written] = await database.$queryRaw<{ ids: string[] | null; payBys: number[] | null; changedAt: Date }[]>`
    WITH written AS (
      INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "ref", "reservedAt", "payBy")
      SELECT "id", ${rows[0]!.saleId}, "userId", "sku", "quantity", "priceCents", "ref", "reservedAt",
        "reservedAt" + (SELECT "holdMs" FROM "Sale" WHERE "Sale"."id" = ${rows[0]!.saleId}) * interval '1 millisecond'
      FROM unnest(${rows.map(({ reservationId }) => reservationId)}::text[], ${rows.map(({ userId }) => userId)}::text[], ${rows.map(({ sku }) => sku)}::text[],
        ${rows.map(({ quantity }) => quantity)}::int[], ${rows.map(({ price }) => parseMoney(price)!)}::bigint[], ${rows.map(({ ref }) => ref ?? null)}::text[],
        ${rows.map(({ at }) => new Date(Number(at)).toISOString())}::timestamptz[])
        WITH ORDINALITY AS reserved ("id", "userId", "sku", "quantity", "priceCents", "ref", "reservedAt", "place")
      ORDER BY "place" ON CONFLICT DO NOTHING RETURNING "id", "payBy", "changedAt")
    SELECT array_agg("id") AS "ids", array_agg(round(extract(epoch FROM "payBy") * 1000)::float8) AS "payBys", min("changedAt") AS "changedAt" FROM written`;
  const payBys = new Map(written!.ids?.map((id, i) => [id, written!.payBys![i]!]));
  const inserted = new Map<string, BookedOrder>();
  for (const { reservationId: id, saleId, userId, sku, quantity, price, ref, at } of rows) {
    const payBy = payBys.get(id);
    // If two have one id, the first is written.
    if (payBy === undefined || inserted.has(id)) continue;
    inserted.set(id, {
      id,
      saleId,
      userId,
      sku,
      quantity,
      price,
      ...(ref !== undefined && { ref }),
      status: 'created',
      reservedAt: Number(at),
      payBy,
      changedAt: written!.changedAt.getTime(),
    });
  }
  return inserted;
}

async function ofRef(database: Database, { saleId, userId, ref }: Reservation): Promise<BookedOrder | undefined> {
  const row =
    ref === undefined
      ? null
      : await database.saleOrder.findUnique({ where: { saleId_userId_ref: { saleId, userId, ref } } });
  return row ? toBooked(row) : undefined;
}

function isSame(booked: BookedOrder, { userId, sku, quantity, price }: Reservation): boolean {
  return booked.userId === userId && booked.sku === sku && booked.quantity === quantity && booked.price === price;
}

/** Field by field: an audit reads a million, and a spread takes several times as long. */
export function toBooked({
  id,
  saleId,
  userId,
  sku,
  quantity,
  priceCents,
  ref,
  status,
  reservedAt,
  payBy,
  changedAt,
}: SaleOrder): BookedOrder {
  const booked: BookedOrder = {
    id,
    saleId,
    userId,
    sku,
    quantity,
    price: formatMoney(priceCents),
    status,
    reservedAt: reservedAt.getTime(),
    payBy: payBy.getTime(),
    changedAt: changedAt.getTime(),
  };
  if (ref !== null) booked.ref = ref;
  return booked;
}

/** `done`: changed by this call. `was`: it had this status before. `refused`: its status does not allow the step. */
type Stepping = { outcome: 'done' | 'was' | 'refused'; order: BookedOrder } | { outcome: 'no_order' };

/**
 * Takes one step of an order. One row decides: of a payment and a time-out at the same moment exactly one is done, and
 * the database moves the units with it.
 */
export async function stepOrder(database: Database | Transaction, orderId: string, step: OrderStep): Promise<Stepping> {
  const changed = await database.$queryRaw<SaleOrder[]>`
    UPDATE "SaleOrder" SET "status" = ${step}::"OrderStatus", "changedAt" = now()
    WHERE "id" = ${orderId} AND "status"::text = ANY (${[...ORDER_STEPS[step]]}::text[]) RETURNING *`;
  if (changed[0]) return { outcome: 'done', order: toBooked(changed[0]) };
  const row = await database.saleOrder.findUnique({ where: { id: orderId } });
  if (!row) return { outcome: 'no_order' };
  return { outcome: row.status === step ? 'was' : 'refused', order: toBooked(row) };
}

/** How the record calls a step by hand. */
const VERBS = { paid: 'pay', cancelled: 'cancel', refunded: 'refund' } as const;

/** The same by an operator's hand, with the record of it: both or nothing. @param reason in the operator's own words */
export function stepOrderByHand(
  database: Database,
  orderId: string,
  step: keyof typeof VERBS,
  { actor, reason }: { actor: string; reason: string },
  dryRun = false,
): Promise<Stepping> {
  return attempt(
    database,
    async (transaction) => {
      const stepped = await stepOrder(transaction, orderId, step);
      if (stepped.outcome === 'done') {
        const { saleId, userId, sku, quantity } = stepped.order;
        await record(transaction, {
          actor,
          verb: VERBS[step],
          rainId: saleId,
          details: { orderId, userId, sku, quantity, reason },
        });
      }
      return stepped;
    },
    dryRun,
  );
}

/**
 * Ends orders that were not paid in time, oldest first; several callers at once share the work. By the places of the
 * rows, so that it takes the same time per order whatever the planner knows of the table: with the status as text, it
 * cannot take the index of waiting orders a second time and compare each of them with all places.
 * @param except sales whose orders wait
 * @returns how many
 */
export function expireOrders(database: Database, limit: number, except: readonly string[] = []): Promise<number> {
  return byIndex(
    database,
    (transaction) => transaction.$executeRaw`
    UPDATE "SaleOrder" SET "status" = 'timed_out', "changedAt" = now()
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM "SaleOrder" WHERE "status" = 'created' AND "payBy" <= now() AND "saleId" <> ALL (${[...except]}::text[]) ORDER BY "payBy" LIMIT ${limit} FOR UPDATE SKIP LOCKED)) AND "status"::text = 'created'`,
  );
}

/** A buyer's wish to cancel an order. */
interface CancelWish {
  orderId: string;
  userId: string;
}

/**
 * Cancels all of these orders that wait for their payment, and leaves the others as they are; also an order of somebody
 * else. Locks in one order, so that two callers with the same orders wait for each other instead of deadlocking.
 * @returns ids of which there is no order yet
 */
export async function cancelOrders(database: Database, wishes: readonly CancelWish[]): Promise<Set<string>> {
  const ids = wishes.map(({ orderId }) => orderId);
  // Read first: an order that is written afterwards counts as missing, and its wish is carried out again. Read last,
  // the wish would be lost.
  const written = await database.saleOrder.findMany({ where: { id: { in: ids } }, select: { id: true } });
  await database.$executeRaw`
    UPDATE "SaleOrder" SET "status" = 'cancelled', "changedAt" = now()
    WHERE "status"::text = ANY (${[...ORDER_STEPS.cancelled]}::text[]) AND "id" IN (
      SELECT "id" FROM "SaleOrder" JOIN unnest(${ids}::text[], ${wishes.map(({ userId }) => userId)}::text[]) AS wish ("orderId", "buyer") ON "id" = "orderId" AND "userId" = "buyer"
      WHERE "status"::text = ANY (${[...ORDER_STEPS.cancelled]}::text[]) ORDER BY "id" FOR UPDATE OF "SaleOrder")`;
  const missing = new Set(ids);
  for (const { id } of written) missing.delete(id);
  return missing;
}

/** How far a sale that is over has come. */
interface OrderCounts {
  /** All that were written. */
  orders: number;
  /** Orders that wait for their payment. */
  created: number;
  unfollowed: number;
}

export async function orderCounts(database: Database, saleId: string): Promise<OrderCounts> {
  const [row] = await database.$queryRaw<Record<keyof OrderCounts, bigint>[]>`
    SELECT count(*) AS "orders", count(*) FILTER (WHERE "SaleOrder"."status" = 'created') AS "created", count("orderId") AS "unfollowed"
    FROM "SaleOrder" LEFT JOIN "UnfollowedOrder" ON "orderId" = "id" WHERE "SaleOrder"."saleId" = ${saleId}`;
  return { orders: Number(row!.orders), created: Number(row!.created), unfollowed: Number(row!.unfollowed) };
}

/** The sum of the orders of one item with one status. */
export interface OrderTotal {
  sku: string;
  status: BookedOrder['status'];
  orders: number;
  units: number;
  amount: string;
}

/** All orders of a sale, by item and status. */
export async function orderTotals(database: Database, saleId: string): Promise<OrderTotal[]> {
  const rows = await database.$queryRaw<
    { sku: string; status: BookedOrder['status']; orders: number; units: number; cents: string }[]
  >`
    SELECT "sku", "status"::text AS "status", count(*)::float8 AS "orders", sum("quantity")::float8 AS "units", sum("quantity"::numeric * "priceCents")::text AS "cents"
    FROM "SaleOrder" WHERE "saleId" = ${saleId} GROUP BY "sku", "status" ORDER BY "sku", "status"`;
  return rows.map(({ cents, ...plain }) => ({ ...plain, amount: formatMoney(BigInt(cents)) }));
}

export async function order(database: Database, orderId: string): Promise<BookedOrder | undefined> {
  const row = await database.saleOrder.findUnique({ where: { id: orderId } });
  return row ? toBooked(row) : undefined;
}

/** Which of these reservations have an order. */
export async function ordersAmong(database: Database, reservationIds: readonly string[]): Promise<Set<string>> {
  const rows = await database.$queryRaw<
    { id: string }[]
  >`SELECT "id" FROM "SaleOrder" WHERE "id" = ANY (${[...reservationIds]}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

export interface OrderQuery {
  saleId?: string;
  userId?: string;
  status?: StoredStatus;
  /** Only these orders. */
  ids?: readonly string[];
  /** Id of the last order of the previous page. */
  after?: string;
}

/** The orders that the query finds, by id. */
export async function orders(
  database: Database,
  { after, ids, ...where }: OrderQuery,
  limit = 1_000,
): Promise<BookedOrder[]> {
  const rows = await database.saleOrder.findMany({
    where: { ...where, id: { ...(after !== undefined && { gt: after }), ...(ids && { in: [...ids] }) } },
    orderBy: { id: 'asc' },
    take: limit,
  });
  return rows.map(toBooked);
}
