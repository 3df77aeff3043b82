import { countKinds } from '../operator/audit/tampering.ts';
import type { OperatorContext } from '../operator/context.ts';
import { registerMetric, type MetricsRegistry, type Sample } from '../platform/telemetry/metrics.ts';
import { liveSales, readSale } from '../store/sales.ts';
import { RAINS_REPORTED_MAX } from './auditor.ts';
import type { SaleAuditor, WatchedSale } from './saleAuditor.ts';

interface SaleCounters {
  expired: number;
  followed: number;
  cancelWishes: number;
  forgedWishes: number;
}

interface SaleMetrics extends Pick<OperatorContext, 'redis'> {
  ledger: Pick<OperatorContext['ledger'], 'places' | 'oldestUnfollowedSeconds'>;
  /** A sale is a label of its findings only while this process audits it. */
  auditor: Pick<SaleAuditor, 'seen'>;
  /** The counts of this process. */
  counters: () => SaleCounters;
}

/**
 * Registers metrics about the stock of live sales and about what follows their orders. A settled sale is no longer
 * reported.
 */
export function registerSaleMetrics(
  registry: MetricsRegistry,
  { redis, ledger, auditor, counters }: SaleMetrics,
): void {
  async function readUnits(): Promise<Sample[]> {
    const saleIds = [...(await liveSales(redis)).keys()].slice(0, RAINS_REPORTED_MAX);
    const booked = new Map(
      (await ledger.places(saleIds)).map(({ saleId, sku, places }) => [`${saleId}/${sku}`, places]),
    );
    const stored = await Promise.all(saleIds.map((saleId) => readSale(redis, saleId)));
    return stored.flatMap(
      (sale) =>
        sale?.items.flatMap(({ sku, units, booked: inRedis, returned }) => {
          const { sold = 0, reserved = 0 } = booked.get(`${sale.saleId}/${sku}`) ?? {};
          const parts = {
            sold,
            reserved,
            pending: Math.max(0, inRedis - sold - reserved),
            left: units - inRedis - returned,
            returned,
          };
          return Object.entries(parts).map(([part, value]) => ({ labels: { sale: sale.saleId, sku, part }, value }));
        }) ?? [],
    );
  }

  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_sale_units',
    labels: ['sale', 'sku', 'part'],
    read: readUnits,
    help: 'Units of each item of the live sales: in paid orders, in orders that wait for their payment, on their way between Redis and the ledger (`pending`), to be sold, back at the shop',
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_live_sales',
    help: 'Sales that are not settled. One that stays long after its end and its last deadline is stuck: see the log of the worker',
    read: async () => [{ value: (await liveSales(redis)).size }],
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_sale_oldest_unfollowed_seconds',
    help: 'How long the oldest change of an order waits that Redis does not know yet: units that came back lie idle, and a buyer is not told. Seconds are normal in a big wave',
    read: async () => [{ value: await ledger.oldestUnfollowedSeconds() }],
  });
  const watched = (
    name: string,
    help: string,
    labels: readonly string[],
    read: (sale: string, watched: WatchedSale) => Sample[],
  ) => {
    registerMetric(registry, {
      kind: 'gauge',
      name,
      help,
      labels,
      read: () => [...auditor.seen()].flatMap(([sale, one]) => read(sale, one)),
    });
  };
  watched(
    'rain_sale_balanced',
    '1: every unit of the sale is accounted for; 0: it is not, check at once with rain sale audit',
    ['sale'],
    (sale, { audit }) => [{ labels: { sale }, value: audit.report.balanced ? 1 : 0 }],
  );
  watched(
    'rain_sale_tampering',
    'Findings of the last audit of a sale that only a hand in Redis or in the database can have caused, by kind. See rain sale audit',
    ['sale', 'kind'],
    (sale, { audit }) =>
      Object.entries(countKinds(audit.tampering)).map(([kind, value]) => ({ labels: { sale, kind }, value })),
  );
  watched(
    'rain_sale_audit_last_success_timestamp_seconds',
    'When the last audit of the sale finished, with any result. Minutes ago: no process audits it',
    ['sale'],
    (sale, { at }) => [{ labels: { sale }, value: at / 1_000 }],
  );
  const counter = (name: string, help: string, read: (counts: SaleCounters) => number) =>
    registerMetric(registry, { kind: 'counter', name, help, read: () => [{ value: read(counters()) }] });
  counter(
    'rain_sale_expired_orders_total',
    'Orders that this process has ended because they were not paid in time',
    ({ expired }) => expired,
  );
  counter(
    'rain_sale_followed_orders_total',
    'Changes of orders that this process has brought to Redis',
    ({ followed }) => followed,
  );
  counter(
    'rain_sale_cancel_wishes_total',
    'Wishes to cancel that this process has carried out, repeated and late ones included',
    ({ cancelWishes }) => cancelWishes,
  );
  counter(
    'rain_sale_forged_wishes_total',
    'Wishes to cancel in Redis that were not signed with SIGNING_SECRET. They were dropped. Above 0 somebody else writes to Redis',
    ({ forgedWishes }) => forgedWishes,
  );
}
