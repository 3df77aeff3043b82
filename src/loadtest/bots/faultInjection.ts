import type { Connection } from './connection.ts';
import type { Behaviour } from './behaviours.ts';
import type { LoadtestEnvironment } from '../environment.ts';

/**
 * How often one user's connection breaks, and how often the user stops reading. Limited, so that the wave ends [R10].
 */
const CUTS_MAX = 3;
const STOPS_MAX = 1;
/** How long a flaky user's connection lasts, and how soon after a grab it may break, ms. */
const HOLDS_MS = { min: 200, max: 5_000 };
const BREAKS_MS = { min: 0, max: 30 };
/**
 * How long a slow user does not read, ms: long enough for the server to notice, short enough for the user to see the
 * result.
 */
const STOPS_MS = { min: 2_000, max: 9_000 };

/**
 * Injects faults into the connection of a user. The user reacts like a good client: it reconnects and repeats its grab
 * [R6].
 */
export class FaultInjector {
  readonly #environment: LoadtestEnvironment;
  readonly #behaviour: Behaviour;
  readonly #connection: Connection;
  #times = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(environment: LoadtestEnvironment, behaviour: Behaviour, connection: Connection) {
    this.#environment = environment;
    this.#behaviour = behaviour;
    this.#connection = connection;
  }

  welcomed(): void {
    if (this.#behaviour === 'flaky') this.#cutIn(HOLDS_MS);
  }

  /** A grab was sent: every second flaky user loses the answer, and a slow user reads it later. */
  asked(): void {
    if (this.#behaviour === 'flaky' && this.#environment.random.belowNumber(2) === 0) return this.#cutIn(BREAKS_MS);
    if (this.#behaviour !== 'slow' || this.#times >= STOPS_MAX) return;
    this.#times++;
    this.#environment.counters.stops++;
    const resume = this.#connection.stopReading();
    this.#timer = setTimeout(resume, this.#draw(STOPS_MS));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #cutIn(within: { min: number; max: number }): void {
    clearTimeout(this.#timer);
    if (this.#times >= CUTS_MAX) return;
    this.#timer = setTimeout(() => {
      this.#times++;
      this.#environment.counters.cuts++;
      this.#connection.drop();
    }, this.#draw(within));
  }

  #draw({ min, max }: { min: number; max: number }): number {
    return min + this.#environment.random.belowNumber(max - min + 1);
  }
}
