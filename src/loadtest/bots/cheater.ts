import { setTimeout as sleep } from 'node:timers/promises';
import type { Loss } from '../../client/reconnect.ts';
import { CLOSES, reasonOf, type CloseCode } from '../../protocol/outcomes.ts';
import { Bot, type BotSelf } from './bot.ts';
import { dial, type BotSocket } from './socket.ts';
import type { ReceivedMessage, ReceivedRain } from './serverMessage.ts';
import type { LoadtestEnvironment } from '../environment.ts';
import { WaveCounters } from '../figures/counters.ts';
import { forge, trick, TRICK_NAMES, type Loot } from './forgeries.ts';

/** Sockets of one cheater: one of them may get what another is refused. */
export const SOCKETS_PER_CHEATER = 2;
/**
 * How long a cheater cheats after the opening, and how fast: 300 frames a second per connection, where a hand makes 15.
 */
const CHEATS_MS = 3_000;
const TICK_MS = 50;
const FRAMES_PER_TICK = 15;
/** Connects per socket, and the pause between them, ms: a disconnected cheater returns at once. */
const DIALS_MAX = 10;
const REDIAL_MS = 100;
/** Wait for pending answers before the final grab, ms. */
const AFTERMATH_MS = 300;

/**
 * Tries to get more than one packet. In the end it grabs like a good client, so that its result can be compared with
 * the audit.
 */
export class Cheater {
  readonly #environment: LoadtestEnvironment;
  readonly #self: BotSelf;
  #bot: Bot | undefined;
  readonly #aborted = new AbortController();
  #rain: ReceivedRain | undefined;
  #sawRain: () => void = () => {};
  /** The rain requires tickets. The cheater uses tickets that it receives, but solves no challenge. */
  #ticketed = false;
  #own: Loot['own'];

  constructor(environment: LoadtestEnvironment, self: BotSelf) {
    this.#environment = environment;
    this.#self = self;
  }

  async run(): Promise<void> {
    const { counters, tokenFor, throttle, retryPolicy, rainId } = this.#environment;
    counters.cheats.users++;
    if (!(await throttle.pass())) return;
    const token = await tokenFor(this.#self.userId);
    const seen = new Promise<void>((resolve) => {
      this.#sawRain = resolve;
    });
    const over = new AbortController();
    const connections = Array.from({ length: SOCKETS_PER_CHEATER }, () =>
      this.#keepConnected(token, AbortSignal.any([over.signal, this.#aborted.signal])),
    );
    await Promise.race([seen, this.#sleep(retryPolicy.sleepMsMax)]);
    if (this.#rain?.rainId === rainId)
      await this.#sleep(Math.max(0, this.#rain.opensAt - this.#environment.clock.now()));
    await this.#sleep(CHEATS_MS);
    over.abort();
    await Promise.all(connections);
    await this.#sleep(AFTERMATH_MS);
    await this.#grabHonestly();
  }

  abort(): void {
    this.#aborted.abort();
    this.#bot?.abort();
  }

  async #grabHonestly(): Promise<void> {
    const { counters } = this.#environment;
    if (this.#aborted.signal.aborted) return;
    // This grab must not influence the report, so it has its own counters.
    const environment = { ...this.#environment, counters: new WaveCounters(1), creditWaitMs: 0 };
    this.#bot = new Bot(environment, { ...this.#self, behaviour: 'good', reactionMs: 0 });
    const outcome = await this.#bot.run();
    if (outcome.kind === 'won') counters.cheats.win(this.#self.userId, outcome.redPacketId, outcome.amount);
    else if (outcome.kind !== 'lost') counters.cheats.unheard++;
    counters.cheats.heard.add(`in the end: ${outcome.kind}`);
  }

  async #keepConnected(token: string, signal: AbortSignal): Promise<void> {
    const { counters } = this.#environment;
    for (let dials = 0; dials < DIALS_MAX && !signal.aborted; dials++) {
      const loss = await this.#connectOnce(token, signal);
      if (!signal.aborted || loss.kind !== 'closed') counters.cheats.heard.add(lossName(loss));
      await this.#sleep(REDIAL_MS);
    }
  }

  #connectOnce(token: string, signal: AbortSignal): Promise<Loss> {
    return new Promise((resolve) => {
      let ticker: NodeJS.Timeout | undefined;
      const socket: BotSocket = dial(this.#environment, token, this.#self.localAddress, {
        onMessage: (message) => {
          if (message.type === 'welcome') {
            socket.send({ type: 'join', rainId: this.#environment.rainId });
            ticker ??= setInterval(() => this.#attack(socket), TICK_MS);
          } else this.#receive(message);
        },
        onUnreadable: () => {},
        onLost: (loss) => {
          clearInterval(ticker);
          resolve(loss);
        },
      });
      signal.addEventListener('abort', () => socket.destroy(), { once: true });
    });
  }

  #attack(socket: BotSocket): void {
    const { rainId, random, counters, clock } = this.#environment;
    // Before the opening there is nothing to win.
    if (this.#rain && clock.now() < this.#rain.opensAt) return;
    const loot: Loot = { own: this.#own, overheard: this.#environment.overheard.ticket };
    for (let i = 0; i < FRAMES_PER_TICK; i++) {
      const frames =
        this.#ticketed && random.belowNumber(2) === 0 ? trick(rainId, loot, random) : [forge(rainId, random)];
      for (const frame of frames) socket.sendRaw(frame);
      counters.cheats.frames += frames.length;
    }
  }

  #receive(message: ReceivedMessage): void {
    const { counters, rainId } = this.#environment;
    switch (message.type) {
      case 'rain':
        if (message.rainId !== rainId) return;
        this.#rain = message;
        return this.#sawRain();
      case 'result':
        counters.cheats.heard.add(
          `answer ${reasonOf(message.code)}${TRICK_NAMES.includes(message.ref ?? '') ? ` to ${message.ref}` : ''}`,
        );
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
        return counters.cheats.heard.add(`error ${message.code}`);
      default:
        return;
    }
  }

  #sleep(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#aborted.signal }).catch(() => {});
  }
}

function lossName(loss: Loss): string {
  switch (loss.kind) {
    case 'refused':
      return `refused ${loss.status}`;
    case 'unreachable':
      return 'unreachable';
    case 'closed':
      return `closed ${loss.code in CLOSES ? CLOSES[loss.code as CloseCode].reason : loss.code}`;
    default:
      return loss satisfies never;
  }
}
