import { Admission } from '../../src/gateway/overload/admission.ts';
import { LIMITS, type Limits } from '../../src/gateway/limits.ts';

/** A Redis that decides so many grabs in a second, one after the other, at the end of a line that takes `lineMs` there and back. */
interface Model {
  perSecond: number;
  lineMs?: number;
  limits?: Partial<Limits>;
  /** in [0, 1) */
  random: () => number;
}

/** What became of the grabs that were offered in one stretch of time. */
interface Stretch {
  offered: number;
  decided: number;
  refused: number;
  /** Of those that were decided in it, ms. */
  waits: number[];
}

const LOOK_MS = 50;

/** Offers grabs by the millisecond of a clock of its own, and looks twenty times a second as a gateway does. */
export class RedisModel {
  readonly admission: Admission;
  perSecond: number;
  readonly #lineMs: number;
  /** When each that waits was asked. */
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

  /** So many a second for so long. */
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
    // It is there when the line has carried it, and counts as answered when the line has carried it back.
    for (; this.#owed >= 1 && this.pending > 0 && this.#now - this.#waiting[this.#answeredTo]! >= this.#lineMs; this.#owed--) {
      const waitMs = this.#now - this.#waiting[this.#answeredTo++]!;
      stretch.decided++;
      stretch.waits.push(waitMs);
      this.#work.decided++;
      this.#work.waitMs = Math.max(this.#work.waitMs, waitMs);
    }
    if (this.#now % LOOK_MS !== 0) return;
    const oldest = this.pending > 0 ? this.#now - this.#waiting[this.#answeredTo]! : 0;
    this.admission.look({ ...this.#work, waitMs: Math.max(this.#work.waitMs, oldest), roundTripMs: this.#lineMs, stallMs: 0 });
    this.#work = { decided: 0, busyMs: 0, waitMs: 0 };
  }
}

/** @param share in (0, 1] */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0;
}
