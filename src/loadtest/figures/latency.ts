import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

/** Ten minutes, the longest value of a percentile. */
const LATENCY_US_MAX = 600_000_000;

const CURVE_PERCENTS = [0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100];

/** Milliseconds, but for `count`. */
export type Latency = Record<'count' | 'p50' | 'p95' | 'p99' | 'max', number>;

/** Latencies with three significant digits, in constant memory [R10]. */
export class LatencyRecorder {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: LATENCY_US_MAX,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });
  #maxMs = 0;

  record(ms: number): void {
    this.#maxMs = Math.max(this.#maxMs, ms);
    this.#histogram.recordValue(Math.min(LATENCY_US_MAX, Math.max(1, Math.round(ms * 1_000))));
  }

  /** Adds all measurements of another recorder: percentiles cannot be averaged. */
  merge({ histogram, maxMs }: ReturnType<LatencyRecorder['toRecord']>): void {
    this.#maxMs = Math.max(this.#maxMs, maxMs);
    this.#histogram.add(decodeFromCompressedBase64(histogram, 32, false));
  }

  toRecord() {
    return { histogram: encodeIntoCompressedBase64(this.#histogram), maxMs: this.#maxMs };
  }

  /** The latency below which this percentage lies, ms. */
  at(percentile: number): number {
    // A percentile is the upper end of its bucket, which may be above the measured maximum.
    return this.#histogram.totalCount === 0
      ? 0
      : Math.min(this.#maxMs, this.#histogram.getValueAtPercentile(percentile) / 1_000);
  }

  /** Percent and ms. */
  curve(): [number, number][] {
    return CURVE_PERCENTS.map((percent) => [percent, this.at(percent)]);
  }

  summary(): Latency {
    return {
      count: this.#histogram.totalCount,
      p50: this.at(50),
      p95: this.at(95),
      p99: this.at(99),
      max: this.#maxMs,
    };
  }
}
