import { bisect, type Late } from '../credit/bisect.ts';
import { orRefused } from '../credit/ledgerProvider.ts';
import type { Logged } from '../credit/logEntries.ts';
import { openJob } from '../credit/openJob.ts';
import { scheduleRetry, type RetryJob, type ScheduleRetryOptions } from '../credit/scheduleRetry.ts';
import type { PostOutcome } from '../credit/payoutProvider.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BookedOrder } from '../ledger/orders.ts';
import { refusalReason, type NewRefusal, type Refusal } from '../ledger/refusals.ts';
import { isFree } from '../sale/order.ts';
import type { heldByAll } from '../store/sales.ts';
import type { OrderDeadReason, OrderLetter } from './deadLetter.ts';
import { orderJob, orderJobId, type OrderJob } from './job.ts';
import { OTHER_SALE_KEY } from '../store/saleSigner.ts';
import type { Signer } from '../store/signer.ts';
import type { OrderService } from './orderService.ts';
import { failRefused, nameReasons } from './refusedOrders.ts';
import {
  compareWithHeld,
  parseReservations,
  partUnsigned,
  type HeldEntry,
  type LoggedReservation,
  type LostReservation,
} from './reservations.ts';

/**
 * The result of one range: orders that are in the ledger and with the order service, dead-lettered entries, and orders
 * that will be retried.
 */
export interface OrderReport {
  ordered: number;
  dead: number;
  later: number;
}

export interface OrderRangeDependencies extends ScheduleRetryOptions {
  ledger: Pick<Ledger, 'writeOrders' | 'payFreeOrders' | 'stepOrder' | 'sale' | 'orders' | 'refuseReservations'>;
  /** The entries in Redis of these buyers; `undefined`: it has no such sale. */
  heldBy: (saleId: string, userIds: readonly string[]) => ReturnType<typeof heldByAll>;
  signer: Pick<Signer, 'isReservation'>;
  /** Whether this process can tell what nobody has signed in this sale. */
  hasKey(saleId: string): Promise<boolean>;
  service: OrderService;
  /**
   * Called after the order service has the orders, never before, those of nothing as paid; called again when a later
   * step fails.
   */
  onCreated(saleId: string, orders: readonly BookedOrder[]): Promise<void>;
  /**
   * Called after the ledger has recorded that it refuses reservations which their buyers were told; called again when a
   * later step fails.
   */
  onRefused(saleId: string, refused: readonly Refusal[]): Promise<void>;
  /**
   * Called with orders that have timed out before the service has confirmed them, and what it answered last; perhaps
   * again.
   */
  onUndelivered(saleId: string, orderIds: readonly string[], reason: string): Promise<void>;
  /** Adds a dead letter once, however often it is passed in. */
  deadLetter(letters: readonly OrderLetter[]): Promise<void>;
  /** Puts another letter in the place of the one about the same entry. */
  replaceLetter(letter: OrderLetter): Promise<void>;
  /** Adds a job once, however often it is passed in before it is done. */
  addLater(jobs: readonly RetryJob<OrderJob>[]): Promise<void>;
}

/** A reservation with its order. */
type Ordered = HeldEntry & { order: BookedOrder };

/**
 * The order worker's work on one job, as a pipe: open → parse → verify → compare with Redis → write → post to the order
 * service → pay what costs nothing → announce → dead-letter → record and tell who is refused → fail → schedule retries.
 * A fault in any step repeats the whole, and finished work is found done: no step is skipped, and no order is written
 * twice [R5]. Retries are in the queue before this job is done: a crash in between makes them run twice, at most.
 * @throws UnrecoverableError when the job is invalid, which a retry cannot change; any other error is a fault to retry
 */
