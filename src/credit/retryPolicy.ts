import type { Backoff } from '../platform/network/backoff.ts';

/** How long and how often something is tried; whichever bound is met first ends it [R10]. */
export interface RetryPolicy extends Backoff {
  /** Tries in all, the first included. */
  attemptsMax: number;
  /** From the first failure to the last try. */
  totalMsMax: number;
}

/**
 * A whole job that meets a fault (the book or Redis is away). Then it is kept as failed and redelivery sends its claims
 * again, so that a long outage needs no operator. BullMQ counts the tries; with these delays they last 12 to 18 minutes.
 */
export const JOB_RETRY_POLICY = { firstDelayMs: 100, delayMsMax: 30_000, attemptsMax: 40 } as const satisfies Omit<RetryPolicy, 'totalMsMax'>;

/**
 * A claim that the balance system does not take now. Then it is a dead letter, `unavailable`, for the operator to send again.
 * Long enough for an evening's maintenance of a wallet; short enough that a rain does not wait for days to be settled.
 */
export const CLAIM_RETRY_POLICY: RetryPolicy = { firstDelayMs: 500, delayMsMax: 300_000, attemptsMax: 40, totalMsMax: 2 * 3_600_000 };
