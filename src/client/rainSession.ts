import type { ClientMessage, CreditedMessage, ChallengeMessage, RainSnapshot, ResultMessage, TicketMessage } from '../protocol/messages.ts';
import { retryOf, type Outcome } from '../protocol/outcomes.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
import { stateAt } from '../rain/rain.ts';
import { RETRY_MS_MAX } from './backoff.ts';
import { TicketHolder } from './ticket.ts';
import { outcomeOf, packetOf, type GrabOutcome, type Packet } from './outcome.ts';
import { Deferred } from './deferred.ts';
import { GrabRequest, type Carried, type Verdict } from './grabRequest.ts';

const JOIN_AGAIN_MS = 1_500;

/** How a join ended; `code` and `reason` are those of the page of codes. */
export type Joined = { kind: 'joined'; rain: RainSnapshot } | { kind: 'refused'; code: string; reason: string };

/** Where a grab is: on its way, or why it is asked again later; `preparing`: its ticket is still to come. */
export type OpenGrab = 'sent' | 'preparing' | Outcome['code'];

interface RainSessionOptions {
  rainId: string;
  /** Epoch ms by the server's clock. */
  now: () => number;
  random: () => number;
  solve: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  /** @returns false when there is no connection */
  send: (message: ClientMessage) => boolean;
  onAsking: (why: OpenGrab) => void;
  /** Something is decided: an answer that ends a grab, or what the join tells. */
  onResult: (result: ResultMessage) => void;
  onWon: (packet: Packet) => void;
  onCredited: (message: CreditedMessage) => void;
}

/** One user's place at one rain: what he knows of it, his entry, his question, and what he has won. It outlives connections. */
export class RainSession {
  readonly #options: RainSessionOptions;
  readonly #entry: TicketHolder;
  readonly #request: GrabRequest;
  readonly #joined = new Deferred<Joined>();
  readonly #outcome = new Deferred<GrabOutcome>();
  #rain: RainSnapshot | undefined;
  #win: Packet | undefined;
  #creditedId: string | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RainSessionOptions) {
    this.#options = options;
    const { rainId, now, random, solve, send } = options;
    this.#entry = new TicketHolder({ now, send, solve: ({ challenge }) => solve(challenge), onVain: () => this.#joinAgain() });
    this.#request = new GrabRequest({
      random,
      send: (message) => {
        const sent = send(message);
        if (sent) options.onAsking('sent');
        return sent;
      },
      carry: () => this.#carry(),
      onNoTicket: () => {
        this.#entry.lose();
        this.#join();
      },
      untilOpen: () => (this.#rain?.opensAt ?? 0) - now(),
      onVerdict: (verdict) => this.#settle(verdict),
      onWait: options.onAsking,
    });
    this.#entry.begin(rainId);
  }

  /** As it was last told, but for its state, which follows the window by the server's clock, by the server's own law [R7]. */
  get rain(): RainSnapshot | undefined {
    const { now } = this.#options;
    return this.#rain && { ...this.#rain, state: stateAt({ ...this.#rain, state: this.#rain.state === 'open' ? 'loaded' : this.#rain.state }, now()) };
  }

  join(signal?: AbortSignal): Promise<Joined> {
    const { rain } = this;
    if (rain) return Promise.resolve({ kind: 'joined', rain });
    return this.#joined.wait(signal);
  }

  /** One question at a time: who asks meanwhile hears the same answer. */
  grab(signal: AbortSignal | undefined): Promise<GrabOutcome> {
    if (this.#win) return Promise.resolve({ kind: 'already_claimed', ...this.#win });
    const outcome = this.#outcome.wait(signal, () => this.#request.cancel());
    if (!signal?.aborted) this.#request.ask(this.#options.rainId);
    return outcome;
  }

  connected(): void {
    this.#join();
    this.#request.connected();
  }

  disconnected(): void {
    clearTimeout(this.#again);
  }

  /** Another user than before: what was won is not his, and what was asked was not his question. */
  forget(): void {
    this.#win = undefined;
    this.#creditedId = undefined;
    this.#request.cancel();
    this.#outcome.keep({ kind: 'unanswered' });
    this.#entry.forget();
  }

  /** @param refused what those are told who still wait to be joined */
  end(refused: { code: string; reason: string }): void {
    this.disconnected();
    this.#request.cancel();
    this.#outcome.keep({ kind: 'unanswered' });
    this.refuse(refused);
  }

  refuse({ code, reason }: { code: string; reason: string }): void {
    this.#joined.keep({ kind: 'refused', code, reason });
  }

  hearRain(rain: RainSnapshot): void {
    this.#rain = rain;
    if (rain.state === 'closed' || rain.state === 'settled') this.#entry.forget();
    this.#joined.keep({ kind: 'joined', rain });
  }

  hearTicket(message: TicketMessage | ChallengeMessage): void {
    this.#entry.hear(message);
  }

  hearResult(result: ResultMessage): void {
    const retry = retryOf(result);
    // Every question of ours has a ref: this is about the join, and no ticket came with it.
    if (result.ref === undefined && this.#entry.preparing && retry === 'after a pause') return this.#joinAgain(result.retryInMs);
    if (this.#request.hear(result)) return;
    if (retry === 'after a pause' && result.redPacketId === undefined) return this.#joinAgain(result.retryInMs);
    // A refusal of a grab that nobody waits for any more. A packet is never unheard.
    if (result.ref !== undefined && result.redPacketId === undefined) return;
    if (result.redPacketId === undefined) this.refuse(result);
    this.#decide(result);
  }

  /** Also tells of a win whose own answer was lost. */
  hearCredited(message: CreditedMessage): void {
    const { redPacketId, amount } = message;
    this.#request.cancel();
    this.#learn({ redPacketId, amount });
    this.#outcome.keep({ kind: 'won', redPacketId, amount });
    if (this.#creditedId === redPacketId) return;
    this.#creditedId = redPacketId;
    this.#options.onCredited(message);
  }

  /** A solution was not taken: the challenge had run out, for instance because the phone slept. There is another. */
  hearNotSolved(): void {
    if (this.#entry.preparing) this.#joinAgain();
  }

  #settle(verdict: Verdict): void {
    if (verdict.kind === 'unanswered') this.#entry.relent();
    else this.#decide(verdict.result);
    this.#outcome.keep(outcomeOf(verdict));
  }

  #decide(result: ResultMessage): void {
    const packet = packetOf(result);
    if (packet) this.#learn(packet);
    this.#options.onResult(result);
  }

  #learn(packet: Packet): void {
    if (this.#win?.redPacketId === packet.redPacketId) return;
    this.#win = packet;
    this.#options.onWon(packet);
  }

  #join(): void {
    clearTimeout(this.#again);
    const { ticket } = this.#entry;
    this.#options.send({ type: 'join', rainId: this.#options.rainId, ...(ticket !== undefined && { ticket }) });
  }

  #joinAgain(afterMs = JOIN_AGAIN_MS * (0.5 + this.#options.random())): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#join(), Math.min(afterMs, RETRY_MS_MAX));
  }

  /** What a grab needs here; `undefined` while it is still to come. */
  #carry(): Carried | undefined {
    const { ticket, preparing } = this.#entry;
    if (preparing) return undefined;
    return ticket === undefined ? {} : { ticket };
  }
}