export async function orderRange(id: string, data: unknown, parts: OrderRangeDependencies): Promise<OrderReport> {
  const job = openJob(orderJob, data);
  const { saleId } = job;
  const { reservations, lost } = parseReservations(job);
  const { signed, forged, unverified } = await verify(parts, saleId, reservations);
  const held =
    signed.length === 0
      ? new Map()
      : await parts.heldBy(
          saleId,
          signed.map(({ reservation }) => reservation.userId),
        );
  const compared = held ? compareWithHeld(signed, held) : { reserved: [], lost: [] };
  // The log was read from Redis, so it had the sale: it may get it back, or its keys have expired.
  const unknown = held ? [] : signed.map((one): Late<Logged> => ({ ...one, detail: `Redis has no sale ${saleId}` }));
  const written = await write(parts.ledger, saleId, compared.reserved);
  // An order that was ended or paid meanwhile needs no service: whoever did that has told it.
  const waiting = written.ordered.filter(({ order }) => order.status === 'created');
  const served = await bisect<Ordered, 'failed'>(waiting, 'failed', (batch) =>
    parts.service.post(
      saleId,
      batch.map(({ order }) => order),
    ),
  );
  const created = served.committed
    .filter(({ known }) => known === 'reserved' || known === 'created')
    .map(({ order }) => order);
  // Paid first: what is announced is not sent again when this job is lost.
  const paid = await parts.ledger.payFreeOrders(
    served.committed.filter(({ order }) => isFree(order)).map(({ order }) => order.id),
  );
  // A free order that is not paid has ended meanwhile, and whoever ended it has told it.
  const told = created.flatMap((order): BookedOrder[] =>
    !isFree(order) ? [order] : paid.has(order.id) ? [{ ...order, status: 'paid' }] : [],
  );
  if (told.length > 0) await parts.onCreated(saleId, told);
  const payBys = new Map(reservations.map(({ index, reservation }) => [index, Number(reservation.payBy)]));
  const late = [...unverified, ...unknown, ...written.late, ...served.late]
    .sort((a, b) => a.index - b.index)
    .map((one) => ({ ...one, leftMs: payBys.get(one.index)! - parts.now() }));
  const scheduled = scheduleRetry({ id, data: job, idOf: orderJobId }, late, parts);
  const failing = await nameReasons(
    parts.ledger,
    served.lost.map((one) => ({ ...one, orderId: waiting.find(({ index }) => index === one.index)!.order.id })),
  );
  const given: LostReservation[] = [
    ...lost,
    ...forged,
    ...compared.lost,
    ...written.lost,
    ...failing,
    ...scheduled.lost,
  ];
  if (given.length > 0)
    await parts.deadLetter(given.map(({ index, entry, reason, detail }) => ({ saleId, index, entry, reason, detail })));
  const refused = await parts.ledger.refuseReservations(written.refused);
  if (refused.length > 0) await parts.onRefused(saleId, refused);
  await failRefused(parts.ledger, saleId, failing, parts.replaceLetter);
  if (scheduled.jobs.length > 0) await parts.addLater(scheduled.jobs);
  // Only what the service has never confirmed is in such a job.
  const undelivered = job.later
    ? written.ordered.filter(({ order }) => order.status === 'timed_out').map(({ order }) => order.id)
    : [];
  if (undelivered.length > 0) await parts.onUndelivered(saleId, undelivered, job.later!.detail ?? 'unknown');
  return {
    ordered: written.ordered.length - served.lost.length - served.late.length - undelivered.length,
    dead: given.length,
    later: late.length - scheduled.lost.length,
  };
}

/** Before ledger and shop: who holds the relay's lease can write what he likes into log and buyers, but has no key. */
async function verify(
  { signer, hasKey }: OrderRangeDependencies,
  saleId: string,
  reservations: readonly LoggedReservation[],
): Promise<{ signed: LoggedReservation[]; forged: LostReservation[]; unverified: Late<Logged>[] }> {
  const { signed, unsigned } = partUnsigned(reservations, signer);
  if (unsigned.length === 0 || (await hasKey(saleId)))
    return {
      signed,
      forged: unsigned.map(({ index, entry, reservation: { mac } }) => ({
        index,
        entry,
        reason: 'not_signed',
        detail: mac === undefined ? 'it has no signature' : 'its signature is not of this purchase',
      })),
      unverified: [],
    };
  return {
    signed,
    forged: [],
    unverified: unsigned.map(({ index, entry }) => ({ index, entry, detail: OTHER_SALE_KEY })),
  };
}

interface Written {
  ordered: Ordered[];
  /** The refusals among `lost` that their buyers have to be told. */
  refused: NewRefusal[];
  late: Late<Logged>[];
  lost: LostReservation[];
}

/** Writes the orders; a batch that the database refuses is bisected. */
async function write(
  ledger: OrderRangeDependencies['ledger'],
  saleId: string,
  reserved: readonly HeldEntry[],
): Promise<Written> {
  const orders = new Map<string, BookedOrder>();
  const attempt = (entries: readonly HeldEntry[]) =>
    bisect<HeldEntry, OrderDeadReason>(entries, 'not_in_sale', async (batch) => {
      const writings = await orRefused(ledger.writeOrders(batch.map(({ reservation }) => reservation)));
      return writings.map((writing): PostOutcome<OrderDeadReason> => {
        if (writing.outcome === 'differs')
          return { outcome: 'giveUp', reason: 'differs', detail: `in the ledger: ${JSON.stringify(writing.existing)}` };
        orders.set(writing.order.id, writing.order);
        return { outcome: 'commit' };
      });
    });
  const among = (entries: readonly Logged[]) => {
    const places = new Set(entries.map(({ index }) => index));
    return reserved.filter(({ index }) => places.has(index));
  };
  const withOrders = (entries: readonly HeldEntry[]) =>
    entries.map((one) => ({ ...one, order: orders.get(one.reservation.reservationId)! }));
  const first = await attempt(reserved);
  if (first.lost.length === 0) return { ordered: withOrders(first.committed), refused: [], late: [], lost: [] };
  // Without its sale the ledger was restored to an older time, and may be restored again: nothing is known against its
  // reservations.
  if (!(await ledger.sale(saleId)))
    return {
      ordered: withOrders(first.committed),
      refused: [],
      late: first.lost.map(({ index, entry }) => ({ index, entry, detail: `the ledger has no sale ${saleId}` })),
      lost: [],
    };
  // The sale may have come after the refusal: only what is refused now is not in it.
  const again = await attempt(among(first.lost));
  return {
    ordered: withOrders(among([...first.committed, ...again.committed])),
    late: [],
    lost: again.lost,
    refused: again.lost.map(({ index, reason, detail }): NewRefusal => {
      const { reservationId, userId, sku, quantity } = reserved.find((one) => one.index === index)!.reservation;
      return {
        saleId,
        reservationId,
        userId,
        sku,
        quantity,
        reason: reason === 'differs' ? reason : refusalReason(detail),
        detail,
      };
    }),
  };
}
