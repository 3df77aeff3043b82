import type { OperatorContext } from '../operator/context.ts';
import { isWrittenOff, relistSales, wasOpened } from '../operator/sale/lost.ts';
import type { AfterReconnect } from '../operator/settle.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import { SETTLE_AFTER_RECONNECT_MS } from '../platform/redis/reconnectTimer.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { redisNow } from '../store/rains.ts';
import { forgetSale } from '../store/saleEnd.ts';
import { liveSales, readSale, settledSales, type LiveSale } from '../store/sales.ts';
import { settleSale, type SaleSettling, type SettleSaleOptions } from './settleSale.ts';
import { createStuck } from './stuck.ts';

export interface SaleSettlerOptions extends SettleSaleOptions, AfterReconnect {
  context: OperatorContext;
  log: Logger;
  everyMs?: number;
  tidyMs?: number;
  /** How often it looks for sales that are missing in the index, ms. */
  relistMs?: number;
  /** How long a sale that is over waits, other than for payments, before that is a warning, ms. */
  waitingMs?: number;
}

/** Sales that are over, which one tidying looks at; the next one looks at those after them [R10]. */
const OVERDUE_MAX = 100;

type Attempt = SaleSettling | { outcome: 'failed'; error: unknown };

/** Settles all sales that are over. One that cannot be settled is logged once, is tried again, and delays no other. */
export function startSaleSettler({
  context,
  log,
  everyMs = 500,
  tidyMs = 60_000,
  relistMs = 5_000,
  waitingMs = 300_000,
  sinceReconnect = () => Infinity,
  settleAfterReconnectMs = SETTLE_AFTER_RECONNECT_MS,
  ...options
}: SaleSettlerOptions): Loop {
  const { redis, ledger } = context;
  const stuck = createStuck({ everyMs, waitingMs });
  const failing = new Set<string>();
  const lost = new Set<string>();
  let tidyAt = 0;
  let relistAt = 0;
  let overdueSkipped = 0;

  async function attempt(saleId: string, live: LiveSale): Promise<void> {
    if (stuck.isPaused(saleId)) return;
    const result = await settleSale(context, saleId, live, options).catch((error: unknown): Attempt => ({
      outcome: 'failed',
      error,
    }));
    if (result.outcome !== 'waiting' || result.for === 'payments') stuck.waitsNoMore(saleId);
    else if (stuck.isLate(saleId))
      log.warn(
        { saleId, for: result.for, count: result.count },
        'the sale has been over for minutes, and is not settled: reservations or changes of orders are still under way',
      );
    if (result.outcome === 'not_due' || result.outcome === 'settled') return stuck.forget(saleId);
    if (stuck.note(saleId, result)) report(saleId, result);
  }

  function report(saleId: string, result: Exclude<Attempt, { outcome: 'not_due' | 'settled' }>): void {
    switch (result.outcome) {
      case 'lost':
        return log.error({ saleId }, 'Redis has lost a sale that was not settled; give it up with rain sale write-off');
      case 'not_balanced':
        return log.error(
          { saleId, problems: result.problems },
          'the sale is not balanced and is not settled; see rain sale audit, and give up what cannot be put right with rain sale write-off',
        );
      case 'waiting':
        return log.debug(
          { saleId, for: result.for, count: result.count },
          'the sale is over, and not everything of it is decided',
        );
      case 'failed':
        return log.error({ saleId, err: result.error }, 'settlement failed, will try again');
      default:
        return result satisfies never;
    }
  }

  async function tidy(live: ReadonlyMap<string, LiveSale>): Promise<void> {
    // Sales whose keys have expired need no index entry.
    for (const saleId of (await settledSales(redis)).keys())
      if (!(await readSale(redis, saleId))) await forgetSale(redis, saleId);
    // Sales that were never written to Redis and are over by now: their stock has to go back too.
    // Page by page, so that sales which cannot be settled do not hide the others.
    const overdue = await ledger.overdueSales(await redisNow(redis), OVERDUE_MAX, overdueSkipped);
    overdueSkipped = overdue.length < OVERDUE_MAX ? 0 : overdueSkipped + OVERDUE_MAX;
    for (const { id } of overdue) {
      if (live.has(id)) continue;
      const isGivenUp = await isWrittenOff(context, id);
      const isThere = !isGivenUp && (await readSale(redis, id)) !== undefined;
      if (isGivenUp ? (await ledger.orderCounts(id)).created === 0 : !isThere && !(await wasOpened(context, id)))
        await ledger.settleSale(id);
      else if (!isGivenUp && !isThere && !lost.has(id)) {
        report(id, { outcome: 'lost' });
        lost.add(id);
      }
    }
  }

  async function relist(): Promise<void> {
    if (performance.now() < relistAt) return;
    relistAt = performance.now() + relistMs;
    for (const saleId of await relistSales(context))
      log.error(
        { saleId },
        'a sale was missing in the index of Redis, or with another title, and was put back; find out who can write to Redis',
      );
  }

  async function settleAll(signal: AbortSignal): Promise<void> {
    await relist();
    const live = await liveSales(redis);
    stuck.keepOnly(live);
    for (const [saleId, sale] of live)
      if (!signal.aborted && sinceReconnect() >= settleAfterReconnectMs) await attempt(saleId, sale);
    if (performance.now() < tidyAt) return;
    tidyAt = performance.now() + tidyMs;
    await tidy(live);
  }

  return startLoop(async (signal) => {
    if (sinceReconnect() >= settleAfterReconnectMs)
      await reportingFault(failing, 'sales', () => settleAll(signal), {
        began: (error) => log.error({ err: error }, 'the sales cannot be read, will try again'),
        over: () => log.info('the sales can be read again'),
      });
    return everyMs;
  });
}
