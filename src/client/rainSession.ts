import type {
  ClientMessage,
  CreditedMessage,
  ChallengeMessage,
  RainSnapshot,
  ReceiptStatus,
  ReceiptStatusMessage,
  ResultMessage,
  TicketMessage,
} from '../protocol/messages.ts';
import { retryOf, type Outcome } from '../protocol/outcomes.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
import { stateAt } from '../rain/rain.ts';
import { RETRY_MS_MAX } from './backoff.ts';
import type { Signal } from './signal.ts';
import { TicketHolder } from './ticket.ts';
import { outcomeOf, packetOf, type GrabOutcome, type Packet } from './outcome.ts';
import { Deferred } from './deferred.ts';
import { GrabRequest, type Verdict } from './grabRequest.ts';
import { ReceiptHolder, type Receipt } from './receiptHolder.ts';

const JOIN_AGAIN_MS = 1_500;

/** How a join ended; `code` and `reason` are from the table of codes. */
export type Joined = { kind: 'joined'; rain: RainSnapshot } | { kind: 'refused'; code: string; reason: string };

/**
 * State of a grab: sent, or the code of the answer after which it is repeated; `preparing`: it waits for its ticket.
 */
export type OpenGrab = 'sent' | 'preparing' | Outcome['code'];

interface RainSessionOptions {
  rainId: string;
  /** Epoch ms by the server's clock. */
  now: () => number;
  random: () => number;
  solve: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  send: (message: ClientMessage) => boolean;
  /** The receipt that the app has stored for this rain and user. */
  readReceipt: () => Receipt | undefined;
  writeReceipt: (receipt: Receipt) => void;
  onAsking: (why: OpenGrab) => void;
  /** A final answer: it ends a grab, or it came with a join. */
  onResult: (result: ResultMessage) => void;
  onWon: (packet: Packet) => void;
  onCredited: (message: CreditedMessage) => void;
  onReceipt: (packet: Packet, status: ReceiptStatus) => void;
}

