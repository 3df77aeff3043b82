import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

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

/** A recorder on its way to another process. */
export interface LatencyRecord {
  histogram: string;
  maxMs: number;
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

  /** Adds every single measurement of another recorder: a percentile of percentiles would be none. */
  merge({ histogram, maxMs }: LatencyRecord): void {
    this.#maxMs = Math.max(this.#maxMs, maxMs);
    this.#histogram.add(decodeFromCompressedBase64(histogram, 32, false));
  }

  toRecord(): LatencyRecord {
    return { histogram: encodeIntoCompressedBase64(this.#histogram), maxMs: this.#maxMs };
  }

  /** ms below which so many percent lie. */
  at(percentile: number): number {
    // A percentile is the upper end of its bucket, which may lie above everything that was measured.
    return this.#histogram.totalCount === 0 ? 0 : Math.min(this.#maxMs, this.#histogram.getValueAtPercentile(percentile) / 1_000);
  }

  summary(): Latency {
    return { count: this.#histogram.totalCount, p50: this.at(50), p95: this.at(95), p99: this.at(99), max: this.#maxMs };
  }
}
