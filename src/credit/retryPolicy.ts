import type { Backoff } from '../platform/network/backoff.ts';
import { RETRY_AFTER_MS_MAX } from '../platform/network/retryAfter.ts';

/** How long and how often an operation is tried; the first limit that is reached ends it [R10]. */
export interface RetryPolicy extends Backoff {
  /** Tries in all, the first included. */
  attemptsMax: number;
  /** From the first failure to the last try. */
  totalMsMax: number;
}

/**
 * For a whole job that meets a fault (the database or Redis is unreachable): 12 to 18 minutes. Afterwards it is kept as
 * failed, and redelivery sends its claims again, so that a long outage needs no operator.
 */
export const JOB_RETRY_POLICY = { firstDelayMs: 100, delayMsMax: 30_000, attemptsMax: 40 } as const satisfies Omit<
  RetryPolicy,
  'totalMsMax'
>;

/**
 * For a claim that the payout provider does not accept now. Afterwards it is a dead letter, `unavailable`, which the
 * operator can send again. Long enough for an evening's maintenance of a wallet; a rain does not wait for days to be
 * settled.
 */
export const CLAIM_RETRY_POLICY: RetryPolicy = {
  firstDelayMs: 500,
  delayMsMax: 300_000,
  attemptsMax: 40,
  totalMsMax: 2 * 3_600_000,
};

/**
 * For an order that the order service does not accept now. Pauses are shorter towards the end of its time to pay, so
 * there may be many tries; 40 in each hold of ten minutes, and enough for two hours.
 */
export const ORDER_RETRY_POLICY: RetryPolicy = {
  firstDelayMs: 500,
  delayMsMax: 120_000,
  attemptsMax: 200,
  totalMsMax: CLAIM_RETRY_POLICY.totalMsMax,
};

/** No job is ever delayed for longer. */
export const RETRY_DELAY_MS_MAX = Math.max(
  JOB_RETRY_POLICY.delayMsMax,
  CLAIM_RETRY_POLICY.delayMsMax,
  RETRY_AFTER_MS_MAX,
);
