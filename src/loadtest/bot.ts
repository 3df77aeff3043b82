import { retryOf } from '../protocol/outcomes.ts';
import { Timer } from './timer.ts';
import { Connection } from './connection.ts';
import type { Behaviour } from './behaviours.ts';
import { FaultInjector } from './faultInjection.ts';
import type { BotOutcome } from './outcome.ts';
import { TicketClient } from './ticketClient.ts';
import { isSamePlan, Schedule } from './schedule.ts';
import type { HeardMessage, HeardRain, HeardResult } from './serverMessage.ts';
import type { LoadtestEnvironment } from './environment.ts';

export interface BotSelf {
  userId: string;
  /** From seeing that it rains, or from the moment that counts for all, to tapping, ms. */
  reactionMs: number;
  behaviour?: Behaviour;
  /** The address to call from; `undefined` leaves it to the system. */
  localAddress: string | undefined;
}

/**
 * One simulated user, who does what a good client does:
 *
 *     waiting ──it rains, and a human moment later──▶ asking ──the answer──▶ won, or lost
 *        ▲                                             │  ▲
 *        └── not started, paused ──────────────────────┤  │ a pause, longer each time
 *                                                      └──┘ too fast, busy, line lost
 *
 * A question whose answer went down with its line is asked again on the next one, because repeating is safe [R6].
 */
export class Bot {
  readonly #around: LoadtestEnvironment;
  readonly #self: BotSelf;
  readonly #schedule: Schedule;
  readonly #connection: Connection;
  readonly #faults: FaultInjector;
  readonly #pocket: TicketClient;
  readonly #alarm = new Timer();
  #rain: HeardRain | undefined;
  #asks = 0;
  /** The question under way. */
  #asked: { ref: string; at: number } | undefined;
  #won: { redPacketId: string; amount: string; again: boolean } | undefined;
  #creditedId: string | undefined;
  #outcome: BotOutcome | undefined;
  #resolve: (outcome: BotOutcome) => void = () => {};
  #reject: (fault: unknown) => void = () => {};

