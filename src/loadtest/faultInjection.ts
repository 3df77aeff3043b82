import type { Connection } from './connection.ts';
import type { Behaviour } from './behaviours.ts';
import type { LoadtestEnvironment } from './environment.ts';

/** How often one user's line breaks, and how often he stops reading; then he has peace, so that the wave ends [R10]. */
const CUTS_MAX = 3;
const STOPS_MAX = 1;
/** How long a line of a flaky user holds, and how soon after his question it may break, ms. */
const HOLDS_MS = { min: 200, max: 5_000 };
const BREAKS_MS = { min: 0, max: 30 };
/** How long a slow reader does not read, ms: long enough for the server to notice, short enough to see what he learns after it. */
const STOPS_MS = { min: 2_000, max: 9_000 };

/** What befalls the line of a user who is not like the others. He goes on as a good client does: dials again, asks again [R6]. */
export class FaultInjector {
  readonly #around: LoadtestEnvironment;
  readonly #behaviour: Behaviour;
  readonly #connection: Connection;
  #times = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(around: LoadtestEnvironment, behaviour: Behaviour, connection: Connection) {
    this.#around = around;
    this.#behaviour = behaviour;
    this.#connection = connection;
  }

  welcomed(): void {
    if (this.#behaviour === 'flaky') this.#cutIn(HOLDS_MS);
  }

  /** His question is on its way: every second flaky user will not hear the answer, and a slow one not for a while. */
  asked(): void {
    if (this.#behaviour === 'flaky' && this.#around.random.belowNumber(2) === 0) return this.#cutIn(BREAKS_MS);
    if (this.#behaviour !== 'slow' || this.#times >= STOPS_MAX) return;
    this.#times++;
    this.#around.counters.stops++;
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
      this.#around.counters.cuts++;
      this.#connection.drop();
    }, this.#draw(within));
  }

  #draw({ min, max }: { min: number; max: number }): number {
    return min + this.#around.random.belowNumber(max - min + 1);
  }
}
