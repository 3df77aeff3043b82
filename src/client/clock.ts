/** How many answers are remembered; older ones tell of a clock that has drifted since. */
const SAMPLES_MAX = 8;

/** How far the server's clock is ahead of ours, wrong by at most half of `roundTripMs`. */
interface ClockSample {
  offsetMs: number;
  roundTripMs: number;
}

/**
 * What one exchange tells: the server read its clock somewhere within it (Cristian's algorithm).
 *
 * @param serverTime epoch ms
 * @param sentAt the question, and its answer, by the local clock, ms
 */
export function sampleOf(serverTime: number, sentAt: number, receivedAt: number): ClockSample {
  return { offsetMs: serverTime - (sentAt + receivedAt) / 2, roundTripMs: receivedAt - sentAt };
}

/**
 * The server's clock as this client estimates it. A ping that was quick has little room for error, so the quickest of the
 * last few decides: its answer was given in the middle of the round trip, give or take half of it.
 *
 * It runs on a monotonic clock: a phone that sets its wall clock meanwhile does not disturb a countdown.
 */
export class ServerClock {
  readonly #localNow: () => number;
  #samples: ClockSample[] = [];
  #answered = false;
  #offsetMs: number;

  /**
   * @param localNow milliseconds since any moment, never going back
   * @param guess epoch ms that holds until the server has spoken
   */
  constructor(localNow: () => number, guess: number) {
    this.#localNow = localNow;
    this.#offsetMs = guess - localNow();
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#localNow() + this.#offsetMs;
  }

  /**
   * The server's time as it came unasked, a one-way trip old: better than a guess and worse than any answered ping.
   * @param serverTime epoch ms
   */
  told(serverTime: number): void {
    if (!this.#answered) this.#offsetMs = serverTime - this.#localNow();
  }

  /**
   * @param serverTime epoch ms, as a ping was answered
   * @param sentAt when that ping was sent, by the local clock
   */
  answered(serverTime: number, sentAt: number): void {
    this.#answered = true;
    this.#samples = [...this.#samples, sampleOf(serverTime, sentAt, this.#localNow())].slice(-SAMPLES_MAX);
    this.#offsetMs = this.#samples.reduce((best, sample) => (sample.roundTripMs < best.roundTripMs ? sample : best)).offsetMs;
  }

  /** Forgets what it has heard but not what it has concluded: after a sleep or a change of server new answers count alone. */
  doubt(): void {
    this.#samples = [];
  }
}
