import { firstToPlay, isFinal, isPlayable, NextRain, type Offer } from './next-rain.ts';
import type { GrabOutcome, Link, RainClient, RainSnapshot, WelcomeMessage } from '../../src/client/client.ts';
import type { PausingCode } from '../../src/protocol/outcomes.ts';
import {
  answered,
  requested,
  credited,
  faceOf,
  gaveUp,
  goneWithin,
  isOver,
  newRound,
  provable,
  proved,
  seen,
  shownReceipt,
  type Proof,
  type Provable,
  type Round,
} from './round.ts';
import type { View } from './view.ts';

const WINNERS_SHOWN = 3;
const RENEW_MS = 20_000;

interface GameOptions {
  client: RainClient;
  /** The rain in the page's address, if there is one. */
  rainId: string | undefined;
  random: () => number;
  /** Called when another rain becomes the current one. */
  onRain: (rainId: string) => void;
  /** Recomputes the packets. Rejects if that is not possible now. */
  verify: (shown: Provable) => Promise<Proof>;
}

/** The player's state machine: client events go in, views for the screen come out. */
export class Game {
  readonly #options: GameOptions;
  readonly #nextRain: NextRain;
  #round: Round | undefined;
  #link: Link = 'connecting';
  /** After a lost connection, a win reported by the join is new to the player. */
  #everLost = false;
  #userId: string | undefined;
  #note: View['note'];
  #winners: View['winners'] = [];
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GameOptions) {
    this.#options = options;
    this.#nextRain = new NextRain(options.random);
    const { client, rainId } = options;
    if (rainId !== undefined) this.#play(rainId);
    this.#listen(client);
  }

  tap(): void {
    if (!this.#round || this.face() !== 'open') return;
    this.#round = requested(this.#round);
    this.#note = undefined;
    const { rainId } = this.#round;
    void this.#options.client.grab(rainId).then((outcome) => this.#onOutcome(rainId, outcome));
  }

  /** Verifies the packets against the commitment. Does nothing until seed and plan are known. */
  verify(): void {
    const shown = this.#round && provable(this.#round);
    if (!this.#round || !shown || this.#round.proof === 'checking') return;
    const userId = this.#userId;
    const setProof = (proof: NonNullable<Round['proof']>) => {
      if (this.#round?.rainId === shown.rainId && this.#userId === userId) this.#round = proved(this.#round, proof);
    };
    setProof('checking');
    this.#options.verify(shown).then(setProof, () => setProof('failed'));
  }

  /** Leaves the finished rain and joins the next one. */
  follow(): void {
    const offer = this.#offer();
    if (!offer) return;
    if (this.#round) {
      this.#options.client.leave(this.#round.rainId);
      this.#nextRain.leave(this.#round.rainId);
    }
    this.#round = undefined;
    this.#winners = [];
    this.#note = undefined;
    this.#play(offer.rainId);
  }

  /** Called regularly: joins an awaited next rain automatically shortly before its start. */
  tick(): void {
    const offer = this.#offer();
    if (offer && this.#nextRain.startsSoon(offer, this.#options.client.serverNow())) this.follow();
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
      ...(rain && { over: isOver(rain, now), ...rainView(rain, face) }),
      ...(offer && {
        ahead: {
          title: offer.title,
          ...(!offer.open && { seconds: Math.max(0, Math.ceil((offer.opensAt - now) / 1000)) }),
        },
      }),
      ...(seconds !== undefined && { seconds }),
      ...(this.#round && roundView(this.#round, face)),
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
    client.on('welcome', (welcome) => this.#onWelcome(welcome));
    client.on('rain', (snapshot) => this.#onRain(snapshot));
    client.on('result', (result) => {
      if (this.#round && ours(result.rainId)) this.#round = answered(this.#round, result, !this.#everLost);
    });
    client.on('credited', (message) => {
      if (this.#round && ours(message.rainId)) this.#round = credited(this.#round, message);
    });
    client.on('receipt', ({ rainId, status, ...packet }) => {
      if (this.#round && ours(rainId)) this.#round = shownReceipt(this.#round, packet, status);
    });
    client.on('winners', ({ rainId, winners }) => {
      if (ours(rainId)) this.#winners = winners.slice(-WINNERS_SHOWN);
    });
    client.on('asking', ({ rainId, why }) => {
      if (!ours(rainId)) return;
      if (why === 'sent') this.#note = this.#note === 'preparing' ? undefined : this.#note;
      else this.#note = why === 'preparing' ? why : (NOTE_OF as Partial<Record<string, View['note']>>)[why];
    });
    client.on('error', ({ code, reason }) => {
      if (code !== 'not_solved') console.warn(`the gateway rejected a message: ${code} ${reason}`);
    });
  }

  #onWelcome({ userId, rains }: WelcomeMessage): void {
    // Another guest than before (the demo was set up again): the earlier win belongs to the other guest.
    if (this.#userId !== undefined && this.#userId !== userId && this.#round)
      this.#round = newRound(this.#round.rainId);
    this.#userId = userId;
    this.#nextRain.welcome(rains);
    const rainId = this.#round?.rainId ?? firstToPlay(rains);
    if (rainId === undefined) this.#renewLater();
    else this.#play(rainId);
  }

  #onRain(snapshot: RainSnapshot): void {
    this.#nextRain.update(snapshot);
    if (this.#round) {
      if (snapshot.rainId === this.#round.rainId) this.#round = seen(this.#round, snapshot);
      return;
    }
    // A rain announced while this page had none. The join is answered by a snapshot.
    if (this.#userId !== undefined && isPlayable(snapshot.state)) this.#play(snapshot.rainId);
  }

  #play(rainId: string): void {
    clearTimeout(this.#again);
    this.#round ??= newRound(rainId);
    this.#options.onRain(rainId);
    void this.#options.client.join(rainId);
  }

  /** Another rain is offered only when nothing is left to do in this one. */
  #offer(): Offer | undefined {
    return isFinal(this.face())
      ? this.#nextRain.offer(this.#round?.rainId, this.#options.client.serverNow())
      : undefined;
  }

  /** The result event has been handled already. This only checks whether there was an answer. */
  #onOutcome(rainId: string, { kind }: GrabOutcome): void {
    this.#note = kind === 'unanswered' ? 'unanswered' : undefined;
    if (kind === 'unanswered' && this.#round?.rainId === rainId) this.#round = gaveUp(this.#round);
  }

  /** Asks for a new welcome, which lists the rains: the announcement of a new rain may have been missed. */
  #renewLater(): void {
    this.#again = setTimeout(() => this.#options.client.renew(), RENEW_MS * (0.5 + this.#options.random()));
  }

  #seconds(face: View['face'], rain: RainSnapshot): number | undefined {
    const until =
      face === 'scheduled' ? rain.opensAt : face === 'open' || face === 'asking' ? rain.closesAt : undefined;
    return until === undefined ? undefined : Math.max(0, Math.ceil((until - this.#options.client.serverNow()) / 1000));
  }
}

/** Notes shown while a grab waits for its retry. */
const NOTE_OF: Readonly<Record<PausingCode, NonNullable<View['note']>>> = { '-5': 'tooFast', '-7': 'busy' };

/** The part of a view that follows from the rain alone. */
function rainView(
  { title, rainId, rehearsal, terms, left, packets, opensAt }: RainSnapshot,
  face: View['face'],
): Partial<View> & Pick<View, 'title' | 'rainId'> {
  return {
    title,
    rainId,
    ...(rehearsal && { rehearsal: true }),
    ...(terms?.invitedOnly && { invitedOnly: true }),
    ...((face === 'open' || face === 'asking' || face === 'paused') && { left: left / Math.max(1, packets) }),
    ...(face === 'scheduled' && { opensAt }),
  };
}

/** The part of a view that tells how the round went. */
function roundView(round: Round, face: View['face']): Partial<View> {
  const { rain, win, proof } = round;
  const seconds = goneWithin(round);
  return {
    ...(rain &&
      (face === 'missed' || face === 'gone') && {
        gone: { packets: rain.packets, ...(seconds !== undefined && { seconds }) },
      }),
    ...(win && { win }),
    ...(provable(round) && { proof: proof ?? 'ready' }),
  };
}
