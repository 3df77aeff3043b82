import { Ahead, type Offer } from './ahead.ts';
import type { RainSnapshot, ServerMessage, WelcomeMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES } from '../../src/protocol/outcomes.ts';
import type { Challenge, PuzzleSolution } from '../../src/protocol/puzzle.ts';
import type { ServerClock } from './clock.ts';
import type { Connection, Link } from './connection.ts';
import { lowestPacket, type Fall } from './drops.ts';
import { Entry } from './entry.ts';
import { Question, type Carried, type Verdict } from './question.ts';
import { answered, asked, credited, faceOf, gaveUp, isOver, isRehearsal, newRound, provable, proved, seen, type Proof, type Provable, type Round } from './round.ts';
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
  /** Works on a puzzle; rejects, or finds nothing, when it was in vain. */
  solve: (challenge: Challenge) => Promise<PuzzleSolution | undefined>;
}

/** The player's side of a rain: what the server says goes in, what the screen shows comes out. */
export class Game {
  readonly #options: GameOptions;
  readonly #question: Question;
  readonly #entry: Entry;
  readonly #ahead: Ahead;
  #round: Round | undefined;
  #link: Link = 'connecting';
  #userId: string | undefined;
  #note: View['note'];
  #winners: View['winners'] = [];
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GameOptions) {
    this.#options = options;
    this.#ahead = new Ahead(options.random);
    const { connection, clock, random, rainId, solve } = options;
    this.#entry = new Entry({
      now: () => clock.now(), send: (message) => connection.send(message), solve: ({ challenge }) => solve(challenge), onChange: () => this.#question?.fallChanged(), onVain: () => this.#joinAgain(),
    });
    if (rainId !== undefined) this.#round = newRound(rainId);
    this.#question = new Question({
      random,
      send: (message) => {
        if (this.#note === 'preparing') this.#note = undefined;
        return connection.send(message);
      },
      carry: (packet) => this.#carry(packet),
      onNoTicket: () => {
        this.#entry.lose();
        this.#join();
      },
      untilOpen: () => (this.#round?.rain?.opensAt ?? 0) - clock.now(),
      onWait: (why) => { this.#note = why === 'preparing' ? why : why === OUTCOMES['-5'].code ? 'tooFast' : why === OUTCOMES['-7'].code ? 'busy' : undefined; },
      onVerdict: (verdict) => this.#settle(verdict),
    });
  }

  /** What falls over this screen, once it is known; until then packets fall as they like. */
  fall(): Fall | undefined {
    const { seed } = this.#entry;
    const opensAt = this.#round?.rain?.opensAt;
    return seed === undefined || opensAt === undefined ? undefined : { seed, opensAt, now: this.#options.clock.now() };
  }

  /** @param packet the number of the packet tapped, if it has one */
  tap(packet?: number): void {
    if (!this.#round || this.face() !== 'open') return;
    this.#round = asked(this.#round);
    this.#note = undefined;
    this.#question.ask(this.#round.rainId, packet);
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

  /** Leaves a rain in which nothing is left to do for the next one. */
  follow(): void {
    const offer = this.#offer();
    if (!offer) return;
    this.#question.cancel();
    this.#round = newRound(offer.rainId);
    this.#winners = [];
    this.#note = undefined;
    this.#play(offer.rainId);
  }

  /** Time has passed: a rain that was seen to come, and is about to start, is gone to without being asked. */
  tick(): void {
    const offer = this.#offer();
    if (offer && this.#ahead.takesOver(offer, this.#options.clock.now())) this.follow();
  }

  hear(message: ServerMessage): void {
    const { clock } = this.#options;
    switch (message.type) {
      case 'welcome':
        clock.told(message.serverTime);
        return this.#enter(message);
      case 'pong': return clock.answered(message.serverTime, message.t);
      case 'rain': return this.#see(message);
      case 'ticket':
      case 'puzzle': return this.#entry.hear(message);
      case 'result':
        // Every question of ours has a ref: this is about the join, and no ticket came with it.
        if (message.ref === undefined && this.#entry.preparing && OUTCOMES[message.code]?.retry === 'after a pause') return this.#joinAgain();
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
        // The puzzle had run out, for instance because this page slept: there is another.
        if (message.code === 'not_solved') return this.#joinAgain();
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
    const now = this.#options.clock.now();
    const offer = this.#offer();
    return {
      face,
      winners: this.#winners,
      ...(rain && { title: rain.title, rainId: rain.rainId, over: isOver(rain, now) }),
      ...(isRehearsal(rain) && { rehearsal: true }),
      ...(offer && { ahead: { title: offer.title, ...(!offer.open && { seconds: Math.max(0, Math.ceil((offer.opensAt - now) / 1000)) }) } }),
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
    if (this.#userId !== undefined && this.#userId !== userId && this.#round) {
      this.#round = newRound(this.#round.rainId);
      this.#entry.forget();
    }
    this.#userId = userId;
    for (const rain of rains) this.#ahead.hear(rain);
    const rainId = this.#round?.rainId ?? firstToPlay(rains);
    if (rainId === undefined) return this.#lookAgain();
    this.#play(rainId);
    this.#question.connected();
  }

  #see(snapshot: RainSnapshot): void {
    this.#options.clock.told(snapshot.serverTime);
    this.#ahead.hear(snapshot);
    if (this.#round) {
      if (snapshot.rainId !== this.#round.rainId) return;
      this.#round = seen(this.#round, snapshot);
      if (snapshot.state === 'closed' || snapshot.state === 'settled') this.#entry.forget();
      return;
    }
    // Planned while this page was waiting for one; the join is answered by a snapshot of our own.
    if (this.#userId !== undefined && isToCome(snapshot.state)) this.#play(snapshot.rainId);
  }

  #play(rainId: string): void {
    clearTimeout(this.#again);
    this.#round ??= newRound(rainId);
    this.#entry.begin(rainId);
    this.#options.onRain(rainId);
    this.#join();
  }

  /** Only who has nothing left to do here is offered another rain. */
  #offer(): Offer | undefined {
    return DONE.includes(this.face()) ? this.#ahead.offer(this.#round?.rainId, this.#options.clock.now()) : undefined;
  }

  #settle(verdict: Verdict): void {
    this.#note = verdict.kind === 'unanswered' ? 'unanswered' : undefined;
    if (verdict.kind === 'unanswered') this.#entry.relent();
    if (!this.#round) return;
    this.#round = verdict.kind === 'settled' ? answered(this.#round, verdict.result) : gaveUp(this.#round);
  }

  #join(): void {
    const { ticket } = this.#entry;
    if (this.#round) this.#options.connection.send({ type: 'join', rainId: this.#round.rainId, ...(ticket !== undefined && { ticket }) });
  }

  /** What a grab needs here; `undefined` while some of it is still to come. */
  #carry(packet: number | undefined): Carried | undefined {
    const { ticket, preparing } = this.#entry;
    if (preparing) return undefined;
    if (ticket === undefined) return {};
    const fall = this.fall();
    const tapped = packet ?? (fall && lowestPacket(fall));
    return fall && tapped === undefined ? undefined : { ticket, ...(tapped !== undefined && { packet: tapped }) };
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

const DONE: readonly View['face'][] = ['won', 'missed', 'gone', 'too_late', 'blocked', 'unknown_rain'];
const TO_COME: readonly RainSnapshot['state'][] = ['open', 'paused', 'loaded', 'draft'];

function isToCome(state: RainSnapshot['state']): boolean {
  return TO_COME.includes(state);
}

/** An open rain before a paused one before one to come, the earlier first. */
function firstToPlay(rains: WelcomeMessage['rains']): string | undefined {
  return rains.filter(({ state }) => isToCome(state))
    .sort((a, b) => TO_COME.indexOf(a.state) - TO_COME.indexOf(b.state) || a.opensAt - b.opensAt)[0]?.rainId;
}
