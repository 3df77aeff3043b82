import { retryOf } from '../../protocol/outcomes.ts';
import { Timer } from '../timer.ts';
import { Connection } from './connection.ts';
import type { Behaviour } from './behaviours.ts';
import { FaultInjector } from './faultInjection.ts';
import type { BotOutcome } from './outcome.ts';
import { TicketClient } from './ticketClient.ts';
import { isSamePlan, Schedule } from '../schedule.ts';
import type { ReceivedMessage, ReceivedRain, ReceivedResult, ReceivedTicket } from './serverMessage.ts';
import type { LoadtestEnvironment } from '../environment.ts';

export interface BotSelf {
  userId: string;
  /** Time from seeing the open rain, or from the common start, to the tap, ms. */
  reactionMs: number;
  behaviour: Behaviour;
  /** Source address; `undefined`: the system chooses. */
  localAddress: string | undefined;
}

/**
 * One simulated user that behaves like a good client:
 *
 *     waiting ──the rain opens, then the reaction time──▶ grabbing ──the answer──▶ won, or lost
 *        ▲                                                │  ▲
 *        └── not started, paused ─────────────────────────┤  │ a pause, longer each time
 *                                                         └──┘ too fast, busy, connection lost
 *
 * A grab without an answer is repeated on the next connection, because a repeat is safe [R6].
 */
export class Bot {
  readonly #environment: LoadtestEnvironment;
  readonly #self: BotSelf;
  readonly #schedule: Schedule;
  readonly #connection: Connection;
  readonly #faults: FaultInjector;
  readonly #ticketClient: TicketClient;
  readonly #timer = new Timer();
  #rain: ReceivedRain | undefined;
  #asks = 0;
  #pending: { ref: string; at: number } | undefined;
  #won: Extract<BotOutcome, { kind: 'won' }> | undefined;
  #creditedId: string | undefined;
  #outcome: BotOutcome | undefined;
  #resolve: (outcome: BotOutcome) => void = () => {};
  #reject: (fault: unknown) => void = () => {};

