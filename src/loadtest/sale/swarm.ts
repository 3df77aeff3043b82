import { gatewayAddress, sourceAddresses } from '../address.ts';
import type { Now } from '../bots/clock.ts';
import { Throttle } from '../bots/throttle.ts';
import { BUYERS_MAX, checkReaction, within } from '../limits.ts';
import { whyTooMany } from '../processes/openFiles.ts';
import { playAll, type PlayOptions } from '../playAll.ts';
import { newSeed } from '../wave.ts';
import { Buyer } from './buyer.ts';
import { BuyerCounters, type BuyerProgress } from './counters.ts';
import type { BuyerEnvironment } from './environment.ts';
import { Payments } from './payments.ts';
import { plansOf, type BuyerShares } from './plan.ts';
import { saleReportOf, type SaleSwarmReport } from './report.ts';

const SETTLE_MS = 30_000;
const WAIT_MS_MAX = 300_000;

/** With `reachMs`, the report has `unreached` when no buyer had a socket by then. */
export interface SaleSwarmOptions extends PlayOptions<BuyerProgress> {
  /** `ws://host:port`, with or without the gateway's path. */
  url: string;
  saleId: string;
  users: number;
  /** Shares of purchases; `hostile` of buyers. */
  shares: BuyerShares;
  /** Where a payment is posted as `{"reservationId"}`; absent: nobody pays. */
  payUrl?: string;
  tokenFor: (userId: string) => Promise<string>;
  /** Name of buyer `i`; default `buyer-<i>`. */
  userId?: (i: number) => string;
  /** First connects per second; default 500. */
  connectsPerSecond?: number;
  /** Limits of the reaction time after the sale opens, ms; default 0 to 1,000. */
  reactionMs?: { min: number; max: number };
  /**
   * How long a buyer waits for the order of a reservation, and for the message about its payment, ms; default 30,000.
   */
  settleMs?: number;
  /** 64 hex digits; default a new one. */
  seed?: string;
  now?: Now;
}

/**
 * Waits until each buyer has its outcomes and a closed socket.
 * @throws TypeError, RangeError for a bad option; the errors of `tokenFor`
 */
export async function runSaleSwarm(options: SaleSwarmOptions): Promise<SaleSwarmReport> {
  const { saleId, users, shares, payUrl, tokenFor } = options;
  const {
    userId = (i: number) => `buyer-${i}`,
    connectsPerSecond = 500,
    reactionMs = { min: 0, max: 1_000 },
    settleMs = SETTLE_MS,
    seed = newSeed(),
    now = () => performance.now(),
  } = options;
  within('users', users, 1, BUYERS_MAX);
  checkReaction(reactionMs);
  const tooMany = whyTooMany(users, 1);
  if (tooMany !== undefined) throw new RangeError(tooMany);
  const address = gatewayAddress(options.url);
  const plans = plansOf(users, shares, reactionMs, seed);
  const sources = sourceAddresses(address, users);
  const counters = new BuyerCounters(users);
  const throttle = new Throttle(connectsPerSecond, now);
  const paying = new AbortController();
  const environment: BuyerEnvironment = {
    address,
    saleId,
    seed,
    tokenFor,
    throttle,
    now,
    counters,
    settleMs,
    maximalWaitMs: WAIT_MS_MAX,
    payments: payUrl === undefined ? undefined : new Payments(payUrl, paying.signal),
  };
  const startedAt = now();
  const buyers = plans.map(
    (plan, i) =>
      new Buyer(environment, {
        userId: userId(i),
        plan,
        localAddress: sources.length > 0 ? sources[i % sources.length] : undefined,
      }),
  );
  await playAll(buyers, options, {
    counters,
    throttle,
    onUnreached: (reason) => {
      counters.lastFailure ??= reason;
    },
    onAbort: () => paying.abort(),
  });
  return saleReportOf(counters, { saleId, seed, shares, payUrl, durationMs: now() - startedAt });
}
