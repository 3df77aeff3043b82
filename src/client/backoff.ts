import type { Backoff } from '../platform/network/backoff.ts';

/** A gateway that restarts sends everybody away at once: half of each pause is chance, so that they do not return at once. */
export const RECONNECT: Backoff = { firstDelayMs: 400, delayMsMax: 10_000 };
export const ASK_AGAIN: Backoff = { firstDelayMs: 300, delayMsMax: 3_000 };
/** No gateway asks for a longer pause before the same question; a longer one is a mistake. */
export const RETRY_MS_MAX = 60_000;
