import { Histogram, WAITS_SECONDS } from '../../platform/telemetry/histogram.ts';

/** Up to BATCH_USERS_MAX of src/grab/engine.ts. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export type Times = ReturnType<typeof createTimes>;

/** Durations and sizes of this gateway's work since it started. Counted once a batch, however many grabs it holds. */
export function createTimes() {
  return {
    /** Grabs decided by Redis: from the turn that read them until their answer was written. */
    answers: new Histogram(WAITS_SECONDS),
    /** Round trips of batches, and the grabs in each. */
    batches: new Histogram(WAITS_SECONDS),
    sizes: new Histogram(SIZES),
    /** Round trips of pings that queue behind nothing. */
    probe: new Histogram(WAITS_SECONDS),
  };
}
