import type { ReceivedRain } from './bots/serverMessage.ts';
import { backoffMs } from './bots/retryPolicy.ts';
import type { LoadtestEnvironment } from './environment.ts';

/** When one user taps: a reaction time after the rain opens, and not before the end of a requested pause. */
export class Schedule {
  readonly #environment: LoadtestEnvironment;
  readonly #reactionMs: number;
  /** Start of the reaction time, monotonic ms of this process; `undefined`: when the user sees the rain open. */
  #inPlaceAt: number | undefined;
  #opensAt: number | undefined;
  #pauses = 0;
  /** Both in epoch ms of the server. */
  #tapAt: number | undefined;
  #notBefore = 0;
  /**
   * Planned time of the tap, monotonic ms of this process, so that a correction of the server's clock does not look
   * like latency.
   */
  #plannedAt: number | undefined;

  constructor(environment: LoadtestEnvironment, reactionMs: number) {
    this.#environment = environment;
    this.#inPlaceAt = environment.inPlaceAt;
    this.#reactionMs = reactionMs;
  }

  /** How long to wait before the grab, ms; 0 or less: now. */
  waitMs(rain: ReceivedRain): number {
    const now = this.#environment.clock.now();
    return this.#dueAt(rain, now) - now;
  }

  #dueAt({ state, opensAt, closesAt }: ReceivedRain, now: number): number {
    if (opensAt !== this.#opensAt) this.startOver();
    this.#opensAt = opensAt;
    switch (state) {
      case 'loaded':
      case 'open':
        this.#tapAt ??=
          Math.max(opensAt, this.#inPlaceAt === undefined ? now : now + this.#inPlaceAt - this.#environment.now()) +
          this.#reactionMs;
        return Math.max(this.#tapAt, this.#notBefore);
      // There is nothing to grab. The server pushes the change; if it does not come, the bot grabs after the closing
      // time.
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

  /** The user must see the rain open again before the tap. */
  startOver(): void {
    // The planned start was for the first opening, which has passed.
    if (this.#tapAt !== undefined) this.#inPlaceAt = undefined;
    this.#tapAt = undefined;
    this.#plannedAt = undefined;
  }

  /** Waits for the requested time, or with a growing backoff. */
  pause(forMs?: number): void {
    const { clock, random, retryPolicy } = this.#environment;
    this.#notBefore = clock.now() + (forMs ?? backoffMs(this.#pauses++, random, retryPolicy));
  }

  /** The grab is sent now. A delay of this process or of the connection counts as latency of the tap. */
  tapped(): void {
    const { clock, now } = this.#environment;
    this.#plannedAt ??= now() - Math.max(0, clock.now() - (this.#tapAt ?? clock.now()));
  }

  /** Time since the planned tap, ms; `undefined` before the tap. */
  sinceTapMs(): number | undefined {
    return this.#plannedAt === undefined ? undefined : this.#environment.now() - this.#plannedAt;
  }
}

/** Whether the tap stays at its planned time: the rain opened as announced. */
export function isSamePlan(before: ReceivedRain | undefined, { state, opensAt, closesAt }: ReceivedRain): boolean {
  return before?.state === 'loaded' && state === 'open' && before.opensAt === opensAt && before.closesAt === closesAt;
}
