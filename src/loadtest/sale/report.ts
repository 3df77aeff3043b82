import { reasonOf } from '../../protocol/outcomes.ts';
import { redactUrl } from '../../platform/network/serverUrl.ts';
import { SALE_OUTCOMES } from '../../protocol/saleOutcomes.ts';
import type { Latency } from '../figures/latency.ts';
import type { BuyerCounters } from './counters.ts';
import type { BuyerShares } from './plan.ts';
import type { ToldOrder } from './toldOrders.ts';

type Ranked = { name: string; count: number }[];

/**
 * The result of a swarm of buyers. Plain data: `--json` prints it unchanged. Lists are ranked, the most frequent first.
 */
export interface SaleSwarmReport {
  saleId: string;
  /** 64 hex digits; the same seed gives the same buyers the same plans. */
  seed: string;
  users: number;
  durationMs: number;
  shares: BuyerShares;
  /** How each buyer ended; they add up to `users`. */
  endings: Ranked;
  /** How each purchase ended. */
  purchases: Ranked;
  /** Answers after which a purchase was asked again. */
  retries: { code: string; reason: string; count: number }[];
  latencyMs: {
    /** From a purchase to its outcome, with retries and reconnects. */
    buy: Latency;
    /** From the payment to the message that it is paid. */
    pay: Latency;
    /** From the wish to cancel to the decision. */
    cancel: Latency;
  };
  told: {
    reservations: number;
    buyers: number;
    /** The last status that was told. */
    statuses: Ranked;
    /** Units of all reservations, by item. */
    units: Record<string, number>;
  };
  /** Every reservation that was told, with its last status. */
  orders: ToldOrder[];
  /** Purchases that were asked again with the same ref, and how many of them got the same reservation again. */
  repeats: { asked: number; same: number };
  /** Hostile frames, and how many of them were refused as not understood; an unknown item is refused by a code. */
  hostile: { sent: number; refused: number };
  /** The results of the payments; `skipped`: there is no address to pay at. */
  payments: { url: string | null; results: Ranked };
  cancels: Ranked;
  /** Messages that contradict each other, and descriptions of the first of them. */
  faults: number;
  faultExamples: string[];
  lostConnections: number;
  misunderstood: number;
  /** Why no buyer had a socket; absent when one had. */
  unreached?: string;
}

interface SwarmFacts extends Pick<SaleSwarmReport, 'saleId' | 'seed' | 'shares' | 'durationMs'> {
  payUrl: string | undefined;
}

export function saleReportOf(
  counters: BuyerCounters,
  { saleId, seed, shares, durationMs, payUrl }: SwarmFacts,
): SaleSwarmReport {
  const {
    progress,
    told,
    buys,
    payments,
    cancels,
    endings,
    outcomes,
    retries,
    cancelled,
    paid,
    repeats,
    hostile,
    welcomes,
  } = counters;
  const orders = told.all;
  const statuses = new Map<string, number>();
  const units: Record<string, number> = {};
  for (const { status, sku, quantity } of orders) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    units[sku] = (units[sku] ?? 0) + quantity;
  }
  return {
    saleId,
    seed,
    users: progress.users,
    durationMs: Math.round(durationMs),
    shares,
    endings: endings.ranked(),
    purchases: outcomes.ranked(),
    retries: retries.ranked().map(({ name: code, count }) => ({ code, reason: reasonOf(code, SALE_OUTCOMES), count })),
    latencyMs: { buy: buys.summary(), pay: payments.summary(), cancel: cancels.summary() },
    told: {
      reservations: orders.length,
      buyers: new Set(orders.map(({ userId }) => userId)).size,
      statuses: [...statuses].sort(([, a], [, b]) => b - a).map(([name, count]) => ({ name, count })),
      units,
    },
    orders,
    repeats,
    hostile,
    payments: { url: payUrl === undefined ? null : redactUrl(payUrl), results: paid.ranked() },
    cancels: cancelled.ranked(),
    faults: told.faults,
    faultExamples: [...told.examples],
    lostConnections: counters.lostConnections,
    misunderstood: counters.misunderstood,
    ...(welcomes === 0 && counters.lastFailure !== undefined && { unreached: counters.lastFailure }),
  };
}
