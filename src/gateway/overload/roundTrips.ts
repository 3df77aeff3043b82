import type { Layer } from '../pipeline.ts';
import type { Work } from './admission.ts';

/** Measures the round trips of grab batches: batch sent → answered. The clock is read twice a batch, never per grab. */
export class RoundTrips {
  readonly #now: () => number;
  readonly #onBatch: (ms: number, users: number) => void;
  /** Batches in flight, the oldest first. */
  readonly #underWay = new Set<{ since: number }>();
  #decided = 0;
  #busyMs = 0;
  #busySince = 0;
  #longestMs = 0;

  /**
   * @param now monotonic ms.
   * @param onBatch called with the round trip and the number of users of each batch, also of a failed one
   */
  constructor(now: () => number = () => performance.now(), onBatch: (ms: number, users: number) => void = () => {}) {
    this.#now = now;
    this.#onBatch = onBatch;
  }

  /** The same engine, measured. */
  readonly measured: Layer = (engine) => ({
    grab: (rainId, shard, userIds, move) =>
      this.measure(userIds.length, () => engine.grab(rainId, shard, userIds, move)),
  });

  /** Measures one batch of grabs or purchases. */
  async measure<A extends { code: string }>(users: number, decide: () => Promise<A[]>): Promise<A[]> {
    const batch = this.#begin();
    const answers = await decide();
    this.#end(batch, users);
    // In a failed batch all answers are "busy" and nothing was decided.
    if (answers[0]?.code !== '-7') this.#decided += answers.length;
    return answers;
  }

  /** The work since the last call. */
  take(): Omit<Work, 'roundTripMs' | 'stallMs'> {
    const now = this.#now();
    if (this.#underWay.size > 0) this.#busyMs += now - this.#busySince;
    this.#busySince = now;
    const [oldest] = this.#underWay;
    const work = {
      decided: this.#decided,
      busyMs: this.#busyMs,
      waitMs: Math.max(this.#longestMs, oldest ? now - oldest.since : 0),
    };
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
