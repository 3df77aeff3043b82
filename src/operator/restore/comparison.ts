import { roundOf } from '../../rain/campaign.ts';
import { hold, holdReasonOf, release, type HoldReason } from '../../store/holds.ts';
import { SETTLED_TTL_MS } from '../../store/keys.ts';
import type { LiveRain } from '../../store/rains.ts';
import { liveSales } from '../../store/sales.ts';
import { close, settle } from '../../store/transitions.ts';
import { enlistExcludedInSales } from '../campaign/bought.ts';
import { enlistExcluded } from '../campaign/wins.ts';
import type { OperatorContext } from '../context.ts';
import { putBackLostCredits, type PutBack } from './lostCredits.ts';
import {
  findReopened,
  isOpenAgain,
  readLiveRains,
  readRains,
  relistUnsettled,
  staleLedger,
  type RainInBoth,
} from './stale.ts';

/** The outcome of a comparison for one rain. */
export type Done =
  | { rainId: string; done: 'held'; reason: HoldReason }
  | { rainId: string; done: 'released'; reason: HoldReason }
  /** Redis showed it as open, and the ledger had sealed it. */
  | { rainId: string; done: 'closed' }
  /** An older ledger has not settled it: it is settled again. */
  | { rainId: string; done: 'relisted' }
  | { rainId: string; done: 'put_back'; putBack: number; contested: number }
  /** It stays held, and is compared again. */
  | { rainId: string; done: 'failed'; error: unknown }
  /** Users excluded from this campaign may reserve in its sales; the ledger refuses their orders. */
  | { campaignId: string; done: 'not_excluded'; error: unknown };

type Stores = Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>;

/** A rain whose credits are being compared with its claims. */
interface UnderWay {
  live: LiveRain;
  steps: AsyncGenerator<void, PutBack>;
}

/**
 * Compares the live rains in Redis with the ledger, holds those in which the two do not agree, and releases those in
 * which they agree again. Several processes may do this at once: each step is safe to repeat, and a hold that is not
 * needed ends by itself.
 */
export function createComparison({ redis, ledger, signer }: Stores, tell: (done: Done) => void) {
  const underWay = new Map<string, UnderWay>();
  let held = new Map<string, HoldReason>();

  /**
   * Reads all live rains once: holds those that the ledger does not know, or not as a whole, and closes those that it
   * has sealed.
   * @param credits whether the credits of every rain are to be compared, too; see `proceed`
   * @throws when a store cannot be reached; repeat it then
   */
  async function look(credits: boolean): Promise<void> {
    if (credits) {
      for (const rainId of await relistUnsettled({ redis, ledger })) tell({ rainId, done: 'relisted' });
      await excludeInSales();
    }
    for (const [rainId, live] of await findReopened({ redis, ledger })) {
      await close(redis, rainId, live.shards, 'early');
      await settle(redis, rainId, live, { ttlMs: SETTLED_TTL_MS });
      tell({ rainId, done: 'closed' });
    }
    const rains = (await readLiveRains({ redis, ledger })).filter(({ stored }) => stored.state !== 'settled');
    const before = held;
    held = new Map();
    for (const rain of rains) {
      const { rainId, live, stored } = rain;
      const stale = staleLedger(rain);
      const reason = stale ?? holdReasonOf(stored.held);
      if (reason) held.set(rainId, reason);
      if (stale && stored.held !== stale) await hold(redis, rainId, live.shards, stale);
      if (reason && before.get(rainId) !== reason) tell({ rainId, done: 'held', reason });
      if (stale) continue;
      const reopened = isOpenAgain(rain) && (await closeAgain(rain));
      if ((credits || reopened || reason) && !underWay.has(rainId))
        underWay.set(rainId, { live, steps: putBackLostCredits({ redis, ledger, signer }, rainId, live) });
    }
    const live = new Set(rains.map(({ rainId }) => rainId));
    for (const rainId of underWay.keys()) if (!live.has(rainId)) underWay.delete(rainId);
  }

  /** An older Redis may not know whom an operator has excluded since. */
  async function excludeInSales(): Promise<void> {
    const campaigns = new Set([...(await liveSales(redis)).keys()].flatMap((id) => roundOf(id)?.campaignId ?? []));
    for (const campaignId of campaigns) {
      try {
        await enlistExcludedInSales({ redis, ledger }, campaignId);
      } catch (error) {
        // The servers answer, so the fault is in this campaign. It must not keep rains from being compared.
        await Promise.all([redis.ping(), ledger.epoch()]);
        tell({ campaignId, done: 'not_excluded', error });
      }
    }
  }

  /** @returns false: its settlement had closed it between the two reads, so nothing is wrong */
  async function closeAgain({ rainId, live }: RainInBoth): Promise<boolean> {
    const [now] = await readRains({ redis, ledger }, [[rainId, live]]);
    if (!now || !isOpenAgain(now)) return false;
    await close(redis, rainId, live.shards, 'early');
    tell({ rainId, done: 'closed' });
    return true;
  }

  /**
   * Compares credits with claims for a bounded time, and puts back what Redis has lost.
   * @returns whether all rains have been compared
   * @throws when a store cannot be reached; repeat it then
   */
  async function proceed(budgetMs: number): Promise<boolean> {
    const until = performance.now() + budgetMs;
    for (const [rainId, { live, steps }] of underWay) {
      try {
        let step = await steps.next();
        while (!step.done && performance.now() < until) step = await steps.next();
        if (!step.done) return false;
        underWay.delete(rainId);
        await end(rainId, live, step.value);
      } catch (error) {
        underWay.delete(rainId);
        // The servers answer, so the fault is in this rain. It must not keep others from being compared.
        await Promise.all([redis.ping(), ledger.epoch()]);
        await hold(redis, rainId, live.shards, 'redis_behind');
        held.set(rainId, 'redis_behind');
        tell({ rainId, done: 'failed', error });
      }
    }
    return true;
  }

  async function end(rainId: string, live: LiveRain, { putBack, contested, waitsForLoad }: PutBack): Promise<void> {
    if (putBack + contested > 0) tell({ rainId, done: 'put_back', putBack, contested });
    if (waitsForLoad) return void held.set(rainId, 'redis_behind');
    // An older Redis may not know whom an operator has excluded since.
    const round = await ledger.rain(rainId);
    if (round?.campaign) await enlistExcluded({ redis, ledger }, round);
    const reason = held.get(rainId) ?? 'redis_behind';
    await release(redis, rainId, live.shards, reason);
    if (held.delete(rainId)) tell({ rainId, done: 'released', reason });
  }

  return {
    look,
    proceed,
    /** The rains that are held at present, as far as this comparison knows. */
    held: (): ReadonlyMap<string, HoldReason> => held,
    /** Forgets all: another process compares now. */
    reset(): void {
      underWay.clear();
      held = new Map();
    },
  };
}
