import type { Backoff } from '../platform/network/backoff.ts';

/**
 * A restarting gateway disconnects all players at once. Half of each pause is random, so that they do not all return
 * together.
 */
export const RECONNECT: Backoff = { firstDelayMs: 400, delayMsMax: 10_000 };
export const ASK_AGAIN: Backoff = { firstDelayMs: 300, delayMsMax: 3_000 };
/** A receipt that was answered "busy": a whole crowd may hold receipts while Redis is away. */
export const SHOW_AGAIN: Backoff = { firstDelayMs: 6_000, delayMsMax: 60_000 };
/** No gateway asks for a longer pause before a retry; a longer one is a mistake, ms. */
export const RETRY_MS_MAX = 60_000;
