import type { RainClient, RainSnapshot, WinnersMessage } from '../../../src/client/client.ts';
import { faceOf, type Face } from '../round.ts';
import type { Current } from './program.ts';

/** Names on the screen at once. */
const NAMES_MAX = 8;

/** `gone`: nothing is left, though the rain is still open. */
export type RainStage = 'connecting' | 'before' | 'raining' | 'gone' | 'paused' | 'after' | 'unknown';

/** By what a player who has not grabbed sees. */
const STAGES: Partial<Record<Face, RainStage>> = {
  scheduled: 'before',
  open: 'raining',
  gone: 'gone',
  paused: 'paused',
  too_late: 'after',
};

const PHASES: Readonly<Record<RainStage, Current['phase']>> = {
  connecting: 'ahead',
  before: 'ahead',
  raining: 'on',
  paused: 'on',
  gone: 'over',
  after: 'over',
  unknown: 'over',
};

type Client = Pick<RainClient, 'join' | 'leave' | 'serverNow'>;

/** One rain on the screen of a hall. It is joined and never grabbed in. */
export class RainWatch {
  readonly kind = 'rain';
  readonly id: string;
  readonly #client: Client;
  #rain: RainSnapshot | undefined;
  #unknown = false;
  /** A sample of those who have won, masked, the last one first. */
  #names: readonly { user: string; amount: string }[] = [];

  constructor(client: Client, id: string) {
    this.#client = client;
    this.id = id;
    void client.join(id);
  }

  get phase(): Current['phase'] {
    return PHASES[this.stage];
  }

  get isRehearsal(): boolean {
    return this.#rain?.rehearsal === true;
  }

  get stage(): RainStage {
    if (!this.#rain) return this.#unknown ? 'unknown' : 'connecting';
    return (
      STAGES[faceOf({ rainId: this.id, rain: this.#rain, asking: false }, this.#client.serverNow())] ?? 'connecting'
    );
  }

  view() {
    const [rain, stage] = [this.#rain, this.stage];
    const until = stage === 'before' ? rain?.opensAt : stage === 'raining' ? rain?.closesAt : undefined;
    return {
      stage,
      names: this.#names,
      rainId: this.id,
      ...(rain && {
        title: rain.title,
        packets: rain.packets,
        left: rain.left,
        ...(rain.rehearsal && { rehearsal: true as const }),
        ...(rain.terms?.invitedOnly && { invitedOnly: true as const }),
      }),
      ...(until !== undefined && { until }),
    };
  }

  onRain(rain: RainSnapshot): void {
    this.#rain = rain;
  }

  onUnknown(): void {
    this.#unknown = true;
  }

  onWinners({ winners }: Pick<WinnersMessage, 'winners'>): void {
    this.#names = [...[...winners].reverse(), ...this.#names].slice(0, NAMES_MAX);
  }

  leave(): void {
    this.#client.leave(this.id);
  }
}
