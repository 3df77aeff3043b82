import type { RainSnapshot, ServerMessage, WelcomeMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES } from '../../src/protocol/outcomes.ts';
import type { ServerClock } from './clock.ts';
import type { Connection, Link } from './connection.ts';
import { Question, type Verdict } from './question.ts';
import { answered, asked, credited, faceOf, gaveUp, newRound, provable, proved, seen, type Proof, type Provable, type Round } from './round.ts';
import type { View } from './screen.ts';

const WINNERS_SHOWN = 3;
const LOOK_AGAIN_MS = 20_000;
const JOIN_AGAIN_MS = 1_500;

export interface GameOptions {
  connection: Connection;
  clock: ServerClock;
  /** The rain asked for in the address, if any. */
  rainId: string | undefined;
  random: () => number;
  /** The rain that is played from now on. */
  onRain: (rainId: string) => void;
  /** Computes the packets anew; rejects when it cannot be done just now. */
  verify: (shown: Provable) => Promise<Proof>;
}

/** The player's side of a rain: what the server says goes in, what the screen shows comes out. */
export class Game {
  readonly #options: GameOptions;
  readonly #question: Question;
  #round: Round | undefined;
  #link: Link = 'connecting';
  #userId: string | undefined;
  #note: View['note'];
  #winners: View['winners'] = [];
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GameOptions) {
    this.#options = options;
    const { connection, clock, random, rainId } = options;
    if (rainId !== undefined) this.#round = newRound(rainId);
    this.#question = new Question({
      random,
      send: (message) => connection.send(message),
      untilOpen: () => (this.#round?.rain?.opensAt ?? 0) - clock.now(),
      onWait: (code) => { this.#note = code === OUTCOMES['-5'].code ? 'tooFast' : code === OUTCOMES['-7'].code ? 'busy' : undefined; },
      onVerdict: (verdict) => this.#settle(verdict),
    });
  }

  tap(): void {
    if (!this.#round || this.face() !== 'open') return;
    this.#round = asked(this.#round);
    this.#note = undefined;
    this.#question.ask(this.#round.rainId);
  }

  /** Was it what was promised? Does nothing before everything is known that is needed to tell. */
  verify(): void {
    const shown = this.#round && provable(this.#round);
    if (!this.#round || !shown || this.#round.proof === 'checking') return;
    const asked = this.#userId;
    const found = (proof: NonNullable<Round['proof']>) => {
      if (this.#round?.rainId === shown.rainId && this.#userId === asked) this.#round = proved(this.#round, proof);
    };
    found('checking');
    this.#options.verify(shown).then(found, () => found('failed'));
  }

  hear(message: ServerMessage): void {
    const { clock } = this.#options;
    switch (message.type) {
      case 'welcome':
        clock.told(message.serverTime);
        return this.#enter(message);
      case 'pong': return clock.answered(message.serverTime, message.t);
      case 'rain': return this.#see(message);
      case 'result':
        if (this.#question.hear(message) || message.rainId !== this.#round?.rainId) return;
        // Not an answer to a tap but to the join: the result of long ago, or a refusal.
        if (OUTCOMES[message.code]?.retry === 'after a pause') return this.#joinAgain(message.retryInMs);
        this.#round = answered(this.#round, message);
        return;
      case 'credited':
        if (message.rainId !== this.#round?.rainId) return;
        this.#question.cancel();
        this.#round = credited(this.#round, message);
        return;
      case 'winners':
        if (message.rainId === this.#round?.rainId) this.#winners = message.winners.slice(-WINNERS_SHOWN);
        return;
      case 'error':
        console.warn(`the gateway did not understand: ${message.code} ${message.reason}`);
    }
  }

  linked(link: Link): void {
    this.#link = link;
    clearTimeout(this.#again);
  }

  face(): View['face'] {
    if (this.#link === 'no_token' || this.#link === 'refused') return this.#round?.win ? 'won' : this.#link;
    if (this.#round) return faceOf(this.#round, this.#options.clock.now());
    return this.#userId === undefined ? 'connecting' : 'no_rain';
  }

  view(): View {
    const face = this.face();
    const rain = this.#round?.rain;
    const seconds = rain && this.#seconds(face, rain);
    const note = this.#link === 'lost' ? 'lost' : this.#note;
    return {
      face,
      winners: this.#winners,
      ...(rain && { title: rain.title }),
      ...(rain && (face === 'open' || face === 'asking' || face === 'paused') && { left: rain.left / Math.max(1, rain.packets) }),
      ...(seconds !== undefined && { seconds }),
      ...(this.#round?.win && { win: this.#round.win }),
      ...(this.#round && provable(this.#round) && { proof: this.#round.proof ?? 'ready' }),
      ...(this.#userId !== undefined && { userId: this.#userId }),
      ...(note && { note }),
    };
  }

  #enter({ userId, rains }: WelcomeMessage): void {
    // Another guest than before (the demo was set up anew): what was won is not his.
    if (this.#userId !== undefined && this.#userId !== userId && this.#round) this.#round = newRound(this.#round.rainId);
    this.#userId = userId;
    const rainId = this.#round?.rainId ?? firstToPlay(rains);
    if (rainId === undefined) return this.#lookAgain();
    this.#play(rainId);
    this.#question.connected();
  }

  #see(snapshot: RainSnapshot): void {
    this.#options.clock.told(snapshot.serverTime);
    if (this.#round) {
      if (snapshot.rainId === this.#round.rainId) this.#round = seen(this.#round, snapshot);
      return;
    }
    // Planned while this page was waiting for one; the join is answered by a snapshot of our own.
    if (this.#userId !== undefined && isToCome(snapshot.state)) this.#play(snapshot.rainId);
  }

  #play(rainId: string): void {
    clearTimeout(this.#again);
    this.#round ??= newRound(rainId);
    this.#options.onRain(rainId);
    this.#join();
  }

  #settle(verdict: Verdict): void {
    this.#note = verdict.kind === 'unanswered' ? 'unanswered' : undefined;
    if (!this.#round) return;
    this.#round = verdict.kind === 'settled' ? answered(this.#round, verdict.result) : gaveUp(this.#round);
  }

  #join(): void {
    if (this.#round) this.#options.connection.send({ type: 'join', rainId: this.#round.rainId });
  }

  #joinAgain(afterMs = JOIN_AGAIN_MS * (0.5 + this.#options.random())): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#join(), afterMs);
  }

  /** A welcome lists the rains; that a new one is announced may be missed. */
  #lookAgain(): void {
    this.#again = setTimeout(() => this.#options.connection.renew(), LOOK_AGAIN_MS * (0.5 + this.#options.random()));
  }

  #seconds(face: View['face'], rain: RainSnapshot): number | undefined {
    const until = face === 'scheduled' ? rain.opensAt : face === 'open' || face === 'asking' ? rain.closesAt : undefined;
    return until === undefined ? undefined : Math.max(0, Math.ceil((until - this.#options.clock.now()) / 1000));
  }
}

const TO_COME: readonly RainSnapshot['state'][] = ['open', 'paused', 'loaded', 'draft'];

function isToCome(state: RainSnapshot['state']): boolean {
  return TO_COME.includes(state);
}

/** An open rain before a paused one before one to come, the earlier first. */
function firstToPlay(rains: WelcomeMessage['rains']): string | undefined {
  return rains.filter(({ state }) => isToCome(state))
    .sort((a, b) => TO_COME.indexOf(a.state) - TO_COME.indexOf(b.state) || a.opensAt - b.opensAt)[0]?.rainId;
}
