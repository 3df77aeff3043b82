/** Bounds for times that a player waits, seconds. */
export const WAITS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;
/** Bounds for delays of background work, seconds. */
export const LAGS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200] as const;

/** Counts values in buckets; counting costs only a few comparisons. `registerHistogram` exports it under a name. */
export class Histogram {
  readonly bounds: readonly number[];
  /** Number of values up to each bound and above the previous one; the last bucket has no bound. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  /** @param bounds upper bounds, ascending */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** @param times how often to count the value */
  add(value: number, times = 1): void {
    const { bounds } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i++;
    this.counts[i]! += times;
    this.count += times;
    this.sum += value * times;
  }
}
