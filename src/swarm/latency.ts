import { build, type Histogram } from 'hdr-histogram-js';

/** Ten minutes; a percentile shows nothing longer. */
const LATENCY_US_MAX = 600_000_000;

/** Milliseconds. */
export interface Latency {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** Latencies to three significant digits, in memory that does not grow with their number [R10]. */
export class LatencyRecorder {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1, highestTrackableValue: LATENCY_US_MAX, numberOfSignificantValueDigits: 3, bitBucketSize: 32, useWebAssembly: false,
  });
  #maxMs = 0;

  record(ms: number): void {
    this.#maxMs = Math.max(this.#maxMs, ms);
    this.#histogram.recordValue(Math.min(LATENCY_US_MAX, Math.max(1, Math.round(ms * 1_000))));
  }

  summary(): Latency {
    const count = this.#histogram.totalCount;
    // A percentile is the upper end of its bucket, which may lie above everything that was measured.
    const at = (percentile: number) => (count === 0 ? 0 : Math.min(this.#maxMs, this.#histogram.getValueAtPercentile(percentile) / 1_000));
    return { count, p50: at(50), p95: at(95), p99: at(99), max: this.#maxMs };
  }
}
