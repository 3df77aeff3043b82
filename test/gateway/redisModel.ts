import { Admission } from '../../src/gateway/overload/admission.ts';
import { LIMITS, type Limits } from '../../src/gateway/limits.ts';

/**
 * A model of Redis: decides a fixed number of grabs per second, one after the other, over a network with a round trip
 * of `lineMs`.
 */
interface Model {
  perSecond: number;
  lineMs?: number;
  limits?: Partial<Limits>;
  /** in [0, 1) */
  random: () => number;
}

/** The results of the grabs that were offered in one period. */
interface Stretch {
  offered: number;
  decided: number;
  refused: number;
  /** The waits of calls that were decided in it, ms. */
  waits: number[];
}

const LOOK_MS = 50;

/** Offers grabs on a simulated clock of milliseconds and samples twenty times a second, like a gateway. */
export class RedisModel {
  readonly admission: Admission;
  perSecond: number;
  readonly #lineMs: number;
  /** When each waiting grab was sent. */
  readonly #waiting: number[] = [];
  #answeredTo = 0;
  #now = 0;
  #owed = 0;
  #offerOwed = 0;
  #work = { decided: 0, busyMs: 0, waitMs: 0 };

  constructor({ perSecond, lineMs = 1, limits, random }: Model) {
    this.perSecond = perSecond;
    this.#lineMs = lineMs;
    this.admission = new Admission({ ...LIMITS, ...limits }, random);
  }

  get pending(): number {
    return this.#waiting.length - this.#answeredTo;
  }

  /** Offers a rate for a period. */
  offer(perSecond: number, forMs: number): Stretch {
    const stretch: Stretch = { offered: 0, decided: 0, refused: 0, waits: [] };
    for (let i = 0; i < forMs; i++) {
      this.#offerOwed += perSecond / 1_000;
      for (; this.#offerOwed >= 1; this.#offerOwed--) this.#ask(stretch);
      this.#step(stretch);
    }
    return stretch;
  }

  /** All at once. */
  burst(grabs: number): Stretch {
    const stretch: Stretch = { offered: 0, decided: 0, refused: 0, waits: [] };
    for (let i = 0; i < grabs; i++) this.#ask(stretch);
    return stretch;
  }

  #ask(stretch: Stretch): void {
    stretch.offered++;
    if (this.admission.admits(this.pending)) this.#waiting.push(this.#now);
    else stretch.refused++;
  }

  #step(stretch: Stretch): void {
    this.#now++;
    if (this.pending > 0) this.#work.busyMs++;
    this.#owed = Math.min(this.#owed + this.perSecond / 1_000, this.perSecond / 1_000 + 1);
    // A grab arrives after half of the round trip, and its answer after the other half.
    for (
      ;
      this.#owed >= 1 && this.pending > 0 && this.#now - this.#waiting[this.#answeredTo]! >= this.#lineMs;
      this.#owed--
    ) {
      const waitMs = this.#now - this.#waiting[this.#answeredTo++]!;
      stretch.decided++;
      stretch.waits.push(waitMs);
      this.#work.decided++;
      this.#work.waitMs = Math.max(this.#work.waitMs, waitMs);
    }
    if (this.#now % LOOK_MS !== 0) return;
    const oldest = this.pending > 0 ? this.#now - this.#waiting[this.#answeredTo]! : 0;
    this.admission.update({
      ...this.#work,
      waitMs: Math.max(this.#work.waitMs, oldest),
      roundTripMs: this.#lineMs,
      stallMs: 0,
    });
    this.#work = { decided: 0, busyMs: 0, waitMs: 0 };
  }
}

/** @param share in (0, 1] */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0;
}
