/** Bounds for what a player waits for, seconds. */
export const WAITS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;
/** Bounds for what goes on behind his back, seconds. */
export const LAGS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200] as const;

/**
 * How often something was how large: plain numbers and no name, so that to count costs a few comparisons. Who tells
 * figures gives it a name, see `tellSpread`.
 */
export class Histogram {
  readonly bounds: readonly number[];
  /** How many fell at or below each bound and above the one before; the last one holds the rest. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  /** @param bounds upper bounds, ascending */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** @param times how many were so large */
  add(value: number, times = 1): void {
    const { bounds } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i++;
    this.counts[i]! += times;
    this.count += times;
    this.sum += value * times;
  }
}
