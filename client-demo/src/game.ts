import { Ahead, type Offer } from './next-rain.ts';
import type { GrabOutcome, Link, RainClient, RainSnapshot, WelcomeMessage } from '../../src/client/client.ts';
import type { PausingCode } from '../../src/protocol/outcomes.ts';
import { answered, asked, credited, faceOf, gaveUp, isFinal, isOver, isRehearsal, newRound, provable, proved, seen, type Proof, type Provable, type Round } from './round.ts';
import type { View } from './screen.ts';

const WINNERS_SHOWN = 3;
const LOOK_AGAIN_MS = 20_000;

interface GameOptions {
  client: RainClient;
  /** The rain asked for in the address, if any. */
  rainId: string | undefined;
  random: () => number;
  /** The rain that is played from now on. */
  onRain: (rainId: string) => void;
  /** Computes the packets anew; rejects when it cannot be done just now. */
  verify: (shown: Provable) => Promise<Proof>;
}

/** The player's side of a rain: what the client tells goes in, what the screen shows comes out. */
export class Game {
  readonly #options: GameOptions;
  readonly #ahead: Ahead;
  #round: Round | undefined;
  #link: Link = 'connecting';
  /** What was won while it was, is news when it is heard. */
  #everLost = false;
  #userId: string | undefined;
  #note: View['note'];
  #winners: View['winners'] = [];
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GameOptions) {
    this.#options = options;
    this.#ahead = new Ahead(options.random);
    const { client, rainId } = options;
    if (rainId !== undefined) this.#play(rainId);
    this.#listen(client);
  }

  tap(): void {
    if (!this.#round || this.face() !== 'open') return;
    this.#round = asked(this.#round);
    this.#note = undefined;
    const { rainId } = this.#round;
    void this.#options.client.grab(rainId).then((outcome) => this.#end(rainId, outcome));
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
    if (this.#round) {
      this.#options.client.leave(this.#round.rainId);
      this.#ahead.leave(this.#round.rainId);
    }
    this.#round = undefined;
    this.#winners = [];
    this.#note = undefined;
    this.#play(offer.rainId);
  }

  /** Time has passed: a rain that was seen to come, and is about to start, is gone to without being asked. */
  tick(): void {
    const offer = this.#offer();
    if (offer && this.#ahead.takesOver(offer, this.#options.client.serverNow())) this.follow();
  }

  face(): View['face'] {
    if (this.#link === 'no_token' || this.#link === 'refused') return this.#round?.win ? 'won' : this.#link;
    if (this.#round) return faceOf(this.#round, this.#options.client.serverNow());
    return this.#userId === undefined ? 'connecting' : 'no_rain';
  }

  view(): View {
    const face = this.face();
    const rain = this.#round?.rain;
    const seconds = rain && this.#seconds(face, rain);
    const note = this.#link === 'lost' ? 'lost' : this.#note;
    const now = this.#options.client.serverNow();
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

  #listen(client: RainClient): void {
    const ours = (rainId: string) => rainId === this.#round?.rainId;
    client.on('link', ({ link }) => {
      this.#link = link;
      this.#everLost ||= link === 'lost';
      clearTimeout(this.#again);
    });
    client.on('welcome', (welcome) => this.#enter(welcome));
    client.on('rain', (snapshot) => this.#see(snapshot));
    client.on('result', (result) => { if (this.#round && ours(result.rainId)) this.#round = answered(this.#round, result, !this.#everLost); });
    client.on('credited', (message) => { if (this.#round && ours(message.rainId)) this.#round = credited(this.#round, message); });
    client.on('winners', ({ rainId, winners }) => { if (ours(rainId)) this.#winners = winners.slice(-WINNERS_SHOWN); });
    client.on('asking', ({ rainId, why }) => {
      if (!ours(rainId)) return;
      if (why === 'sent') this.#note = this.#note === 'preparing' ? undefined : this.#note;
      else this.#note = why === 'preparing' ? why : (NOTE_OF as Partial<Record<string, View['note']>>)[why];
    });
    client.on('error', ({ code, reason }) => { if (code !== 'not_solved') console.warn(`the gateway did not understand: ${code} ${reason}`); });
  }

  #enter({ userId, rains }: WelcomeMessage): void {
    // Another guest than before (the demo was set up anew): what was won is not his.
    if (this.#userId !== undefined && this.#userId !== userId && this.#round) this.#round = newRound(this.#round.rainId);
    this.#userId = userId;
    for (const rain of rains) this.#ahead.hear(rain);
    const rainId = this.#round?.rainId ?? firstToPlay(rains);
    if (rainId === undefined) this.#lookAgain();
    else this.#play(rainId);
  }

  #see(snapshot: RainSnapshot): void {
    this.#ahead.hear(snapshot);
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
    void this.#options.client.join(rainId);
  }

  /** Only who has nothing left to do here is offered another rain. */
  #offer(): Offer | undefined {
    return isFinal(this.face()) ? this.#ahead.offer(this.#round?.rainId, this.#options.client.serverNow()) : undefined;
  }

  /** What was decided has been told already; here it is only whether anything was. */
  #end(rainId: string, { kind }: GrabOutcome): void {
    this.#note = kind === 'unanswered' ? 'unanswered' : undefined;
    if (kind === 'unanswered' && this.#round?.rainId === rainId) this.#round = gaveUp(this.#round);
  }

  /** A welcome lists the rains; that a new one is announced may be missed. */
  #lookAgain(): void {
    this.#again = setTimeout(() => this.#options.client.renew(), LOOK_AGAIN_MS * (0.5 + this.#options.random()));
  }

  #seconds(face: View['face'], rain: RainSnapshot): number | undefined {
    const until = face === 'scheduled' ? rain.opensAt : face === 'open' || face === 'asking' ? rain.closesAt : undefined;
    return until === undefined ? undefined : Math.max(0, Math.ceil((until - this.#options.client.serverNow()) / 1000));
  }
}

/** Said while a tap waits to be asked again. */
const NOTE_OF: Readonly<Record<PausingCode, NonNullable<View['note']>>> = { '-5': 'tooFast', '-7': 'busy' };
const TO_COME: readonly RainSnapshot['state'][] = ['open', 'paused', 'loaded', 'draft'];

function isToCome(state: RainSnapshot['state']): boolean {
  return TO_COME.includes(state);
}

/** An open rain before a paused one before one to come, the earlier first. */
function firstToPlay(rains: WelcomeMessage['rains']): string | undefined {
  return rains.filter(({ state }) => isToCome(state))
    .sort((a, b) => TO_COME.indexOf(a.state) - TO_COME.indexOf(b.state) || a.opensAt - b.opensAt)[0]?.rainId;
}
