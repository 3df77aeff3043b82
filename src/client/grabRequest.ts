import type { GrabMessage, ResultMessage } from '../protocol/messages.ts';
import { OUTCOMES, retryOf, type Outcome } from '../protocol/outcomes.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { ASK_AGAIN, RETRY_MS_MAX } from './backoff.ts';

const ATTEMPTS_MAX = 12;
const REPLY_MS_MAX = 3_000;
/** How long a grab waits for a ticket, and how often it checks for one, ms. */
const PREPARE_MS_MAX = 30_000;
const POLL_MS = 50;
/** If the opening is further ahead than this, the grab ends with "not started" instead of being repeated, ms. */
const START_AHEAD_MS_MAX = 2_000;

export type Verdict =
  /** `doubtful`: an earlier attempt had no answer, so this answer may be a repeat of it. */
  | { kind: 'settled'; result: ResultMessage; doubtful: boolean }
  /** No answer; the user may tap again without a disadvantage. */
  | { kind: 'unanswered' };

export interface GrabRequestOptions {
  /** @returns false when there is no connection; `connected` is called when there is one */
  send: (message: GrabMessage) => boolean;
  /** The fields of a grab besides its rain; `undefined` while the ticket is still missing. */
  carry: () => Pick<GrabMessage, 'ticket'> | undefined;
  /** The gateway did not accept the ticket: another one is needed. */
  onNoTicket: () => void;
  /** Milliseconds until the rain opens, by the server's clock; negative when it has. */
  untilOpen: () => number;
  random: () => number;
  onVerdict: (verdict: Verdict) => void;
  onWait: (why: Outcome['code'] | 'preparing') => void;
}

/** One tap, repeated after a lost reply or connection, "busy" or "too fast" [R6]. One verdict, after at most ATTEMPTS_MAX [R10]. */
export class GrabRequest {
  readonly #options: GrabRequestOptions;
  #rainId: string | undefined;
  #ref = '';
  #count = 0;
  #attempts = 0;
  /** `#open`: the last attempt has no answer yet. `#doubtful`: the outcome of an earlier attempt is unknown. */
  #open = false;
  #doubtful = false;
  #preparedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GrabRequestOptions) {
    this.#options = options;
  }

  start(rainId: string): void {
    if (this.#rainId !== undefined) return;
    this.#rainId = rainId;
    this.#attempts = 0;
    this.#open = false;
    this.#doubtful = false;
    this.#preparedMs = 0;
    this.#send();
  }

  /** A new connection: requests on the old one will not be answered any more. */
  connected(): void {
    if (this.#rainId !== undefined) this.#send();
  }

  /** @returns whether the message belongs to this grab */
  receive(result: ResultMessage): boolean {
    if (result.rainId !== this.#rainId) return false;
    const retry = retryOf(result);
    // Every grab has a ref, so a "retry" without a ref answers a join.
    if (result.ref === undefined && retry === 'after a pause') return false;
    if (result.redPacketId === undefined && result.ref !== this.#ref) return true; // answers an earlier attempt; only the last one counts
    if (result.ref === this.#ref) this.#open = false;
    // A newer server may have a code for a packet that this client does not know: the packet is what counts.
    switch (result.redPacketId === undefined ? retry : 'no') {
      case 'no':
      case 'when it resumes':
        this.#settle(result);
        break;
      case 'after a pause':
        // With an unknown code the outcome of the attempt is unknown too.
        this.#doubtful ||= result.code !== OUTCOMES['-5'].code;
        this.#again(this.#pauseAfter(result), result.code);
        break;
      case 'after joining again':
        this.#options.onNoTicket();
        this.#again(delayBeforeRetry(1, ASK_AGAIN, this.#options.random), 'preparing');
        break;
      case 'when it opens': {
        // Our clock is a little ahead of the server's, or the start has been moved.
        const untilOpen = this.#options.untilOpen();
        if (untilOpen > START_AHEAD_MS_MAX) this.#settle(result);
        else this.#again(Math.max(untilOpen, 0) + delayBeforeRetry(1, ASK_AGAIN, this.#options.random), result.code);
        break;
      }
    }
    return true;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#rainId = undefined;
  }

  #send(): void {
    clearTimeout(this.#timer);
    const carried = this.#options.carry();
    if (!carried) return this.#prepare();
    if (this.#attempts++ >= ATTEMPTS_MAX) return this.#end({ kind: 'unanswered' });
    this.#ref = `tap-${++this.#count}`;
    if (!this.#options.send({ type: 'grab', rainId: this.#rainId!, ref: this.#ref, ...carried })) return void this.#attempts--;
    this.#doubtful ||= this.#open;
    this.#open = true;
    this.#timer = setTimeout(() => this.#send(), REPLY_MS_MAX);
  }

  #prepare(): void {
    this.#preparedMs += POLL_MS;
    if (this.#preparedMs > PREPARE_MS_MAX) return this.#end({ kind: 'unanswered' });
    this.#again(POLL_MS, 'preparing');
  }

  /** The pause that the gateway asks for, which differs per user; otherwise our own backoff. */
  #pauseAfter({ retryInMs }: ResultMessage): number {
    if (typeof retryInMs === 'number' && retryInMs >= 0) return Math.min(retryInMs, RETRY_MS_MAX);
    return delayBeforeRetry(this.#attempts + 1, ASK_AGAIN, this.#options.random);
  }

  #again(afterMs: number, why: Outcome['code'] | 'preparing'): void {
    clearTimeout(this.#timer);
    this.#options.onWait(why);
    this.#timer = setTimeout(() => this.#send(), afterMs);
  }

  #settle(result: ResultMessage): void {
    this.#end({ kind: 'settled', result, doubtful: this.#doubtful });
  }

  #end(verdict: Verdict): void {
    this.cancel();
    this.#options.onVerdict(verdict);
  }
}
