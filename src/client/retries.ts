import { OUTCOMES, type Outcome } from '../protocol/outcomes.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { ASK_AGAIN, RETRY_MS_MAX } from './backoff.ts';

const ATTEMPTS_MAX = 12;
const REPLY_MS_MAX = 3_000;
/** How long a request waits for a ticket, and how often it checks for one, ms. */
const PREPARE_MS_MAX = 30_000;
const POLL_MS = 50;
/** If the opening is further ahead than this, the request ends with "not started" instead of being repeated, ms. */
const START_AHEAD_MS_MAX = 2_000;

interface RetriesOptions {
  /**
   * Sends the request once more.
   * @returns false when there is no connection; `connected` is called when there is one
   */
  send: () => boolean;
  /** Whether the ticket is there, or none is needed. */
  isReady: () => boolean;
  /** The gateway did not accept the ticket: another one is needed. */
  onNoTicket: () => void;
  /** Milliseconds until the opening, by the server's clock; negative when it has passed. */
  untilOpen: () => number;
  random: () => number;
  onWait: (why: Outcome['code'] | 'preparing') => void;
  /** No answer within the limits. */
  onUnanswered: () => void;
}

/**
 * One request, repeated after a lost reply or connection, "busy" or "too fast" [R6], at most ATTEMPTS_MAX times [R10].
 */
export class Retries {
  readonly #options: RetriesOptions;
  #running = false;
  #attempts = 0;
  /** `#open`: the last attempt has no answer yet. `#doubtful`: the outcome of an earlier attempt is unknown. */
  #open = false;
  #doubtful = false;
  #preparedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer is due, by the wall clock, which goes on while the device sleeps. */
  #dueAt = 0;

  constructor(options: RetriesOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#running;
  }

  /** An earlier attempt had no answer, so the final answer may be a repeat of it. */
  get doubtful(): boolean {
    return this.#doubtful;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#attempts = 0;
    this.#open = false;
    this.#doubtful = false;
    this.#preparedMs = 0;
    this.#send();
  }

  /** A new connection: requests on the old one will not be answered any more. */
  connected(): void {
    if (this.#running) this.#send();
  }

  /** The device may have slept: its timers are late by as much. */
  wake(): void {
    if (this.#running && Date.now() >= this.#dueAt) this.#send();
  }

  /** The last attempt has its answer. */
  answered(): void {
    this.#open = false;
  }

  /** @returns whether the answer is final: the request has ended with it */
  receive({ code, retryInMs }: { code: string; retryInMs?: number | undefined }, retry: Outcome['retry']): boolean {
    switch (retry) {
      case 'no':
      case 'when it resumes':
        return this.#end();
      case 'after a pause':
        // With an unknown code the outcome of the attempt is unknown too.
        this.#doubtful ||= code !== OUTCOMES['-5'].code;
        this.#again(this.#pauseFor(retryInMs), code);
        return false;
      case 'after joining again':
        this.#options.onNoTicket();
        this.#again(delayBeforeRetry(1, ASK_AGAIN, this.#options.random), 'preparing');
        return false;
      case 'when it opens': {
        // Our clock is a little ahead of the server's, or the start has been moved.
        const untilOpen = this.#options.untilOpen();
        if (untilOpen > START_AHEAD_MS_MAX) return this.#end();
        this.#again(Math.max(untilOpen, 0) + delayBeforeRetry(1, ASK_AGAIN, this.#options.random), code);
        return false;
      }
      default:
        return retry satisfies never;
    }
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#running = false;
  }

  #send(): void {
    clearTimeout(this.#timer);
    if (!this.#options.isReady()) return this.#prepare();
    if (this.#attempts++ >= ATTEMPTS_MAX) return this.#giveUp();
    if (!this.#options.send()) return void this.#attempts--;
    this.#doubtful ||= this.#open;
    this.#open = true;
    this.#sendAfter(REPLY_MS_MAX);
  }

  #prepare(): void {
    this.#preparedMs += POLL_MS;
    if (this.#preparedMs > PREPARE_MS_MAX) return this.#giveUp();
    this.#again(POLL_MS, 'preparing');
  }

  /** The pause that the gateway asks for, which differs per user; otherwise our own backoff. */
  #pauseFor(retryInMs: number | undefined): number {
    if (typeof retryInMs === 'number' && retryInMs >= 0) return Math.min(retryInMs, RETRY_MS_MAX);
    return delayBeforeRetry(this.#attempts + 1, ASK_AGAIN, this.#options.random);
  }

  #again(afterMs: number, why: Outcome['code'] | 'preparing'): void {
    clearTimeout(this.#timer);
    this.#options.onWait(why);
    this.#sendAfter(afterMs);
  }

  #sendAfter(ms: number): void {
    this.#dueAt = Date.now() + ms;
    this.#timer = setTimeout(() => this.#send(), ms);
  }

  #end(): true {
    this.cancel();
    return true;
  }

  #giveUp(): void {
    this.cancel();
    this.#options.onUnanswered();
  }
}
