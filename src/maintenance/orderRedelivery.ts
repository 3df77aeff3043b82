import type { OperatorContext } from '../operator/context.ts';
import type { ReservationEntry } from '../orders/deadLetter.ts';
import type { ReservationRange } from '../orders/job.ts';
import { compareWithHeld, parseReservations, type LoggedReservation } from '../orders/reservations.ts';
import type { Loop } from '../platform/concurrency/loop.ts';
import { isFree } from '../sale/order.ts';
import { cursorOf, readLog } from '../store/rains.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { heldByAll, liveSales, readSale, type LiveSale } from '../store/sales.ts';
import { startRedeliveryLoop, type Redelivered, type RedeliveryTiming } from './redeliveryLoop.ts';

export interface OrderRedeliveryOptions extends RedeliveryTiming {
  context: Pick<OperatorContext, 'redis' | 'ledger'>;
  /** The ranges of unfinished order jobs, and of those that wait for the order service. */
  pendingRanges: () => Promise<readonly ReservationRange[]>;
  /**
   * Sends entries `from` (inclusive) to `to` (exclusive) of a reservation log to the queue again; 0 when another
   * process does it.
   */
  resend: (saleId: string, from: number, to: number) => Promise<number>;
  /** Which of these entries are dead letters, or were discarded by the operator, in order. */
  areDead: (entries: readonly ReservationEntry[]) => Promise<boolean[]>;
}

/**
 * Sends reservations again that the queue has lost: those without an order, and those whose order was never announced,
 * or costs nothing and is not paid.
 */
export function startOrderRedelivery({
  context: { redis, ledger },
  pendingRanges,
  resend,
  areDead,
  ...timing
}: OrderRedeliveryOptions): Loop {
  /** How many of the oldest reservations of an open sale are settled, all of them: they are not read again. */
  const settledOf = new Map<string, number>();

  /** Indexes of the reservations that have an order which Redis knows of. */
  async function settledAmong(saleId: string, reservations: readonly LoggedReservation[]): Promise<Set<number>> {
    const written = await ledger.ordersAmong(reservations.map(({ reservation }) => reservation.reservationId));
    const held = await heldByAll(
      redis,
      saleId,
      reservations.map(({ reservation }) => reservation.userId),
    );
    const reserved = held ? compareWithHeld(reservations, held).reserved : [];
    return new Set(
      reserved
        .filter(
          ({ reservation, known }) =>
            known !== 'reserved' &&
            !(known === 'created' && isFree(reservation)) &&
            written.has(reservation.reservationId),
        )
        .map(({ index }) => index),
    );
  }

  const reservations: Redelivered<LiveSale> = {
    entries: 'reservations',
    label: (saleId) => ({ saleId }),
    async live() {
      const live = await liveSales(redis);
      for (const saleId of settledOf.keys()) if (!live.has(saleId)) settledOf.delete(saleId);
      return live;
    },
    async settled(saleId) {
      const [sale, { orders, created }] = [await readSale(redis, saleId), await ledger.orderCounts(saleId)];
      if (!sale) return undefined;
      // As with claims: a closed sale is checked reservation by reservation.
      if (sale.relayed > orders || sale.state === 'closed') return (settledOf.delete(saleId), orders);
      // An order that is created may not be with the order service yet.
      return created > 0 && (settledOf.get(saleId) ?? 0) < sale.relayed ? orders : undefined;
    },
    async logs(saleId) {
      const { reservations: key, relayed } = saleKeys(saleId);
      // Read in the order in which a reservation moves: one that is written or dead-lettered in between is found there.
      const pending = (await pendingRanges()).filter((range) => range.saleId === saleId);
      return [
        {
          from: settledOf.get(saleId) ?? 0,
          // Entries that are not carried yet are not lost.
          length: async () => Math.min(cursorOf(await redis.get(relayed)), await redis.llen(key)),
          read: (from, to) => readLog(redis, key, from, to),
          async unsettled(entries) {
            const parsed =
              entries.length === 0
                ? []
                : parseReservations({ saleId, from: entries[0]!.index, entries: entries.map(({ entry }) => entry) })
                    .reservations;
            const settled = await settledAmong(saleId, parsed);
            const absent = entries.filter(({ index }) => !settled.has(index));
            if (entries.length > 0 && absent.length === 0 && entries[0]!.index === (settledOf.get(saleId) ?? 0))
              settledOf.set(saleId, entries.at(-1)!.index + 1);
            const dead = absent.length === 0 ? [] : await areDead(absent.map((found) => ({ saleId, ...found })));
            const isPending = (index: number) => pending.some((range) => range.from <= index && index < range.to);
            return absent.map(({ index }, i) => ({ index, missing: !dead[i] && !isPending(index) }));
          },
          resend: (from, to) => resend(saleId, from, to),
        },
      ];
    },
  };
  return startRedeliveryLoop(reservations, timing);
}
