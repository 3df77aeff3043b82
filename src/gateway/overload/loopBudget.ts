import type { Limits } from '../limits.ts';

interface LoopBudgetRules {
  limits: Pick<Limits, 'turnMsMax' | 'turnMessagesMin'>;
  /** Monotonic ms. */
  now?: () => number;
  /** When all that has arrived is read. */
  atEnd?: (end: () => void) => void;
}

/**
 * One turn of the event loop: all that has arrived is read, message by message, and who arrives meanwhile waits for the next
 * one. To read a message costs nearly as much as to decide it, so that a gateway that cannot keep up gains little by refusing;
 * it gains by its long turns: what one socket says in a turn is read in one piece, decided at once and answered in one write.
 * Only when that is not enough, and the turn has become so long that who is read last waits too long, its rest is refused.
 */
export class LoopBudget {
  readonly #rules: Required<LoopBudgetRules>;
  /** Another for each turn in which something was read. */
  number = 0;
  /** It has been too long: who asks in the rest of it is told to come back. */
  overdue = false;
  #messages = 0;
  #beganAt = 0;

  constructor(rules: LoopBudgetRules) {
    this.#rules = { now: () => performance.now(), atEnd: setImmediate, ...rules };
  }

  /** One message is being read. Looks at the clock once in `turnMessagesMin` times. */
  count(): void {
    const { limits: { turnMsMax, turnMessagesMin }, now, atEnd } = this.#rules;
    if (this.#messages++ === 0) {
      this.#beganAt = now();
      atEnd(this.#end);
    }
    if (this.#messages % turnMessagesMin === 0) this.overdue = now() - this.#beganAt >= turnMsMax;
  }

  readonly #end = (): void => {
    this.number++;
    this.#messages = 0;
    this.overdue = false;
  };
}
