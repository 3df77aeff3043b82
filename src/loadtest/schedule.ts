import type { HeardRain } from './serverMessage.ts';
import { backoffMs } from './retryPolicy.ts';
import type { LoadtestEnvironment } from './environment.ts';

/** When one user taps: a human moment after it begins to rain, and not again before the pause that he was told to make. */
export class Schedule {
  readonly #around: LoadtestEnvironment;
  readonly #reactionMs: number;
  /** From when on it counts, this process's monotonic ms, however early it began; `undefined`: from when he sees it. */
  #inPlaceAt: number | undefined;
  #opensAt: number | undefined;
  #pauses = 0;
  /** Server's epoch ms, both. */
  #tapAt: number | undefined;
  #notBefore = 0;
  /** When he meant to tap, this process's monotonic ms, so that a correction of the server's clock does not look like latency. */
  #meantAt: number | undefined;

  /** @param inPlaceAt all users' times to tap count from the same moment: the opening, or this one if that is later */
  constructor(around: LoadtestEnvironment, reactionMs: number, inPlaceAt?: number) {
    this.#inPlaceAt = inPlaceAt;
    this.#around = around;
    this.#reactionMs = reactionMs;
  }

  /** How long to wait until he asks, ms; 0 or less: now. */
  waitMs(rain: HeardRain): number {
    return this.#dueAt(rain, this.#around.clock.now()) - this.#around.clock.now();
  }

  #dueAt({ state, opensAt, closesAt }: HeardRain, now: number): number {
    if (opensAt !== this.#opensAt) this.startOver();
    this.#opensAt = opensAt;
    switch (state) {
      case 'loaded':
      case 'open':
        this.#tapAt ??= Math.max(opensAt, this.#inPlaceAt === undefined ? now : now + this.#inPlaceAt - this.#around.now()) + this.#reactionMs;
        return Math.max(this.#tapAt, this.#notBefore);
      // Nothing to tap on. The change will be pushed; if it never comes, the end comes, and then the answer to a question.
      case 'draft':
      case 'paused':
        this.startOver();
        return Math.max(closesAt, this.#notBefore);
      case 'closed':
      case 'settled':
        return this.#notBefore;
      default:
        return state satisfies never;
    }
  }

  /** He has to see it rain again before he taps. */
  startOver(): void {
    // What was decided beforehand was about the beginning, and that has passed.
    if (this.#tapAt !== undefined) this.#inPlaceAt = undefined;
    this.#tapAt = undefined;
    this.#meantAt = undefined;
  }

  /** Told to wait: until the moment that he was told, else each time longer. */
  pause(forMs?: number): void {
    const { clock, random, retryPolicy } = this.#around;
    this.#notBefore = clock.now() + (forMs ?? backoffMs(this.#pauses++, random, retryPolicy));
  }

  /** He asks now. If that is later than he meant to, because this process or the line was late, the delay is part of his waiting. */
  tapped(): void {
    const { clock, now } = this.#around;
    this.#meantAt ??= now() - Math.max(0, clock.now() - (this.#tapAt ?? clock.now()));
  }

  /** Since he meant to tap, ms; `undefined` when he has not tapped. */
  sinceTapMs(): number | undefined {
    return this.#meantAt === undefined ? undefined : this.#around.now() - this.#meantAt;
  }
}

/** He taps at the same moment as before: it has begun as he was told. */
export function isSamePlan(before: HeardRain | undefined, { state, opensAt, closesAt }: HeardRain): boolean {
  return before?.state === 'loaded' && state === 'open' && before.opensAt === opensAt && before.closesAt === closesAt;
}
