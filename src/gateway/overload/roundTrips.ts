import type { Layer } from '../pipeline.ts';
import type { Work } from './admission.ts';

/** What the grabs' way to Redis and back takes: batch sent → answered. The clock is read twice a batch, never per grab. */
export class RoundTrips {
  readonly #now: () => number;
  readonly #onBatch: (ms: number, users: number) => void;
  /** Batches under way, the oldest first. */
  readonly #underWay = new Set<{ since: number }>();
  #decided = 0;
  #busyMs = 0;
  #busySince = 0;
  #longestMs = 0;

  /**
   * @param now monotonic ms
   * @param onBatch called with what each batch took and how many it decided about, one that failed as well
   */
  constructor(now: () => number = () => performance.now(), onBatch: (ms: number, users: number) => void = () => {}) {
    this.#now = now;
    this.#onBatch = onBatch;
  }

  /** A layer of the pipeline: changes no answer, measures each batch. */
  readonly measured: Layer = (engine) => {
    return {
      grab: async (rainId, shard, userIds) => {
        const batch = this.#begin();
        const answers = await engine.grab(rainId, shard, userIds);
        this.#end(batch, userIds.length);
        // One that failed is told "busy" to all of it, and nothing was decided.
        if (answers[0]?.code !== '-7') this.#decided += answers.length;
        return answers;
      },
    };
  };

  /** What has been since this was last asked. */
  take(): Omit<Work, 'roundTripMs' | 'stallMs'> {
    const now = this.#now();
    if (this.#underWay.size > 0) this.#busyMs += now - this.#busySince;
    this.#busySince = now;
    let waitMs = this.#longestMs;
    for (const { since } of this.#underWay) {
      waitMs = Math.max(waitMs, now - since);
      break;
    }
    const work = { decided: this.#decided, busyMs: this.#busyMs, waitMs };
    this.#decided = this.#busyMs = this.#longestMs = 0;
    return work;
  }

  #begin(): { since: number } {
    const batch = { since: this.#now() };
    if (this.#underWay.size === 0) this.#busySince = batch.since;
    this.#underWay.add(batch);
    return batch;
  }

  #end(batch: { since: number }, users: number): void {
    const now = this.#now();
    this.#underWay.delete(batch);
    this.#longestMs = Math.max(this.#longestMs, now - batch.since);
    this.#onBatch(now - batch.since, users);
    if (this.#underWay.size === 0) this.#busyMs += now - this.#busySince;
  }
}
