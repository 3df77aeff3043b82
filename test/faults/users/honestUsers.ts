import { setTimeout as sleep } from 'node:timers/promises';
import { dial, type Client } from '../../support/client.ts';

/** A packet as a user was told of it. */
interface Told {
  redPacketId: string;
  amount: string;
  receipt: string | undefined;
}

/** Between two grabs of a user who was told to come again, ms. */
const PAUSE_MS = 300;

/** Users who only play, and remember everything that they were told. */
export class HonestUsers {
  /** By user, in order; a user who is told the same packet again has it once. */
  readonly told = new Map<string, Told[]>();
  readonly #gatewayUrl: string;
  readonly #rainId: string;

  constructor(gatewayUrl: string, rainId: string) {
    this.#gatewayUrl = gatewayUrl;
    this.#rainId = rainId;
  }

  /**
   * Each of these users joins, shows the receipts of earlier wins, and grabs until there is a final answer, at most
   * this long.
   */
  async grab(userIds: readonly string[], forMs = 5_000): Promise<void> {
    await Promise.all(userIds.map((userId) => this.#grab(userId, Date.now() + forMs)));
  }

  async #grab(userId: string, until: number): Promise<void> {
    const client = await this.#connect(userId, until);
    if (!client) return;
    try {
      client.say({ type: 'join', rainId: this.#rainId });
      for (const win of this.told.get(userId) ?? [])
        if (win.receipt !== undefined) client.say({ type: 'receipt', rainId: this.#rainId, ...win });
      while (Date.now() < until) {
        client.say({ type: 'grab', rainId: this.#rainId, ref: 'grab' });
        if (!['-7', '-4', '-5'].includes(await this.#listen(client, userId))) return;
        await sleep(PAUSE_MS);
      }
    } finally {
      await client.leave();
    }
  }

  /** A gateway may let nobody in for a while; whoever is refused comes again. `undefined`: not in time. */
  async #connect(userId: string, until: number): Promise<Client | undefined> {
    for (;;) {
      try {
        return await dial(this.#gatewayUrl, userId);
      } catch (error) {
        if (!String(error).includes('503')) throw error;
        if (Date.now() + PAUSE_MS >= until) return undefined;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** The code of the answer to the grab; results of the join are remembered too. */
  async #listen(client: Client, userId: string): Promise<string> {
    for (;;) {
      const { code, ref, redPacketId, amount, receipt } = await client.next('result');
      if (redPacketId !== undefined && amount !== undefined) this.#remember(userId, { redPacketId, amount, receipt });
      if (ref === 'grab') return code;
    }
  }

  #remember(userId: string, { redPacketId, amount, receipt }: Told): void {
    const told = this.told.get(userId) ?? [];
    if (!told.some((before) => before.redPacketId === redPacketId && before.amount === amount))
      told.push({ redPacketId, amount, receipt });
    this.told.set(userId, told);
  }
}
