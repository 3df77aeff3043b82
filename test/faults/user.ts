import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { ResultMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { SUBPROTOCOL } from '../../src/protocol/constants.ts';
import type { Chance } from './chance.ts';
import { Told } from './told.ts';

interface UserOptions {
  userId: string;
  token: string;
  rainId: string;
  /** Any of them will do, every time. */
  gatewayUrls: readonly string[];
  /** Epoch ms. */
  arrivesAt: number;
  /** How often he asks again though he has his answer: what he is told must not change [R6]. */
  repeats: number;
  random: Chance;
}

/** A question without an answer for so long: the line is taken for dead and another is dialled. */
const SILENCE_MS = 4_000;

/**
 * One user on one real socket after another, who asks until he has an answer that ends the matter and writes down all he
 * is told. A loser leaves when he has asked often enough; a winner stays until the end, for his credit.
 */
export class User {
  readonly told: Told;
  readonly #options: UserOptions;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asked: { ref: string; at: number } | undefined;
  #asks = 0;
  #repeats: number;
  #left = false;
  /** Dials in a row that came to nothing: he gives each next one more time, or a slow machine would never see the end of them. */
  #vain = 0;
  #answered: (() => void) | undefined;

  constructor(options: UserOptions) {
    this.#options = options;
    this.#repeats = options.repeats;
    this.told = new Told(options.userId);
  }

  /** Resolves when he has left. */
  async play(): Promise<void> {
    const { arrivesAt, random } = this.#options;
    await sleep(Math.max(0, arrivesAt - Date.now()));
    while (!this.#left) {
      await this.#visit();
      if (!this.#left) await random.pause(20, 200);
    }
  }

  /** Asks once more, on a new line if need be; resolves when he has been answered. */
  askOnceMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#repeats = 0;
      this.#answered = resolve;
      this.#ask();
    });
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  /** One socket, from dialling it to its end. */
  #visit(): Promise<void> {
    const { gatewayUrls, random, token, rainId } = this.#options;
    return new Promise((resolve) => {
      const socket = new WebSocket(random.pick(gatewayUrls), [SUBPROTOCOL], {
        headers: { authorization: `Bearer ${token}` }, handshakeTimeout: SILENCE_MS * (1 + this.#vain++), perMessageDeflate: false,
      });
      this.#socket = socket;
      this.told.asked();
      socket.on('error', () => {});
      socket.on('unexpected-response', (_request, { statusCode }) => {
        if (statusCode !== 503) this.told.tellNonsense(`${statusCode} at the door`);
        socket.terminate();
      });
      socket.on('open', () => {
        this.#vain = 0;
        socket.send(JSON.stringify({ type: 'join', rainId }));
        // With a packet in his pocket the join tells him all; a question of ours is still open, though.
        if (!this.told.won || this.#answered) this.#ask();
      });
      socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as ServerMessage));
      socket.on('close', () => {
        clearTimeout(this.#timer);
        this.#asked = undefined;
        this.told.cut();
        resolve();
      });
    });
  }

  #ask(): void {
    const socket = this.#socket;
    if (this.#left || socket?.readyState !== WebSocket.OPEN) return;
    clearTimeout(this.#timer);
    this.#asked = { ref: String(++this.#asks), at: Date.now() };
    socket.send(JSON.stringify({ type: 'grab', rainId: this.#options.rainId, ref: this.#asked.ref }));
    this.#timer = setTimeout(() => {
      this.told.silences++;
      socket.terminate();
    }, SILENCE_MS);
  }

  #hear(message: ServerMessage): void {
    const { rainId } = this.#options;
    if (message.type === 'welcome') this.told.welcome();
    if (message.type === 'error') this.told.tellNonsense(`error ${message.code}`);
    if (message.type === 'credited' && message.rainId === rainId) this.told.tellCredited(message.redPacketId, message.amount);
    if (message.type === 'result' && message.rainId === rainId) this.#hearResult(message);
  }

  #hearResult({ ref, code, redPacketId, amount }: ResultMessage): void {
    const mine = this.#asked !== undefined && this.#asked.ref === ref;
    if (mine) {
      this.told.answerMsMax = Math.max(this.told.answerMsMax, Date.now() - this.#asked!.at);
      this.#asked = undefined;
      clearTimeout(this.#timer);
    }
    switch (code) {
      case '0':
      case '1':
        this.told.tellWon(code, redPacketId, amount, ref !== undefined);
        break;
      case '-1':
      case '-3':
        this.told.tellLost(code);
        break;
      case '-8':
      case '-6':
      // Nobody here asks for tickets.
      case '-9':
      // No rain here is a campaign's.
      case '-11':
        this.told.tellNonsense(code);
        break;
      case '-7':
        this.told.busy++;
        if (mine) this.#askAfter(40, 250);
        return;
      case '-2':
      case '-4':
      case '-5':
        if (mine) this.#askAfter(40, 250);
        return;
      default:
        return code satisfies never;
    }
    if (mine) this.#goOn();
  }

  /** After an answer that ends the matter. */
  #goOn(): void {
    if (this.#answered) {
      this.#answered();
      this.#answered = undefined;
    } else if (this.#repeats > 0) {
      this.#repeats--;
      this.#askAfter(100, 800);
    } else if (!this.told.won) this.leave();
  }

  #askAfter(fromMs: number, toMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), this.#options.random.between(fromMs, toMs));
  }
}
