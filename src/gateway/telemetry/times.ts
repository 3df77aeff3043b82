import { Histogram, WAITS_SECONDS } from '../../platform/telemetry/histogram.ts';

/** How long what this gateway does takes, since it opened. Counted once a batch, whoever many it is for. */
export interface Times {
  /** Grabs that Redis decided: from the turn in which they were read until their answer was written. */
  answers: Histogram;
  /** Batches on their way to Redis and back. */
  batches: Histogram;
  /** Grabs in a batch. */
  sizes: Histogram;
  /** A question to Redis before which nothing stands. */
  probe: Histogram;
}

/** Up to BATCH_USERS_MAX of src/grab/engine.ts. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export function createTimes(): Times {
  return { answers: new Histogram(WAITS_SECONDS), batches: new Histogram(WAITS_SECONDS), sizes: new Histogram(SIZES), probe: new Histogram(WAITS_SECONDS) };
}
