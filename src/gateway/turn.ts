import type { Limits } from './limits.ts';

export interface TurnRules {
  limits: Pick<Limits, 'turnMs' | 'turnMessagesMin'>;
  /** Monotonic ms. */
  now?: () => number;
  /** When all that has arrived is read. */
  atEnd?: (end: () => void) => void;
}

/**
 * One turn of the event loop: all that has arrived is read, message by message, and who arrives meanwhile waits for the next
 * one. A turn that is too long is a gateway that cannot keep up. Then what is left of it is refused rather than decided, and
 * those who asked are not read for a while, so that the next turn is shorter.
 */
export class Turn {
  readonly #rules: Required<TurnRules>;
  /** Another for each turn in which something was read. */
  number = 0;
  /** It has been too long. */
  overdue = false;
  #messages = 0;
  #beganAt = 0;

  constructor(rules: TurnRules) {
    this.#rules = { now: () => performance.now(), atEnd: setImmediate, ...rules };
  }

  /** One message is being read. Looks at the clock once in `turnMessagesMin` times. */
  count(): void {
    const { limits: { turnMs, turnMessagesMin }, now, atEnd } = this.#rules;
    if (this.#messages++ === 0) {
      this.#beganAt = now();
      atEnd(this.#end);
    }
    if (this.#messages % turnMessagesMin === 0 && now() - this.#beganAt >= turnMs) this.overdue = true;
  }

  readonly #end = (): void => {
    this.number++;
    this.#messages = 0;
    this.overdue = false;
  };
}