  constructor(around: LoadtestEnvironment, self: BotSelf) {
    this.#around = around;
    this.#self = self;
    this.#schedule = new Schedule(around, self.reactionMs, around.inPlaceAt);
    this.#connection = new Connection(around, self.userId, self.localAddress, {
      onMessage: (message) => this.#hear(message),
      onWelcome: () => this.#faults.welcomed(),
      ticket: () => this.#pocket.ticket,
      onBroken: () => this.#onBroken(),
      onGone: (gone) => this.#finish(gone.kind === 'left' ? { kind: 'aborted' } : gone),
      onFault: (fault) => this.#reject(fault),
    });
    this.#pocket = new TicketClient(around, (solution) => this.#connection.ask(solution), (fault) => this.#reject(fault));
    this.#faults = new FaultInjector(around, self.behaviour ?? 'good', this.#connection);
  }

  /** Resolves when the outcome is known and the socket is closed. @throws what `tokenFor` throws */
  run(): Promise<BotOutcome> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void this.#connection.open();
    });
  }

  /** Leaves at once with what he has. */
  abort(): void {
    this.#alarm.clear();
    this.#connection.leave('at once');
  }

  #hear(message: HeardMessage): void {
    if (this.#outcome) return;
    switch (message.type) {
      case 'rain': return this.#hearRain(message);
      case 'result': return this.#hearResult(message);
      case 'ticket':
      case 'challenge': return this.#hearTicket(message);
      case 'credited': return this.#hearCredited(message.rainId, message.redPacketId, message.amount);
      case 'error':
        this.#around.counters.misunderstood++;
        // A challenge that has run out: there is another.
        if (message.code === 'not_solved') this.#joinAgain();
        return;
      default: return;
    }
  }

  #hearRain(rain: HeardRain): void {
    const { rainId, counters, now } = this.#around;
    if (rain.rainId !== rainId) return;
    const before = this.#rain;
    if (before?.state === 'loaded' && rain.state === 'open') counters.heardStart(now());
    this.#rain = rain;
    if (this.#asked) return;
    this.#connection.answered();
    if (!this.#alarm.isSet || !isSamePlan(before, rain)) this.#plan(rain);
  }

  #hearTicket(message: Extract<HeardMessage, { type: 'ticket' | 'challenge' }>): void {
    if (!this.#pocket.hear(message)) return;
    this.#connection.answered();
    if (this.#rain && !this.#asked) this.#plan(this.#rain);
  }

  #plan(rain: HeardRain): void {
    if (this.#won) return;
    this.#alarm.clear();
    const wait = Math.max(this.#schedule.waitMs(rain), 0) || (this.#lacksTicket(rain) ? Infinity : 0);
    if (wait <= 0) return this.#ask();
    const { sleepMsMax } = this.#around.retryPolicy;
    if (wait <= sleepMsMax) this.#alarm.set(wait, () => this.#plan(this.#rain ?? rain));
    else this.#alarm.set(sleepMsMax, () => this.#connection.join());
  }

  /** He waits for it until it is there, and joins again when it does not come. */
  #lacksTicket({ state }: HeardRain): boolean {
    return this.#pocket.wanting && state !== 'closed' && state !== 'settled';
  }

  #ask(): void {
    const { now, retryPolicy, rainId, counters } = this.#around;
    if (this.#asks >= retryPolicy.asksMax) return this.#end({ kind: 'gave_up', reason: `asked ${this.#asks} times` });
    const ref = String(++this.#asks);
    this.#schedule.tapped();
    if (this.#asks === 1) counters.late.record(this.#schedule.sinceTapMs() ?? 0);
    this.#asked = { ref, at: now() };
    this.#connection.ask({ type: 'grab', rainId, ref, ...this.#pocket.carried() });
    this.#faults.asked();
  }

  #hearResult(result: HeardResult): void {
    const { counters, now, rainId } = this.#around;
    if (result.rainId !== rainId) return;
    const asked = this.#asked?.ref === result.ref ? this.#asked : undefined;
    if (asked) {
      counters.answer(result.code, this.#reads ? now() - asked.at : undefined, now());
      this.#asked = undefined;
      this.#connection.answered();
    }
    if (result.code === '0' || result.code === '1' || result.redPacketId !== undefined) return this.#hearWin(result);
    // Unasked, on joining, only "no such rain" settles anything; "busy" says that he was not let join, that his own result could
    // not be looked up, or that too many challenges are asked for just now.
    if (!asked && result.code === '-7') return this.#pocket.wanting || !(this.#rain || this.#won) ? this.#joinAgain(result.retryInMs) : undefined;
    if (!asked && result.code !== '-8') return;
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
        this.#pocket.lose();
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
    this.#alarm.set(this.#rain ? Math.max(0, this.#schedule.waitMs(this.#rain)) : retryInMs ?? 0, () => this.#connection.join());
  }

  #hearWin({ code, redPacketId = '', amount = '' }: HeardResult): void {
    const { counters, creditWaitMs } = this.#around;
    counters.told.tell(this.#self.userId, redPacketId, amount);
    if (this.#won) return;
    this.#won = { redPacketId, amount, again: code === '1' };
    this.#asked = undefined;
    this.#connection.answered();
    counters.progress.won++;
    counters.at('won', this.#around.now());
    this.#decided();
    this.#alarm.clear();
    if (creditWaitMs === 0 || this.#creditedId === redPacketId) return this.#leaveWithPacket();
    this.#alarm.set(creditWaitMs, () => this.#leaveWithPacket());
  }

  #hearCredited(rainId: string, redPacketId: string, amount: string): void {
    if (rainId !== this.#around.rainId) return;
    this.#around.counters.told.tell(this.#self.userId, redPacketId, amount);
    if (this.#creditedId === undefined) this.#around.counters.credited(this.#around.now());
    this.#creditedId = redPacketId;
    if (this.#won) this.#leaveWithPacket();
  }

  #decided(): void {
    const { counters } = this.#around;
    counters.progress.answered++;
    const tapMs = this.#schedule.sinceTapMs();
    if (tapMs !== undefined && this.#reads) counters.taps.record(tapMs);
  }

  /** Who does not read waits for himself: that is no latency of the server's. */
  get #reads(): boolean {
    return this.#self.behaviour !== 'slow';
  }

  #leaveWithPacket(): void {
    if (this.#won) this.#end({ kind: 'won', ...this.#won, credited: this.#creditedId === this.#won.redPacketId });
  }

  #onBroken(): void {
    // What was asked is asked again after the next join, unless that tells the answer: its moment to tap has passed.
    this.#asked = undefined;
    // A winner goes on waiting for his credit; the next join tells it.
    if (!this.#won) this.#alarm.clear();
  }

  #end(outcome: BotOutcome): void {
    this.#outcome = outcome;
    this.#alarm.clear();
    this.#connection.leave('politely');
  }

  /** The socket is closed. A packet that was won stays won, whatever came after it. */
  #finish(otherwise: BotOutcome): void {
    this.#alarm.clear();
    this.#faults.end();
    this.#pocket.end();
    const won = this.#won && { kind: 'won' as const, ...this.#won, credited: this.#creditedId === this.#won.redPacketId };
    const outcome = this.#outcome ?? won ?? otherwise;
    this.#around.counters.ended(outcome);
    this.#resolve(outcome);
  }
}
