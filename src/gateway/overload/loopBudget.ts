import type { Limits } from '../limits.ts';

interface LoopBudgetRules {
  limits: Pick<Limits, 'turnMsMax' | 'turnMessagesMin'>;
  /** Monotonic ms. */
  now?: () => number;
  /** Calls back when everything that has arrived is read. */
  atEnd?: (end: () => void) => void;
}

/**
 * The budget of one turn of the event loop, which reads all messages that have arrived. Reading one costs nearly as much as deciding it,
 * so refusing saves little; long turns save more, since all messages of a socket in a turn are answered in one write. Only when a turn
 * exceeds turnMsMax, the remaining grabs are answered 'busy'.
 */
export class LoopBudget {
  readonly #rules: Required<LoopBudgetRules>;
  /** Counts the turns in which a message was read. */
  turn = 0;
  /** The turn is too long: its remaining grabs are answered "busy". */
  overdue = false;
  #messages = 0;
  #beganAt = 0;

  constructor(rules: LoopBudgetRules) {
    this.#rules = { now: () => performance.now(), atEnd: setImmediate, ...rules };
  }

  /** Counts one message. Reads the clock only once per `turnMessagesMin` messages. */
  count(): void {
    const { limits: { turnMsMax, turnMessagesMin }, now, atEnd } = this.#rules;
    if (this.#messages++ === 0) {
      this.#beganAt = now();
      atEnd(this.#end);
    }
    if (this.#messages % turnMessagesMin === 0) this.overdue = now() - this.#beganAt >= turnMsMax;
  }

  readonly #end = (): void => {
    this.turn++;
    this.#messages = 0;
    this.overdue = false;
  };
}
