import type { GrabMessage, ResultMessage } from '../protocol/messages.ts';
import { OUTCOMES, retryOf, type Outcome } from '../protocol/outcomes.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { ASK_AGAIN, RETRY_MS_MAX } from './backoff.ts';

const ATTEMPTS_MAX = 12;
const REPLY_MS_MAX = 3_000;
/** How long a ticket is waited for, and how often it is looked for. */
const PREPARE_MS_MAX = 30_000;
const LOOK_MS = 50;
/** Further ahead than this a start is waited for by the countdown, not by asking. */
const START_AHEAD_MS_MAX = 2_000;

export type Verdict =
  /** `doubtful`: an earlier attempt stayed without an answer, and may be the one that this answer repeats. */
  | { kind: 'settled'; result: ResultMessage; doubtful: boolean }
  /** Nobody could say; the user may tap again and lose nothing by it. */
  | { kind: 'unanswered' };

/** What a grab carries beside its rain. */
export type Carried = Pick<GrabMessage, 'ticket'>;

export interface GrabRequestOptions {
  /** @returns false when there is no connection; `connected` is called when there is one */
  send: (message: GrabMessage) => boolean;
  /** `undefined`: a ticket is still to come. */
  carry: () => Carried | undefined;
  /** The ticket is taken for none: another is needed. */
  onNoTicket: () => void;
  /** Milliseconds until the rain opens, by the server's clock; negative when it has. */
  untilOpen: () => number;
  random: () => number;
  onVerdict: (verdict: Verdict) => void;
  onWait: (why: Outcome['code'] | 'preparing') => void;
}

/**
 * One tap, asked for as often as it takes: after a lost reply, a lost connection, "busy" or "too fast" it is the same
 * question again, and the server gives its first answer [R6]. Ends with one verdict, after ATTEMPTS_MAX at the latest [R10].
 */
export class GrabRequest {
  readonly #options: GrabRequestOptions;
  #rainId: string | undefined;
  #ref = '';
  #count = 0;
  #attempts = 0;
  /** The last attempt has no answer yet; and whether an earlier one has none, or none that says what was decided. */
  #open = false;
  #doubtful = false;
  #preparedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GrabRequestOptions) {
    this.#options = options;
  }

  /** Does nothing while the last question is open. */
  ask(rainId: string): void {
    if (this.#rainId !== undefined) return;
    this.#rainId = rainId;
    this.#attempts = 0;
    this.#open = false;
    this.#doubtful = false;
    this.#preparedMs = 0;
    this.#send();
  }

  /** A new connection: what was sent over the old one is not answered any more. */
  connected(): void {
    if (this.#rainId !== undefined) this.#send();
  }

  /** @returns whether the message has been dealt with here; what answers no question of ours is somebody else's */
  hear(result: ResultMessage): boolean {
    if (result.rainId !== this.#rainId) return false;
    const retry = retryOf(result);
    // Every question of ours has a ref: that one is put off without one was his join.
    if (result.ref === undefined && retry === 'after a pause') return false;
    if (result.redPacketId === undefined && result.ref !== this.#ref) return true; // to an earlier attempt; the last one counts
    if (result.ref === this.#ref) this.#open = false;
    // A newer server may have a code for a packet that this client does not know: the packet is what counts.
    switch (result.redPacketId === undefined ? retry : 'no') {
      case 'no':
      case 'when it resumes':
        this.#settle(result);
        break;
      case 'after a pause':
        // Of a code that is not known here it is not known either what was decided.
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

  /** The answer has come by another way. */
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

  /** The tap is kept until there is what it needs. */
  #prepare(): void {
    this.#preparedMs += LOOK_MS;
    if (this.#preparedMs > PREPARE_MS_MAX) return this.#end({ kind: 'unanswered' });
    this.#again(LOOK_MS, 'preparing');
  }

  /** The gateway knows when it will have time, and tells everybody another moment. */
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
