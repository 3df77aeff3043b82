import type { Limits } from '../limits.ts';

interface LoopBudgetRules {
  limits: Pick<Limits, 'turnMsMax' | 'turnMessagesMin'>;
  /** Monotonic ms. */
  now?: () => number;
  /** Calls back when everything that has arrived is read. */
  atEnd?: (end: () => void) => void;
}

/**
 * Only when a turn of the event loop exceeds turnMsMax, its remaining grabs are answered 'busy'. Reading a message
 * costs nearly as much as deciding it, so refusing saves little; long turns save more, since all messages of a socket
 * in a turn are answered in one write.
 */
export class LoopBudget {
  readonly #rules: Required<LoopBudgetRules>;
  /** Counts the turns in which a message was read. */
  turn = 0;
  overdue = false;
  #messages = 0;
  #beganAt = 0;

  constructor(rules: LoopBudgetRules) {
    this.#rules = { now: () => performance.now(), atEnd: setImmediate, ...rules };
  }

  /** Counts one message. Reads the clock only once per `turnMessagesMin` messages. */
  count(): void {
    const {
      limits: { turnMsMax, turnMessagesMin },
      now,
      atEnd,
    } = this.#rules;
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
