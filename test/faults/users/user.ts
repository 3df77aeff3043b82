import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { ResultMessage, ServerMessage } from '../../../src/protocol/messages.ts';
import { SUBPROTOCOL } from '../../../src/protocol/constants.ts';
import type { Chance } from '../means/chance.ts';
import { UserRecord } from './told.ts';

interface UserOptions {
  userId: string;
  token: string;
  rainId: string;
  /** Each connection uses a random one. */
  gatewayUrls: readonly string[];
  /** Epoch ms. */
  arrivesAt: number;
  /** How often the user repeats the grab after the answer: the answer must not change [R6]. */
  repeats: number;
  random: Chance;
}

/** After this time without an answer the user takes the connection for dead and dials again. */
const SILENCE_MS = 4_000;

/**
 * One user on real sockets, one after another. The user grabs until there is a final answer, and records all answers. A
 * loser leaves after the repeats; a winner stays until the end, for the credit message.
 */
export class User {
  readonly record: UserRecord;
  readonly #options: UserOptions;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pending: { ref: string; at: number } | undefined;
  #grabs = 0;
  #repeats: number;
  #left = false;
  /** Failed dials in a row. Each next dial gets more time, because on a slow machine all would fail otherwise. */
  #failedDials = 0;
  #answered: (() => void) | undefined;

  constructor(options: UserOptions) {
    this.#options = options;
    this.#repeats = options.repeats;
    this.record = new UserRecord(options.userId);
  }

  /** Resolves when the user has left. */
  async play(): Promise<void> {
    const { arrivesAt, random } = this.#options;
    await sleep(Math.max(0, arrivesAt - Date.now()));
    while (!this.#left) {
      await this.#visit();
      if (!this.#left) await random.pause(20, 200);
    }
  }

  /** Grabs once more, on a new connection if needed. Resolves with the answer's arrival. */
  askOnceMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#repeats = 0;
      this.#answered = resolve;
      this.#grab();
    });
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  /** One connection, from dialling to its end. */
  #visit(): Promise<void> {
    const { gatewayUrls, random, token, rainId } = this.#options;
    return new Promise((resolve) => {
      const socket = new WebSocket(random.pick(gatewayUrls), [SUBPROTOCOL], {
        headers: { authorization: `Bearer ${token}` },
        handshakeTimeout: SILENCE_MS * (1 + this.#failedDials++),
        perMessageDeflate: false,
      });
      this.#socket = socket;
      this.record.asked();
      socket.on('error', () => {});
      socket.on('unexpected-response', (_request, { statusCode }) => {
        if (statusCode !== 503) this.record.recordUnexpected(`${statusCode} at the upgrade`);
        socket.terminate();
      });
      socket.on('open', () => {
        this.#failedDials = 0;
        socket.send(JSON.stringify({ type: 'join', rainId }));
        // A winner learns everything from the join, and grabs only if the test waits for a repeated answer.
        if (!this.record.won || this.#answered) this.#grab();
      });
      socket.on('message', (data) => this.#onMessage(JSON.parse(String(data)) as ServerMessage));
      socket.on('close', () => {
        clearTimeout(this.#timer);
        this.#pending = undefined;
        this.record.cut();
        resolve();
      });
    });
  }

  #grab(): void {
    const socket = this.#socket;
    if (this.#left || socket?.readyState !== WebSocket.OPEN) return;
    clearTimeout(this.#timer);
    this.#pending = { ref: String(++this.#grabs), at: Date.now() };
    socket.send(JSON.stringify({ type: 'grab', rainId: this.#options.rainId, ref: this.#pending.ref }));
    this.#timer = setTimeout(() => {
      this.record.silences++;
      socket.terminate();
    }, SILENCE_MS);
  }

  #onMessage(message: ServerMessage): void {
    const { rainId } = this.#options;
    if (message.type === 'welcome') this.record.welcome();
    if (message.type === 'error') this.record.recordUnexpected(`error ${message.code}`);
    if (message.type === 'credited' && message.rainId === rainId)
      this.record.recordCredit(message.redPacketId, message.amount);
    if (message.type === 'result' && message.rainId === rainId) this.#onResult(message);
  }

  #onResult({ ref, code, redPacketId, amount }: ResultMessage): void {
    const isAnswer = this.#pending !== undefined && this.#pending.ref === ref;
    if (isAnswer) {
      this.record.answerMsMax = Math.max(this.record.answerMsMax, Date.now() - this.#pending!.at);
      this.#pending = undefined;
      clearTimeout(this.#timer);
    }
    // A join tells a win, too.
    if (isAnswer || redPacketId !== undefined) this.record.heard.push({ code, at: Date.now() });
    switch (code) {
      case '0':
      case '1':
        this.record.recordWin(code, redPacketId, amount, ref !== undefined);
        break;
      case '-1':
      case '-3':
        this.record.recordLoss(code);
        break;
      case '-7':
        this.record.busy++;
        if (isAnswer) this.#grabAfter(40, 250);
        return;
      case '-2':
      case '-4':
      case '-5':
        if (isAnswer) this.#grabAfter(40, 250);
        return;
      default:
        // Refusals that no fault explains: nobody is blocked here, tickets are off, and no rain has terms.
        this.record.recordUnexpected(code);
    }
    if (isAnswer) this.#continue();
  }

  /** Continues after a final answer. */
  #continue(): void {
    if (this.#answered) {
      this.#answered();
      this.#answered = undefined;
    } else if (this.#repeats > 0) {
      this.#repeats--;
      this.#grabAfter(100, 800);
    } else if (!this.record.won) this.leave();
  }

  #grabAfter(fromMs: number, toMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#grab(), this.#options.random.between(fromMs, toMs));
  }
}