/** One user in one rain: its snapshot, the ticket, the pending grab and the win. It outlives connections. */
export class RainSession {
  readonly #options: RainSessionOptions;
  readonly #ticketHolder: TicketHolder;
  readonly #request: GrabRequest;
  readonly #receiptHolder: ReceiptHolder;
  readonly #joined = new Deferred<Joined>();
  readonly #outcome = new Deferred<GrabOutcome>();
  #rain: RainSnapshot | undefined;
  #win: Packet | undefined;
  #creditedId: string | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RainSessionOptions) {
    this.#options = options;
    const { rainId, now, random, solve, send } = options;
    this.#ticketHolder = new TicketHolder({
      id: { rainId },
      now,
      send,
      solve,
      onUnsolved: () => this.#joinAgain(),
      random,
      onDue: () => this.#join(),
    });
    this.#receiptHolder = new ReceiptHolder({
      rainId,
      random,
      send,
      read: options.readReceipt,
      write: options.writeReceipt,
      onStatus: (packet, status) => this.#onReceipt(packet, status),
    });
    this.#request = new GrabRequest({
      random,
      send: (message) => {
        const sent = send(message);
        if (sent) options.onAsking('sent');
        return sent;
      },
      carry: () => (this.#ticketHolder.preparing ? undefined : this.#ticketHolder.carried()),
      onNoTicket: () => {
        this.#ticketHolder.lose();
        this.#join();
      },
      untilOpen: () => (this.#rain?.opensAt ?? 0) - now(),
      onVerdict: (verdict) => this.#settle(verdict),
      onWait: options.onAsking,
    });
  }

  /** The last snapshot, with the state computed from the server's clock by the server's own rule [R7]. */
  get rain(): RainSnapshot | undefined {
    const { now } = this.#options;
    return (
      this.#rain && {
        ...this.#rain,
        state: stateAt({ ...this.#rain, state: this.#rain.state === 'open' ? 'loaded' : this.#rain.state }, now()),
      }
    );
  }

  join(signal?: Signal): Promise<Joined> {
    const { rain } = this;
    if (rain) return Promise.resolve({ kind: 'joined', rain });
    return this.#joined.wait(signal);
  }

  /** One grab at a time: calls made meanwhile get the same answer. */
  grab(signal: Signal | undefined): Promise<GrabOutcome> {
    if (this.#win) return Promise.resolve({ kind: 'already_claimed', ...this.#win });
    const outcome = this.#outcome.wait(signal, () => this.#request.cancel());
    if (!signal?.aborted) this.#request.start(this.#options.rainId);
    return outcome;
  }

  connected(): void {
    this.#join();
    this.#request.connected();
  }

  /** Timers stood still while the device slept, and messages may be lost: the join is answered by all of it. */
  wake(): void {
    this.#ticketHolder.rest();
    this.#join();
    this.#request.wake();
  }

  disconnected(): void {
    clearTimeout(this.#again);
    this.#ticketHolder.rest();
    this.#receiptHolder.disconnected();
  }

  /** The user has changed: the win and the pending grab of the previous user are dropped. */
  forget(): void {
    this.#win = undefined;
    this.#creditedId = undefined;
    this.#receiptHolder.forget();
    this.#request.cancel();
    this.#outcome.resolve({ kind: 'unanswered' });
    this.#ticketHolder.forget();
  }

  /** @param refused the answer to pending joins */
  end(refused: { code: string; reason: string }): void {
    this.disconnected();
    this.#request.cancel();
    this.#outcome.resolve({ kind: 'unanswered' });
    this.refuse(refused);
  }

  refuse({ code, reason }: { code: string; reason: string }): void {
    this.#joined.resolve({ kind: 'refused', code, reason });
  }

  receiveRain(rain: RainSnapshot): void {
    this.#rain = rain;
    if (rain.state === 'closed' || rain.state === 'settled') this.#ticketHolder.forget();
    else this.#ticketHolder.follow(rain);
    this.#joined.resolve({ kind: 'joined', rain });
  }

  receiveTicket(message: TicketMessage | ChallengeMessage): void {
    this.#ticketHolder.receive(message);
  }

  receiveReceiptStatus({ redPacketId, status }: ReceiptStatusMessage): void {
    this.#receiptHolder.receiveStatus(redPacketId, status);
  }

  receiveResult(result: ResultMessage): void {
    this.#receiptHolder.receiveResult(result);
    const retry = retryOf(result);
    // Every grab has a ref, so this answers the join, and it brought no ticket.
    if (result.ref === undefined && this.#ticketHolder.preparing && retry === 'after a pause')
      return this.#joinAgain(result.retryInMs);
    if (this.#request.receive(result)) return;
    if (retry === 'after a pause' && result.redPacketId === undefined) return this.#joinAgain(result.retryInMs);
    // A refusal of a grab that was given up. A packet is never ignored.
    if (result.ref !== undefined && result.redPacketId === undefined) return;
    if (result.redPacketId === undefined) this.refuse(result);
    this.#onFinalResult(result);
  }

  /** Also reports a win whose own answer was lost. */
  receiveCredited(message: CreditedMessage): void {
    const { redPacketId, amount } = message;
    this.#request.cancel();
    this.#receiptHolder.reported(redPacketId);
    this.#setWin({ redPacketId, amount });
    this.#outcome.resolve({ kind: 'won', redPacketId, amount });
    if (this.#creditedId === redPacketId) return;
    this.#creditedId = redPacketId;
    this.#options.onCredited(message);
  }

  /**
   * The gateway rejected a solution because the challenge had expired, for example while the phone slept. A new join
   * brings another.
   */
  receiveNotSolved(): void {
    if (this.#ticketHolder.preparing) this.#joinAgain();
  }

  #settle(verdict: Verdict): void {
    if (verdict.kind === 'unanswered') this.#ticketHolder.stopWaiting();
    else this.#onFinalResult(verdict.result);
    this.#outcome.resolve(outcomeOf(verdict));
  }

  #onFinalResult(result: ResultMessage): void {
    const packet = packetOf(result);
    if (packet) this.#setWin(packet);
    this.#options.onResult(result);
  }

  #onReceipt(packet: Packet, status: ReceiptStatus): void {
    if (status !== 'busy' && status !== 'not_genuine') this.#setWin(packet);
    this.#options.onReceipt(packet, status);
  }

  #setWin(packet: Packet): void {
    if (this.#win?.redPacketId === packet.redPacketId) return;
    this.#win = packet;
    this.#options.onWon(packet);
  }

  #join(): void {
    clearTimeout(this.#again);
    this.#receiptHolder.joined();
    this.#options.send({ type: 'join', rainId: this.#options.rainId, ...this.#ticketHolder.carried() });
  }

  #joinAgain(afterMs = JOIN_AGAIN_MS * (0.5 + this.#options.random())): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#join(), Math.min(afterMs, RETRY_MS_MAX));
  }
}