  constructor(environment: LoadtestEnvironment, self: BotSelf) {
    this.#environment = environment;
    this.#self = self;
    this.#schedule = new Schedule(environment, self.reactionMs);
    this.#connection = new Connection(environment, self.userId, self.localAddress, {
      onMessage: (message) => this.#receive(message),
      onWelcome: () => this.#faults.welcomed(),
      ticket: () => this.#ticketClient.ticket,
      onBroken: () => this.#onBroken(),
      onGone: (why) => this.#finish(why),
      onFault: (fault) => this.#reject(fault),
    });
    this.#ticketClient = new TicketClient(
      environment,
      (solution) => this.#connection.ask(solution),
      (fault) => this.#reject(fault),
    );
    this.#faults = new FaultInjector(environment, self.behaviour, this.#connection);
  }

  /** Resolves when the outcome is known and the socket is closed. @throws what `tokenFor` throws */
  run(): Promise<BotOutcome> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void this.#connection.open();
    });
  }

  abort(): void {
    this.#timer.clear();
    this.#connection.leave('at once');
  }

  #receive(message: ReceivedMessage): void {
    if (this.#outcome) return;
    switch (message.type) {
      case 'rain':
        return this.#receiveRain(message);
      case 'result':
        return this.#receiveResult(message);
      case 'ticket':
      case 'challenge':
        return this.#receiveTicket(message);
      case 'credited':
        return this.#receiveCredited(message);
      case 'error':
        this.#environment.counters.misunderstood++;
        // The challenge has expired; a join brings another.
        if (message.code === 'not_solved') this.#joinAgain();
        return;
      default:
        return;
    }
  }

  #receiveRain(rain: ReceivedRain): void {
    const { rainId, counters, now } = this.#environment;
    if (rain.rainId !== rainId) return;
    const before = this.#rain;
    if (before?.state === 'loaded' && rain.state === 'open') counters.startReceived(now());
    this.#rain = rain;
    if (this.#pending) return;
    this.#connection.answered();
    if (!this.#timer.isSet || !isSamePlan(before, rain)) this.#plan(rain);
  }

  #receiveTicket(message: ReceivedTicket): void {
    if (!this.#ticketClient.receive(message)) return;
    this.#connection.answered();
    if (this.#rain && !this.#pending) this.#plan(this.#rain);
  }

  #plan(rain: ReceivedRain): void {
    if (this.#won) return;
    this.#timer.clear();
    const wait = Math.max(this.#schedule.waitMs(rain), 0) || (this.#lacksTicket(rain) ? Infinity : 0);
    if (wait <= 0) return this.#ask();
    const { sleepMsMax } = this.#environment.retryPolicy;
    const dueMs = this.#ticketClient.dueInMs(rain);
    if (dueMs < Math.min(wait, sleepMsMax)) return this.#timer.set(dueMs, () => this.#connection.join());
    if (wait <= sleepMsMax) this.#timer.set(wait, () => this.#plan(this.#rain ?? rain));
    else this.#timer.set(sleepMsMax, () => this.#connection.join());
  }

  /** Waits for the ticket, and joins again if it does not come. */
  #lacksTicket({ state }: ReceivedRain): boolean {
    return this.#ticketClient.wanting && state !== 'closed' && state !== 'settled';
  }

  #ask(): void {
    const { now, retryPolicy, rainId, counters } = this.#environment;
    if (this.#asks >= retryPolicy.asksMax) return this.#end({ kind: 'gave_up', reason: `asked ${this.#asks} times` });
    const ref = String(++this.#asks);
    this.#schedule.tapped();
    if (this.#asks === 1) counters.late.record(this.#schedule.sinceTapMs() ?? 0);
    this.#pending = { ref, at: now() };
    this.#connection.ask({ type: 'grab', rainId, ref, ...this.#ticketClient.carried() });
    this.#faults.asked();
  }

  #receiveResult(result: ReceivedResult): void {
    const { counters, now, rainId, onAnswer } = this.#environment;
    if (result.rainId !== rainId) return;
    const asked = this.#pending?.ref === result.ref ? this.#pending : undefined;
    if (asked) {
      counters.answer(result.code, this.#reads ? now() - asked.at : undefined, now());
      onAnswer?.(this.#self.userId, result.code, now());
      this.#pending = undefined;
      this.#connection.answered();
    }
    if (result.code === '0' || result.code === '1' || result.redPacketId !== undefined) return this.#receiveWin(result);
    // Without a grab, only "no such rain" is final. "busy" means that the join was refused, that the user's own result
    // could not be read, or that too many challenges are requested now.
    if (!asked && result.code === '-7')
      return this.#ticketClient.wanting || !(this.#rain || this.#won) ? this.#joinAgain(result.retryInMs) : undefined;
    if (asked || result.code === '-8') this.#refused(result);
  }

  #refused(result: ReceivedResult): void {
    const retry = retryOf(result);
    switch (retry) {
      case 'no':
        this.#decided();
        return this.#end({ kind: 'lost', code: result.code });
      case 'when it opens':
      case 'when it resumes':
        this.#schedule.startOver();
        return this.#pause();
      case 'after joining again':
        this.#ticketClient.lose();
        return this.#joinAgain();
      case 'after a pause':
        return this.#pause(result.retryInMs);
      default:
        return retry satisfies never;
    }
  }

  #pause(forMs?: number): void {
    this.#schedule.pause(forMs);
    if (this.#rain) this.#plan(this.#rain);
  }

  #joinAgain(retryInMs?: number): void {
    this.#schedule.pause(retryInMs);
    this.#connection.answered();
    this.#timer.set(this.#rain ? Math.max(0, this.#schedule.waitMs(this.#rain)) : (retryInMs ?? 0), () =>
      this.#connection.join(),
    );
  }

  #receiveWin({ code, redPacketId = '', amount = '' }: ReceivedResult): void {
    const { counters, creditWaitMs } = this.#environment;
    counters.told.add(this.#self.userId, redPacketId, amount);
    if (this.#won) return;
    const won = {
      kind: 'won' as const,
      redPacketId,
      amount,
      again: code === '1',
      credited: this.#creditedId === redPacketId,
    };
    this.#won = won;
    this.#pending = undefined;
    this.#connection.answered();
    counters.progress.won++;
    counters.at('won', this.#environment.now());
    this.#decided();
    this.#timer.clear();
    if (creditWaitMs === 0 || won.credited) return this.#end(won);
    this.#timer.set(creditWaitMs, () => this.#end(won));
  }

  #receiveCredited({ rainId, redPacketId, amount }: Extract<ReceivedMessage, { type: 'credited' }>): void {
    const { counters, now } = this.#environment;
    if (rainId !== this.#environment.rainId) return;
    counters.told.add(this.#self.userId, redPacketId, amount);
    if (this.#creditedId === undefined) counters.credited(now());
    this.#creditedId = redPacketId;
    if (this.#won) this.#end({ ...this.#won, credited: redPacketId === this.#won.redPacketId });
  }

  #decided(): void {
    const { counters } = this.#environment;
    counters.progress.answered++;
    const tapMs = this.#schedule.sinceTapMs();
    if (tapMs !== undefined && this.#reads) counters.taps.record(tapMs);
  }

  /** A user who does not read delays the answers: that is no latency of the server. */
  get #reads(): boolean {
    return this.#self.behaviour !== 'slow';
  }

  #onBroken(): void {
    // The grab is repeated after the next join, unless the join brings the answer.
    this.#pending = undefined;
    // A winner continues to wait for the credit; the next join reports it.
    if (!this.#won) this.#timer.clear();
  }

  #end(outcome: BotOutcome): void {
    this.#outcome = outcome;
    this.#timer.clear();
    this.#connection.leave('politely');
  }

  /** The socket is closed. A win stays a win, whatever came after it. */
  #finish(otherwise: BotOutcome): void {
    this.#timer.clear();
    this.#faults.end();
    this.#ticketClient.end();
    const outcome = this.#outcome ?? this.#won ?? otherwise;
    this.#environment.counters.ended(outcome);
    this.#resolve(outcome);
  }
}
