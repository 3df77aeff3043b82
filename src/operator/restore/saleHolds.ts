import { createPauses } from '../../platform/concurrency/pauses.ts';
import { saleHoldReasonOf, type SaleHoldReason } from '../../store/holds.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { liveSales } from '../../store/sales.ts';
import { hold, release } from '../../store/saleTransitions.ts';
import type { OperatorContext } from '../context.ts';
import { restoreOrders } from '../sale/restoreOrders.ts';
import { compareSale } from './compareSale.ts';

/** The outcome of a comparison for one sale. */
export type SaleDone = { saleId: string } & (
  | { done: 'held' | 'released'; reason: SaleHoldReason }
  | { done: 'put_back'; putBack: number; taken: number }
  | { done: 'failed'; error: unknown }
);

type Stores = Pick<OperatorContext, 'redis' | 'ledger'>;

/** Sales asked for at once, so that neither store has to answer about all of them in the same moment [R10]. */
const SALES_AT_ONCE = 50;
/** A sale that is held is compared again after this many times as long as that has taken, one stall apart [R10]. */
const REST_SHARE = 10;

interface SaleInRedis {
  saleId: string;
  held: string | undefined;
}

/** Every live sale that Redis has a state of. */
async function readLiveSales(redis: Stores['redis']): Promise<SaleInRedis[]> {
  const live = [...(await liveSales(redis)).keys()];
  const sales: SaleInRedis[] = [];
  for (let from = 0; from < live.length; from += SALES_AT_ONCE) {
    const some = live.slice(from, from + SALES_AT_ONCE);
    const read = await Promise.allSettled(some.map((id) => redis.hmget(saleKeys(id).state, 'state', 'held')));
    // A state of another type is the audit's business; without Redis nothing is known of any.
    if (read.some(({ status }) => status === 'rejected')) await redis.ping();
    read.forEach((one, i) => {
      const [state, held] = one.status === 'fulfilled' ? one.value : [];
      if (typeof state === 'string' && state !== 'settled') sales.push({ saleId: some[i]!, held: held || undefined });
    });
  }
  return sales;
}

/** The live sales that are held because the stores do not agree. */
export async function heldSales(redis: Stores['redis']): Promise<Map<string, SaleHoldReason>> {
  return new Map(
    (await readLiveSales(redis)).flatMap(({ saleId, held }) => {
      const reason = saleHoldReasonOf(held);
      return reason ? [[saleId, reason]] : [];
    }),
  );
}

/**
 * Holds the live sales that the ledger does not know, or in which Redis has later statuses of orders, and releases
 * those that agree again. Safe to repeat, also by several processes at once.
 */
export function createSaleHolds(context: OperatorContext, tell: (done: SaleDone) => void) {
  const { redis, ledger } = context;
  let held = new Map<string, SaleHoldReason>();
  /** When a held sale is compared again, `performance.now()`. */
  const nextAt = new Map<string, number>();
  const pauses = createPauses(REST_SHARE);

  /**
   * @param all whether all sales are to be compared, order by order; otherwise those that are held
   * @throws when a store cannot be reached; repeat it then
   */
  async function look(all: boolean): Promise<void> {
    // Redis first: a new sale is in the ledger before it is in Redis.
    const sales = await readLiveSales(redis);
    const known = await knownAmong(ledger, sales);
    const before = held;
    held = new Map();
    for (const { saleId, held: text } of sales) {
      const reason = saleHoldReasonOf(text);
      const isDue = all || (reason !== undefined && performance.now() >= (nextAt.get(saleId) ?? 0));
      const found = !known.has(saleId) ? 'unknown_to_ledger' : isDue ? await compare(saleId, all) : reason;
      if (found !== undefined) {
        held.set(saleId, found);
        if (text !== found) await hold(redis, saleId, found);
        if (before.get(saleId) !== found) tell({ saleId, done: 'held', reason: found });
      } else if (reason !== undefined && (await release(redis, saleId, reason)))
        tell({ saleId, done: 'released', reason });
    }
    for (const saleId of nextAt.keys()) {
      if (held.has(saleId)) continue;
      nextAt.delete(saleId);
      pauses.forget(saleId);
    }
  }

  /** @returns why it has to be held */
  async function compare(saleId: string, putBack: boolean): Promise<SaleHoldReason | undefined> {
    const began = performance.now();
    try {
      if (putBack) await putOrdersBack(saleId);
      const found = await compareSale(context, saleId);
      return (found?.counts.order_ahead_in_redis ?? 0) > 0 ? 'ledger_behind' : undefined;
    } catch (error) {
      // The servers answer, so the fault is in this sale. It must not keep others from being compared.
      await Promise.all([redis.ping(), ledger.epoch()]);
      tell({ saleId, done: 'failed', error });
      return 'ledger_behind';
    } finally {
      const now = performance.now();
      nextAt.set(saleId, now + pauses.after(saleId, now - began));
    }
  }

  /** An older Redis would sell the units of these orders a second time. */
  async function putOrdersBack(saleId: string): Promise<void> {
    const restored = await restoreOrders(context, saleId);
    if (restored && restored.putBack + restored.taken.length > 0)
      tell({ saleId, done: 'put_back', putBack: restored.putBack, taken: restored.taken.length });
  }

  return {
    look,
    held: (): ReadonlyMap<string, SaleHoldReason> => held,
    reset(): void {
      held = new Map();
      nextAt.clear();
    },
  };
}

async function knownAmong({ sales: read }: Stores['ledger'], sales: readonly SaleInRedis[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (let from = 0; from < sales.length; from += SALES_AT_ONCE) {
    const ids = sales.slice(from, from + SALES_AT_ONCE).map(({ saleId }) => saleId);
    for (const { id } of await read(ids.length, { ids })) known.add(id);
  }
  return known;
}
