import { WebSocket } from 'ws';
import { createRainClient, type RainClient } from '../../../src/client/client.ts';
import { tokenFor } from '../../support/client.ts';
import { UserRecord } from '../../faults/users/told.ts';

/** The cost of one action to the players while it went on, ms; the worst of all of them. */
export interface Cost {
  /** Without a connection. */
  away: number;
  /** From a tap to its final answer. */
  answer: number;
  /** Players who lost their connection. */
  moved: number;
}

interface Player {
  userId: string;
  client: RainClient;
  record: UserRecord;
}

/** Each of these players has an address of its own. */
const addressOf = (i: number) => `127.0.${1 + (i >> 8)}.${i & 255}`;

/** Players with the published client, each of whom taps once, one after the other. */
export class RollingCrowd {
  readonly #rainId: string;
  readonly #players: Player[];
  /** The last answer to each player's one tap, by its kind. */
  readonly verdicts = new Map<string, number>();
  #tapped = 0;
  #answered = 0;
  #cost: Cost = { away: 0, answer: 0, moved: 0 };
  #pump: NodeJS.Timeout | undefined;

  /** @param urls each player has one of them for good */
  constructor(urls: readonly string[], rainId: string, users: number) {
    this.#rainId = rainId;
    this.#players = Array.from({ length: users }, (_, i) =>
      this.#player(urls[i % urls.length]!, `${rainId}-u${i}`, addressOf(i)),
    );
  }

  get records(): ReadonlyMap<string, UserRecord> {
    return new Map(this.#players.map(({ userId, record }) => [userId, record]));
  }

  winners(): [string, NonNullable<UserRecord['won']>][] {
    return this.#players.flatMap(({ userId, record: { won } }) => (won ? [[userId, won] as [string, typeof won]] : []));
  }

  async join(): Promise<void> {
    await Promise.all(
      this.#players.map(async ({ client }) => {
        await client.connect();
        const joined = await client.join(this.#rainId);
        if (joined.kind === 'refused') throw new Error(joined.reason);
      }),
    );
  }

  /** From now on one of them taps at this interval. */
  tapEvery(ms: number): void {
    this.#pump = setInterval(() => this.#tap(), ms);
  }

  /** Nobody else taps for now. */
  rest(): void {
    clearInterval(this.#pump);
  }

  /** The others tap. */
  tapAll(): void {
    this.rest();
    while (this.#tapped < this.#players.length) this.#tap();
  }

  get tapped(): number {
    return this.#tapped;
  }

  get unanswered(): number {
    return this.#tapped - this.#answered;
  }

  get connected(): number {
    return this.#players.filter(({ client }) => client.link === 'up').length;
  }

  /** Players who have lost their connection since the last `takeCost`, and are back. */
  get moved(): number {
    return this.#cost.moved;
  }

  /** Everything that happened since the last call. */
  takeCost(): Cost {
    const cost = this.#cost;
    this.#cost = { away: 0, answer: 0, moved: 0 };
    return cost;
  }

  leave(): void {
    this.rest();
    for (const { client } of this.#players) client.close();
  }

  #tap(): void {
    const player = this.#players[this.#tapped];
    if (!player) return;
    this.#tapped++;
    const since = performance.now();
    player.record.asked();
    void player.client.grab(this.#rainId).then(({ kind }) => {
      this.#answered++;
      // Nobody taps twice, so who had it already was asked again, by the client, because an answer was lost or "busy".
      const verdict = kind === 'already_claimed' ? 'won' : kind;
      this.verdicts.set(verdict, (this.verdicts.get(verdict) ?? 0) + 1);
      this.#cost.answer = Math.max(this.#cost.answer, Math.round(performance.now() - since));
    });
  }

  #player(url: string, userId: string, localAddress: string): Player {
    const record = new UserRecord(userId);
    const client = createRainClient({
      url,
      token: () => tokenFor(userId),
      WebSocket: class extends WebSocket {
        constructor(address: string | URL, protocols?: string | string[]) {
          super(address, protocols, { localAddress, rejectUnauthorized: false, perMessageDeflate: false });
        }
      },
    });
    let lostAt: number | undefined;
    client.on('link', ({ link, code }) => {
      if (link === 'refused' || link === 'no_token') record.recordUnexpected(code ?? link);
      if (link === 'up' && lostAt !== undefined) {
        this.#cost.away = Math.max(this.#cost.away, Math.round(performance.now() - lostAt));
        this.#cost.moved++;
        lostAt = undefined;
      }
      if (link === 'away' || link === 'lost') lostAt ??= performance.now();
    });
    client.on('error', ({ code }) => record.recordUnexpected(`error ${code}`));
    client.on('result', ({ code, redPacketId, amount, ref }) => {
      if (code === '0' || code === '1') record.recordWin(code, redPacketId, amount, ref !== undefined);
      else record.recordLoss(code);
    });
    client.on('credited', ({ redPacketId, amount }) => {
      if (record.credited) record.recordUnexpected('the same credit twice');
      record.recordCredit(redPacketId, amount);
    });
    return { userId, client, record };
  }
}
