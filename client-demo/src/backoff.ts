import type { Backoff } from '../../src/runtime/backoff.ts';

/** A gateway that restarts sends everybody away at once: half of each pause is chance, so that they do not return at once. */
export const RECONNECT: Backoff = { firstDelayMs: 400, delayMsMax: 10_000 };
export const ASK_AGAIN: Backoff = { firstDelayMs: 300, delayMsMax: 3_000 };
