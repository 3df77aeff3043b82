import { setTimeout as sleep } from 'node:timers/promises';
import type { Loss } from '../client/reconnect.ts';
import { CLOSES, reasonOf, type CloseCode } from '../protocol/outcomes.ts';
import { Bot, type BotSelf } from './bot.ts';
import { forge } from './forgedMessages.ts';
import { dial, type BotSocket } from './socket.ts';
import type { HeardMessage, HeardRain } from './serverMessage.ts';
import type { LoadtestEnvironment } from './environment.ts';
import { WaveCounters } from './counters.ts';
import { trick, TRICK_NAMES, type Loot } from './forgedTickets.ts';

/** Sockets of one cheater: what one of them is refused another may get. */
export const SOCKETS_PER_CHEATER = 2;
/** How long he cheats, from the start of the rain on, and how fast: 300 frames a second and line, where a hand makes 15. */
const CHEATS_MS = 3_000;
const TICK_MS = 50;
const FRAMES_PER_TICK = 15;
/** Dials of one line, and the pause between them: who was thrown out comes back at once. */
const DIALS_MAX = 10;
const REDIAL_MS = 100;
/** For the answers that are under way, before he asks what he has won. */
const AFTERMATH_MS = 300;

/**
 * One who wants more than one packet. He calls twice at once, taps far faster than a hand, sends garbage, and claims to be
 * others. Where tickets are asked for he tries his hand at those as well. Then he asks politely, as everybody may, so that what he has won in the end is known and can be held against the audit.
 */
export class Cheater {
  readonly #around: LoadtestEnvironment;
  readonly #self: BotSelf;
  #bot: Bot | undefined;
  #aborted = new AbortController();
  #rain: HeardRain | undefined;
  #sawRain: () => void = () => {};
  /** Tickets are asked for here; he takes what he is given, and solves nothing. */
  #ticketed = false;
  #own: Loot['own'];

  constructor(around: LoadtestEnvironment, self: BotSelf) {
    this.#around = around;
    this.#self = self;
  }

  /** Resolves when he has given up. @throws what `tokenFor` throws */
  async run(): Promise<void> {
    const { counters, tokenFor, throttle, retryPolicy, rainId } = this.#around;
    counters.cheats.users++;
    if (!await throttle.pass()) return;
    const token = await tokenFor(this.#self.userId);
    const seen = new Promise<void>((resolve) => { this.#sawRain = resolve; });
    const over = new AbortController();
    const lines = Array.from({ length: SOCKETS_PER_CHEATER }, () => this.#keepCalling(token, AbortSignal.any([over.signal, this.#aborted.signal])));
    await Promise.race([seen, this.#rest(retryPolicy.sleepMsMax)]);
    if (this.#rain?.rainId === rainId) await this.#rest(Math.max(0, this.#rain.opensAt - this.#around.clock.now()));
    await this.#rest(CHEATS_MS);
    over.abort();
    await Promise.all(lines);
    await this.#rest(AFTERMATH_MS);
    await this.#askPolitely();
  }

  abort(): void {
    this.#aborted.abort();
    this.#bot?.abort();
  }

  async #askPolitely(): Promise<void> {
    const { counters } = this.#around;
    if (this.#aborted.signal.aborted) return;
    // His last question is no measure of anything, so it is counted in counters that nobody reads.
    const around = { ...this.#around, counters: new WaveCounters(1), creditWaitMs: 0 };
    this.#bot = new Bot(around, { ...this.#self, behaviour: 'good', reactionMs: 0 });
    const outcome = await this.#bot.run();
    if (outcome.kind === 'won') counters.cheats.win(this.#self.userId, outcome.redPacketId, outcome.amount);
    else if (outcome.kind !== 'lost') counters.cheats.unheard++;
    counters.cheats.hear(`in the end: ${outcome.kind}`);
  }

  async #keepCalling(token: string, signal: AbortSignal): Promise<void> {
    const { counters } = this.#around;
    for (let dials = 0; dials < DIALS_MAX && !signal.aborted; dials++) {
      const loss = await this.#callOnce(token, signal);
      if (!signal.aborted || loss.kind !== 'closed') counters.cheats.hear(lossName(loss));
      await this.#rest(REDIAL_MS);
    }
  }

  #callOnce(token: string, signal: AbortSignal): Promise<Loss> {
    const { address, retryPolicy } = this.#around;
    return new Promise((resolve) => {
      let ticker: NodeJS.Timeout | undefined;
      const hangUp = () => socket.cut();
      const socket: BotSocket = dial({ address, token, localAddress: this.#self.localAddress, retryPolicy }, {
        onMessage: (message) => {
          if (message.type === 'welcome') {
            socket.say({ type: 'join', rainId: this.#around.rainId });
            ticker ??= setInterval(() => this.#bother(socket), TICK_MS);
          } else this.#hear(message);
        },
        onUnreadable: () => {},
        onLost: (loss) => {
          clearInterval(ticker);
          signal.removeEventListener('abort', hangUp);
          resolve(loss);
        },
      });
      signal.addEventListener('abort', hangUp, { once: true });
    });
  }

  #bother(socket: BotSocket): void {
    const { rainId, random, counters, clock } = this.#around;
    // Before it begins there is nothing to be had; he keeps his breath.
    if (this.#rain && clock.now() < this.#rain.opensAt) return;
    const loot: Loot = { own: this.#own, overheard: this.#around.overheard.ticket };
    for (let i = 0; i < FRAMES_PER_TICK; i++) {
      const frames = this.#ticketed && random.belowNumber(2) === 0 ? trick(rainId, loot, random) : [forge(rainId, random)];
      for (const frame of frames) socket.shout(frame);
      counters.cheats.frames += frames.length;
    }
  }

  #hear(message: HeardMessage): void {
    const { counters, rainId } = this.#around;
    switch (message.type) {
      case 'rain':
        if (message.rainId !== rainId) return;
        this.#rain = message;
        return this.#sawRain();
      case 'result':
        counters.cheats.hear(`answer ${reasonOf(message.code)}${TRICK_NAMES.includes(message.ref ?? '') ? ` to ${message.ref}` : ''}`);
        if ((message.code === '0' || message.code === '1') && message.rainId === rainId) {
          counters.cheats.win(this.#self.userId, message.redPacketId ?? '', message.amount ?? '');
        }
        return;
      case 'ticket':
        this.#own = message.ticket;
        this.#ticketed = true;
        return;
      case 'challenge':
        this.#ticketed = true;
        return;
      case 'error':
        return counters.cheats.hear(`error ${message.code}`);
      default:
        return;
    }
  }

  #rest(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#aborted.signal }).catch(() => {});
  }
}

function lossName(loss: Loss): string {
  switch (loss.kind) {
    case 'refused': return `refused ${loss.status}`;
    case 'unreachable': return 'unreachable';
    case 'closed': return `closed ${loss.code in CLOSES ? CLOSES[loss.code as CloseCode].reason : loss.code}`;
    default: return loss satisfies never;
  }
}
