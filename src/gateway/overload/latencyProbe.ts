import type { RedisClient } from '../../platform/redis/connect.ts';
import { SILENT_MS_PER_SAMPLE_MAX } from './limits.ts';

interface LatencyProbeRules {
  redis: Pick<RedisClient, 'ping'>;
  /** Monotonic ms. */
  now?: () => number;
  /** Called with each round trip, ms. */
  onAnswer?: (ms: number) => void;
}

/** Measures Redis's latency with PING, on a connection that carries no grabs. One ping at a time. */
export class LatencyProbe {
  readonly #rules: Required<LatencyProbeRules>;
  #sentAt: number | undefined;
  #tickedAt: number;
  /** Time since the last answer in which our event loop was running, ms. A lost connection counts as silence. */
  silentMs = 0;
  #lastMs = 0;

  constructor(rules: LatencyProbeRules) {
    this.#rules = { now: () => performance.now(), onAnswer: () => {}, ...rules };
    this.#tickedAt = this.#rules.now();
  }

  /** Round trip, ms: the last one, or the age of the unanswered ping if that is longer. */
  get roundTripMs(): number {
    return this.#sentAt === undefined ? this.#lastMs : Math.max(this.#lastMs, this.#rules.now() - this.#sentAt);
  }

  /** To be called with every sample. */
  tick(): void {
    const now = this.#rules.now();
    this.silentMs += Math.min(SILENT_MS_PER_SAMPLE_MAX, now - this.#tickedAt);
    this.#tickedAt = now;
  }

  /** Sends a ping unless one is unanswered. To be called at intervals. Never rejects. */
  async ping(): Promise<void> {
    if (this.#sentAt !== undefined) return;
    const { redis, now, onAnswer } = this.#rules;
    const sentAt = (this.#sentAt = now());
    try {
      await redis.ping();
      this.#lastMs = now() - sentAt;
      this.silentMs = 0;
      onAnswer(this.#lastMs);
    } catch {
      // A failed ping counts as silence. Redis faults are reported by the callers that need an answer.
    }
    this.#sentAt = undefined;
  }
}
