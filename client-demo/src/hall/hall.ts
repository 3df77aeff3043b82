import type { Link, RainClient, RainSnapshot, WelcomeMessage } from '../../../src/client/client.ts';
import { firstToPlay, isPlayable, NextRain } from '../next-rain.ts';
import { faceOf, type Face } from '../round.ts';

/** Names on the screen at once. */
const NAMES_MAX = 8;
const RENEW_MS = 20_000;

/** `quiet`: no rain is known. `gone`: nothing is left, though the rain is still open. */
export type Stage = 'connecting' | 'quiet' | 'before' | 'raining' | 'gone' | 'paused' | 'after' | 'unknown_rain' | 'no_token' | 'refused';

/** By what a player who has not grabbed sees. */
const STAGES: Partial<Record<Face, Stage>> = { scheduled: 'before', open: 'raining', gone: 'gone', paused: 'paused', too_late: 'after' };

/** What the screen of a hall shows. All figures are those of this one rain. */
export interface HallView {
  stage: Stage;
  lost: boolean;
  rainId?: string;
  title?: string;
  rehearsal?: true;
  /** Until the opening, or the end. */
  seconds?: number;
  packets?: number;
  /** As the gateway tells it: rounded up, and 0 only when none is left. */
  left?: number;
  /** What was given, a decimal string: of a settled rain of which nothing was left. */
  given?: string;
  /** A sample of those who have won, masked, the last one first. */
  names: readonly { user: string; amount: string }[];
  next?: { title: string; seconds?: number };
}

interface HallOptions {
  client: Pick<RainClient, 'on' | 'join' | 'leave' | 'renew' | 'serverNow'>;
  /** The only rain that is shown; absent: the one that is on, else the next one. */
  rainId: string | undefined;
  random: () => number;
}

/** The screen of a hall as a state machine: events of the client go in, views come out. It watches and never grabs. */
export class Hall {
  readonly #options: HallOptions;
  readonly #nextRain: NextRain;
  #link: Link = 'connecting';
  #welcomed = false;
  #rainId: string | undefined;
  #rain: RainSnapshot | undefined;
  #unknown = false;
  #names: HallView['names'] = [];
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HallOptions) {
    this.#options = options;
    this.#nextRain = new NextRain(options.random);
    const { client, rainId } = options;
    const ours = (id: string) => id === this.#rainId;
    if (rainId !== undefined) this.#watch(rainId);
    client.on('link', ({ link }) => {
      this.#link = link;
      clearTimeout(this.#again);
    });
    client.on('welcome', ({ rains }) => this.#onWelcome(rains));
    client.on('rain', (rain) => this.#onRain(rain));
    client.on('result', (result) => { if (ours(result.rainId) && result.code === '-8') this.#unknown = true; });
    client.on('winners', ({ rainId: id, winners }) => { if (ours(id)) this.#names = [...[...winners].reverse(), ...this.#names].slice(0, NAMES_MAX); });
  }

  /** To be called regularly: the next rain is on the screen shortly before it starts, and at once when it is open. */
  tick(): void {
    const offer = this.#offer();
    if (!offer || !(offer.open || this.#nextRain.startsSoon(offer, this.#options.client.serverNow()))) return;
    this.#options.client.leave(this.#rainId!);
    this.#nextRain.leave(this.#rainId!);
    this.#watch(offer.rainId);
  }

  view(): HallView {
    const [rain, stage, now] = [this.#rain, this.#stage(), this.#options.client.serverNow()];
    const until = stage === 'before' ? rain?.opensAt : stage === 'raining' ? rain?.closesAt : undefined;
    const secondsTo = (moment: number) => Math.max(0, Math.ceil((moment - now) / 1_000));
    const offer = this.#offer();
    const given = rain?.left === 0 && !rain.topUps?.length ? rain.plan?.['budget'] : undefined;
    return {
      stage, lost: this.#link === 'lost', names: this.#names,
      ...(rain && { rainId: rain.rainId, title: rain.title, packets: rain.packets, left: rain.left }),
      ...(rain?.rehearsal && { rehearsal: true }), ...(until !== undefined && { seconds: secondsTo(until) }), ...(typeof given === 'string' && { given }),
      ...(offer && { next: { title: offer.title, ...(!offer.open && { seconds: secondsTo(offer.opensAt) }) } }),
    };
  }

  #stage(): Stage {
    if (this.#link === 'no_token' || this.#link === 'refused') return this.#link;
    if (this.#unknown && !this.#rain) return 'unknown_rain';
    if (!this.#rain) return this.#welcomed && this.#rainId === undefined ? 'quiet' : 'connecting';
    return STAGES[faceOf({ rainId: this.#rain.rainId, rain: this.#rain, asking: false }, this.#options.client.serverNow())] ?? 'connecting';
  }

  #onWelcome(rains: WelcomeMessage['rains']): void {
    this.#welcomed = true;
    this.#nextRain.welcome(rains);
    const rainId = this.#rainId ?? firstToPlay(rains);
    // The announcement of a new rain may be missed; a new welcome lists it.
    if (rainId === undefined) this.#again = setTimeout(() => this.#options.client.renew(), RENEW_MS * (0.5 + this.#options.random()));
    else if (this.#rainId === undefined) this.#watch(rainId);
  }

  #onRain(rain: RainSnapshot): void {
    this.#nextRain.update(rain);
    if (rain.rainId === this.#rainId) this.#rain = rain;
    else if (this.#rainId === undefined && isPlayable(rain.state)) this.#watch(rain.rainId);
  }

  #watch(rainId: string): void {
    clearTimeout(this.#again);
    [this.#rainId, this.#rain, this.#names, this.#unknown] = [rainId, undefined, [], false];
    void this.#options.client.join(rainId);
  }

  /** Only when there is nothing more to see of this rain, and unless the screen is for one rain. */
  #offer() {
    const stage = this.#stage();
    if (this.#options.rainId !== undefined || this.#rainId === undefined || (stage !== 'after' && stage !== 'gone')) return undefined;
    return this.#nextRain.offer(this.#rainId, this.#options.client.serverNow());
  }
}
