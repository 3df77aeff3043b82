import type { Limits } from './limits.ts';

export interface TurnRules {
  limits: Pick<Limits, 'turnMs' | 'turnMsMax' | 'turnMessagesMin'>;
  /** Monotonic ms. */
  now?: () => number;
  /** When all that has arrived is read. */
  atEnd?: (end: () => void) => void;
}

/**
 * One turn of the event loop: all that has arrived is read, message by message, and who arrives meanwhile waits for the next
 * one. A turn that is too long is a gateway that cannot keep up. To refuse saves little then, since to read a message costs
 * nearly as much as to decide it: first those who have asked are not read for a moment, so that what they say next is read in
 * one piece, decided at once and answered in one write. When that is not enough the rest of the turn is refused as well.
 */
export class Turn {
  readonly #rules: Required<TurnRules>;
  /** Another for each turn in which something was read. */
  number = 0;
  /** It has been too long: who asks rests for a moment. */
  overdue = false;
  /** Far too long: who asks is told to come back. */
  lost = false;
  #messages = 0;
  #beganAt = 0;

  constructor(rules: TurnRules) {
    this.#rules = { now: () => performance.now(), atEnd: setImmediate, ...rules };
  }

  /** One message is being read. Looks at the clock once in `turnMessagesMin` times. */
  count(): void {
    const { limits: { turnMessagesMin }, now, atEnd } = this.#rules;
    if (this.#messages++ === 0) {
      this.#beganAt = now();
      atEnd(this.#end);
    }
    if (this.#messages % turnMessagesMin === 0) this.#look();
  }

  #look(): void {
    const { limits: { turnMs, turnMsMax }, now } = this.#rules;
    const lastsMs = now() - this.#beganAt;
    this.overdue = lastsMs >= turnMs;
    this.lost = lastsMs >= turnMsMax;
  }

  readonly #end = (): void => {
    this.number++;
    this.#messages = 0;
    this.overdue = this.lost = false;
  };
}
