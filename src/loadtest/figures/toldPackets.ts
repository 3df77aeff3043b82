import { parseMoney, type Cents } from '../../rain/money.ts';

/** Maximum number of descriptions; `faults` counts all. */
const EXAMPLES_MAX = 10;

/**
 * Whether all answers agree: one user per packet [R2], one packet per user and always the same answer [R1, R6],
 * positive amounts.
 */
export class ToldPackets {
  readonly #byUser = new Map<string, { redPacketId: string; amount: string }>();
  readonly #owner = new Map<string, string>();
  /** Total of the amounts in the answers. */
  cents: Cents = 0n;
  faults = 0;
  readonly examples: string[] = [];

  /** Users with a win in an answer. */
  get winners(): number {
    return this.#byUser.size;
  }

  add(userId: string, redPacketId: string, amount: string): void {
    const before = this.#byUser.get(userId);
    if (before) {
      if (before.redPacketId !== redPacketId || before.amount !== amount) {
        this.#fault(
          `${userId} was told ${before.redPacketId} with ${before.amount} and then ${redPacketId} with ${amount}`,
        );
      }
      return;
    }
    this.#byUser.set(userId, { redPacketId, amount });
    const owner = this.#owner.get(redPacketId);
    if (owner === undefined) this.#owner.set(redPacketId, userId);
    else this.#fault(`${redPacketId} was told to ${owner} and to ${userId}`);
    const cents = parseMoney(amount) ?? 0n;
    if (cents === 0n) this.#fault(`${userId} was told an amount of ${JSON.stringify(amount)}`);
    this.cents += cents;
  }

  /** The first answer to each user, and the faults, for another process. */
  record() {
    const { faults, examples } = this;
    return {
      entries: [...this.#byUser].map(([userId, { redPacketId, amount }]) => [userId, redPacketId, amount] as const),
      faults,
      examples,
    };
  }

  merge({ entries, faults, examples }: ReturnType<ToldPackets['record']>): void {
    for (const entry of entries) this.add(...entry);
    this.faults += faults;
    this.examples.push(...examples.slice(0, EXAMPLES_MAX - this.examples.length));
  }

  #fault(what: string): void {
    this.faults++;
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(what);
  }
}
