import { Histogram, WAITS_SECONDS } from '../../platform/telemetry/histogram.ts';

/** Durations and sizes of this gateway's work since it started. Counted once a batch, however many grabs it holds. */
export interface Times {
  /** Grabs decided by Redis: from the turn that read them until their answer was written. */
  answers: Histogram;
  /** Round trips of batches. */
  batches: Histogram;
  /** Grabs in a batch. */
  sizes: Histogram;
  /** Round trips of pings that queue behind nothing. */
  probe: Histogram;
}

/** Up to BATCH_USERS_MAX of src/grab/engine.ts. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export function createTimes(): Times {
  return { answers: new Histogram(WAITS_SECONDS), batches: new Histogram(WAITS_SECONDS), sizes: new Histogram(SIZES), probe: new Histogram(WAITS_SECONDS) };
}
