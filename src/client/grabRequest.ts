import type { GrabMessage, ResultMessage } from '../protocol/messages.ts';
import { retryOf, type Outcome } from '../protocol/outcomes.ts';
import { Retries } from './retries.ts';

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

/** One tap, repeated until it has an answer [R6]. One verdict. */
export class GrabRequest {
  readonly #options: GrabRequestOptions;
  readonly #retries: Retries;
  #rainId = '';
  #ref = '';
  #count = 0;

  constructor(options: GrabRequestOptions) {
    this.#options = options;
    const { carry, onNoTicket, untilOpen, random, onWait, onVerdict } = options;
    this.#retries = new Retries({
      onNoTicket,
      untilOpen,
      random,
      onWait,
      isReady: () => carry() !== undefined,
      send: () => this.#send(),
      onUnanswered: () => onVerdict({ kind: 'unanswered' }),
    });
  }

  start(rainId: string): void {
    if (this.#retries.running) return;
    this.#rainId = rainId;
    this.#retries.start();
  }

  /** A new connection: requests on the old one will not be answered any more. */
  connected(): void {
    this.#retries.connected();
  }

  wake(): void {
    this.#retries.wake();
  }

  /** @returns whether the message belongs to this grab */
  receive(result: ResultMessage): boolean {
    if (!this.#retries.running || result.rainId !== this.#rainId) return false;
    const retry = retryOf(result);
    // Every grab has a ref, so a "retry" without a ref answers a join.
    if (result.ref === undefined && retry === 'after a pause') return false;
    if (result.redPacketId === undefined && result.ref !== this.#ref) return true; // answers an earlier attempt; only the last one counts
    if (result.ref === this.#ref) this.#retries.answered();
    // A newer server may have a code for a packet that this client does not know: the packet is what counts.
    if (this.#retries.receive(result, result.redPacketId === undefined ? retry : 'no')) {
      this.#options.onVerdict({ kind: 'settled', result, doubtful: this.#retries.doubtful });
    }
    return true;
  }

  cancel(): void {
    this.#retries.cancel();
  }

  #send(): boolean {
    this.#ref = `tap-${++this.#count}`;
    return this.#options.send({ type: 'grab', rainId: this.#rainId, ref: this.#ref, ...this.#options.carry() });
  }
}
