import type { RedisClient } from '../../platform/redis/connect.ts';

interface LatencyProbeRules {
  redis: Pick<RedisClient, 'ping'>;
  /** Monotonic ms. */
  now?: () => number;
  /** Called with what each question took, ms. */
  onAnswer?: (ms: number) => void;
}

/** Between two looks no more than this counts as silence, ms: where they are farther apart it is we who did not listen. */
const LOOK_MS_MAX = 100;

/** Feels Redis's pulse, on a connection on which no grab stands before the question. One question at a time. */
export class LatencyProbe {
  readonly #rules: Required<LatencyProbeRules>;
  #askedAt: number | undefined;
  #lookedAt: number;
  #silentMs = 0;
  #lastMs = 0;

  constructor(rules: LatencyProbeRules) {
    this.#rules = { now: () => performance.now(), onAnswer: () => {}, ...rules };
    this.#lookedAt = this.#rules.now();
  }

  /** What a question takes there and back, ms: the last one, or the one that is not answered yet if that is longer. */
  get roundTripMs(): number {
    return this.#askedAt === undefined ? this.#lastMs : Math.max(this.#lastMs, this.#rules.now() - this.#askedAt);
  }

  /** Since the last answer, as far as we were there to hear one, ms; a connection that is away answers nothing. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /** To be called about twenty times a second. */
  look(): void {
    const now = this.#rules.now();
    this.#silentMs += Math.min(LOOK_MS_MAX, now - this.#lookedAt);
    this.#lookedAt = now;
  }

  /** Asks, unless it waits for an answer. To be called now and then. Never throws. */
  feel(): void {
    if (this.#askedAt === undefined) void this.#ask();
  }

  async #ask(): Promise<void> {
    const { redis, now, onAnswer } = this.#rules;
    const askedAt = this.#askedAt = now();
    try {
      await redis.ping();
      this.#lastMs = now() - askedAt;
      this.#silentMs = 0;
      onAnswer(this.#lastMs);
    } catch {
      // What nobody answers is silence; the faults of Redis are told by those who asked it for something.
    }
    this.#askedAt = undefined;
  }
}
