import { setTimeout as sleep } from 'node:timers/promises';
import { startLoop } from '../platform/concurrency/loop.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UnfollowedOrder } from '../ledger/unfollowed.ts';
import { followOrders, type FollowParts } from './followOrders.ts';

interface FollowerOptions extends FollowParts {
  ledger: FollowParts['ledger'] & Pick<Ledger, 'unfollowedSales' | 'unfollowedOrders'>;
  log: Logger;
  /** How often it looks for changes. */
  everyMs?: number;
}

/** Orders per read, and reads per visit to a sale at most: memory and statements stay bounded [R10]. */
const PAGE = 2_000;
const PAGES_MAX = 10;
/**
 * In a wave it rests after each page for this share of the time that the page took: Redis and the database are for
 * those who buy in between.
 */
const REST_SHARE = 1;
/** A sale of which Redis lacks something is looked at less and less often, but at least this often. */
const PAUSE_MS_MAX = 2_000;

/**
 * Brings every status that the ledger has and Redis has not to Redis, and tells the gateways. Several followers at once
 * are harmless.
 */
export function startFollower({ redis, ledger, signer, onFollowed, log, everyMs = 100 }: FollowerOptions) {
  const counters = { followed: 0 };
  const failing = new Set<string>();
  /**
   * Sales in which Redis lacks a reservation that the ledger has; `told`: changes of which the gateways were told all
   * the same.
   */
  const lacking = new Map<string, { pauseMs: number; nextAt: number; told: ReadonlySet<string> }>();
  const nameOf = ({ id, status }: UnfollowedOrder) => `${id} ${status}`;

  /** @returns orders that Redis does not have; they stay unmarked */
  async function followPage(saleId: string, orders: readonly UnfollowedOrder[]): Promise<UnfollowedOrder[]> {
    const told = lacking.get(saleId)?.told;
    const done = new Set(
      await followOrders(
        { redis, ledger, signer, onFollowed },
        saleId,
        orders,
        (order) => told?.has(nameOf(order)) === true,
      ),
    );
    counters.followed += done.size;
    return orders.filter((order) => !done.has(order));
  }

  /** @returns whether there is more */
  async function visit(saleId: string, signal: AbortSignal): Promise<boolean> {
    const before = lacking.get(saleId);
    if (before && performance.now() < before.nextAt) return false;
    const absent = new Set<string>();
    let isMore = true;
    for (let page = 0; page < PAGES_MAX && isMore && !signal.aborted; page++) {
      const began = performance.now();
      const orders = await ledger.unfollowedOrders(saleId, PAGE, absent.size);
      if (orders.length > 0) for (const order of await followPage(saleId, orders)) absent.add(nameOf(order));
      isMore = orders.length === PAGE;
      if (isMore)
        await sleep(Math.ceil(REST_SHARE * (performance.now() - began)), undefined, { signal }).catch(() => {});
    }
    if (absent.size === 0) return (void lacking.delete(saleId), isMore);
    if (!before)
      log.error(
        { saleId, orders: absent.size },
        'Redis lacks reservations of which the ledger has orders; they are followed when it has them again, or when the sale is over',
      );
    const pauseMs = Math.min(2 * (before?.pauseMs ?? everyMs), PAUSE_MS_MAX);
    lacking.set(saleId, { pauseMs, nextAt: performance.now() + pauseMs, told: absent });
    return false;
  }

  /** Key `''` stands for the list of sales. */
  const attempt = <T>(saleId: string, work: () => Promise<T>) =>
    reportingFault(failing, saleId, work, {
      began: (error) =>
        log.warn({ saleId, error: String(error) }, 'changes of orders cannot be brought to Redis, will try again'),
      over: () => log.info({ saleId }, 'changes of orders are brought to Redis again'),
    });

  const rounds = startLoop(async (signal) => {
    const saleIds = (await attempt('', () => ledger.unfollowedSales())) ?? [];
    for (const saleId of lacking.keys()) if (!saleIds.includes(saleId)) lacking.delete(saleId);
    for (const saleId of failing) if (saleId !== '' && !saleIds.includes(saleId)) failing.delete(saleId);
    const visits = await Promise.all(saleIds.map((saleId) => attempt(saleId, () => visit(saleId, signal))));
    return visits.includes(true) ? 0 : everyMs;
  });
  return { counters, close: () => rounds.close() };
}
