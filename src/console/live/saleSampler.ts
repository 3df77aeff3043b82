import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import { redisNow } from '../../store/rains.ts';
import type { FollowedUnits } from '../../ledger/stockFaults.ts';
import { auditSale } from '../../operator/sale/audit.ts';
import { showSale } from '../../operator/sale/show.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { iso } from '../../rain/figures.ts';
import { holdsUnits } from '../../sale/order.ts';
import type { Units } from '../../sale/units.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import type { SaleSample } from '../contract/sales.ts';
import { round } from './rates.ts';
import { startSampling, type Pace } from './sampling.ts';

/** Units of one item since the sale began, whatever became of them. They only grow. */
interface Totals {
  reserved: Units;
  paid: Units;
  timedOut: Units;
}

/** Samples the live figures of one sale once a second, for all its viewers. */
export function startSaleSampler(
  context: OperatorContext,
  saleId: string,
  pace: Pace,
  onFault: (error: unknown) => void,
  onSample: (sample: SaleSample) => void,
): Loop {
  let lastAudit: SaleSample['audit'] = null;
  let before: { at: number; totals: Map<string, Totals> } | undefined;

  async function sample(): Promise<void> {
    // The ledger's orders come first: those that are written meanwhile have their reservations in Redis already.
    const orders = await context.ledger.followedUnits(saleId);
    const [sale, now, heartbeats] = await Promise.all([
      showSale(context, saleId),
      redisNow(context.redis),
      readHeartbeats(context.redis),
    ]);
    if (!sale) return;
    const totals = new Map(
      sale.items.map(({ sku, booked }) => [
        sku,
        totalsOf(
          orders.filter((row) => row.sku === sku),
          booked,
        ),
      ]),
    );
    const items = sale.items.map(({ sku, name, units, left, booked, sold, returned }) => {
      const [total, earlier] = [totals.get(sku)!, before?.totals.get(sku)];
      const rate = (of: keyof Totals) =>
        earlier && now > before!.at ? round((Math.max(0, total[of] - earlier[of]) * 1_000) / (now - before!.at)) : 0;
      return {
        sku,
        ...(name !== undefined && { name }),
        units,
        left,
        reserved: Math.max(0, booked - sold),
        paid: sold,
        timedOut: total.timedOut,
        returned,
        reservedPerSecond: rate('reserved'),
        paidPerSecond: rate('paid'),
        timedOutPerSecond: rate('timedOut'),
      };
    });
    before = { at: now, totals };
    const { state, opensAt, closesAt, reservations, orders: written } = sale;
    onSample({
      at: iso(now),
      state,
      opensAt,
      closesAt,
      reservations,
      orders: written,
      sockets: heartbeats.reduce((sum, { sockets }) => sum + sockets, 0),
      gateways: heartbeats.length,
      items,
      audit: lastAudit,
    });
  }

  async function audit(): Promise<void> {
    const found = await auditSale(context, saleId);
    if (found) lastAudit = { ...found.report, problems: found.problems, at: iso(await redisNow(context.redis)) };
  }

  return startSampling(sample, audit, pace, onFault);
}

/** @param booked units of reservations in Redis; units that it was told to release, they held before */
function totalsOf(orders: readonly FollowedUnits[], booked: Units): Totals {
  const sum = (which: (row: FollowedUnits) => boolean) =>
    orders.reduce((units, row) => units + (which(row) ? row.units : 0), 0);
  return {
    reserved: booked + sum(({ status, followed }) => followed && !holdsUnits(status)),
    paid: sum(({ status }) => status === 'paid' || status === 'refunded'),
    timedOut: sum(({ status }) => status === 'timed_out'),
  };
}
