import { isLater, type OrderStatus } from '../../sale/order.ts';
import type { Limits } from '../limits.ts';
import type { LimitName } from '../telemetry/counters.ts';

type WaitLimits = Pick<Limits, 'orderWaitsMax' | 'orderWaitsPerUserMax'>;

/** One request that waits for another status of an order. */
export interface OrderWait {
  /**
   * Resolves with the `order` that tells a later status than the known one; with nothing after `ms`, at its end, or if
   * one came before.
   */
  until(known: OrderStatus, ms: number): Promise<string | undefined>;
  /** Ends the waiting, and gives its place back. */
  end(): void;
}

interface Waiting extends OrderWait {
  readonly userId: string;
  tell(status: OrderStatus, text: string): void;
  /** Nothing more is waited for. The place is given back by `end`, when the request is answered. */
  stop(): void;
}

/** The requests over HTTP that wait for orders of buyers at this gateway. */
export class OrderWaits {
  readonly #limits: WaitLimits;
  readonly #byOrder = new Map<string, Set<Waiting>>();
  readonly #byUser = new Map<string, number>();
  #count = 0;
  /** The gateway closes: nobody waits any more. */
  closed = false;

  constructor(limits: WaitLimits) {
    this.#limits = limits;
  }

  /** The limit that one more request of this user would exceed. */
  exceeds(userId: string): Extract<LimitName, 'order_waits' | 'order_waits_per_user'> | undefined {
    if (this.#count >= this.#limits.orderWaitsMax) return 'order_waits';
    return (this.#byUser.get(userId) ?? 0) >= this.#limits.orderWaitsPerUserMax ? 'order_waits_per_user' : undefined;
  }

  /** To be called before the order is read, so that no change in between is missed; the caller ends it. */
  open(reservationId: string, userId: string): OrderWait {
    const waiting = createWaiting(userId, () => {
      const others = this.#byOrder.get(reservationId);
      if (others?.delete(waiting) && others.size === 0) this.#byOrder.delete(reservationId);
      const left = this.#byUser.get(userId)! - 1;
      if (left > 0) this.#byUser.set(userId, left);
      else this.#byUser.delete(userId);
      this.#count--;
    });
    this.#byOrder.set(reservationId, (this.#byOrder.get(reservationId) ?? new Set()).add(waiting));
    this.#byUser.set(userId, (this.#byUser.get(userId) ?? 0) + 1);
    this.#count++;
    return waiting;
  }

  /** Requests that are not answered yet. */
  get size(): number {
    return this.#count;
  }

  has(reservationId: string): boolean {
    return this.#byOrder.has(reservationId);
  }

  tell(reservationId: string, userId: string, status: OrderStatus, text: string): void {
    for (const waiting of this.#byOrder.get(reservationId) ?? [])
      if (waiting.userId === userId) waiting.tell(status, text);
  }

  close(): void {
    this.closed = true;
    for (const waits of this.#byOrder.values()) for (const waiting of waits) waiting.stop();
  }
}

function createWaiting(userId: string, onEnd: () => void): Waiting {
  let told: OrderStatus | undefined;
  let known: OrderStatus | undefined;
  let stopped = false;
  let ended = false;
  let resolve: ((text: string | undefined) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    resolve?.(undefined);
  };
  return {
    userId,
    stop,
    tell(status, text) {
      // Events may overtake each other, and come twice.
      if (told === undefined || isLater(status, told)) told = status;
      if (known !== undefined && isLater(status, known)) resolve?.(text);
    },
    until(status, ms) {
      if (stopped || (told !== undefined && isLater(told, status))) return Promise.resolve(undefined);
      known = status;
      return new Promise((done) => {
        resolve = done;
        timer = setTimeout(done, ms, undefined);
      });
    },
    end() {
      if (ended) return;
      ended = true;
      stop();
      onEnd();
    },
  };
}
