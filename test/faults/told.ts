/** What one user was told, from his first word to his last, and where it contradicts itself [R6]. */
export class Told {
  /** When he first asked, and when he first had an answer that ends the matter; epoch ms. */
  askedAt: number | undefined;
  answeredAt: number | undefined;
  /** The packet he was first told is his. */
  won: { redPacketId: string; amount: string; at: number } | undefined;
  /** What told him first: the answer to the question that won, to one that repeated it, or what a join tells. */
  wonBy: 'answer' | 'repeat' | 'join' | undefined;
  lost: string | undefined;
  credited: { redPacketId: string; amount: string; at: number } | undefined;
  /** The longest time from one question to its own answer on one socket, ms; and questions that got none there. */
  answerMsMax = 0;
  silences = 0;
  busy = 0;
  /** The longest time from the loss of a line to the welcome on the next, ms. */
  awayMsMax = 0;
  readonly contradictions: string[] = [];
  readonly #userId: string;
  #first = false;
  #cutAt: number | undefined;

  constructor(userId: string) {
    this.#userId = userId;
  }

  asked(): void {
    this.askedAt ??= Date.now();
  }

  cut(): void {
    this.#cutAt ??= Date.now();
  }

  welcome(): void {
    if (this.#cutAt !== undefined) this.awayMsMax = Math.max(this.awayMsMax, Date.now() - this.#cutAt);
    this.#cutAt = undefined;
  }

  tellWon(code: '0' | '1', redPacketId: string | undefined, amount: string | undefined, asked = true): void {
    if (redPacketId === undefined || amount === undefined) return this.#object(`was told ${code} without a packet`);
    if (this.lost !== undefined) this.#object(`was told ${this.lost}, then that ${redPacketId} is his`);
    // A join that was read behind the grab may tell it first; but only one question can have been the first.
    if (code === '0' && this.#first) this.#object(`won ${redPacketId} a second time`);
    this.#first ||= code === '0';
    this.#compare(this.won, redPacketId, amount);
    this.#compare(this.credited, redPacketId, amount);
    this.wonBy ??= code === '0' ? 'answer' : asked ? 'repeat' : 'join';
    this.won ??= { redPacketId, amount, at: Date.now() };
    this.answeredAt ??= Date.now();
  }

  tellLost(code: string): void {
    if (this.won) this.#object(`had ${this.won.redPacketId} and was told ${code}`);
    this.lost ??= code;
    this.answeredAt ??= Date.now();
  }

  tellCredited(redPacketId: string, amount: string): void {
    this.#compare(this.won, redPacketId, amount);
    this.#compare(this.credited, redPacketId, amount);
    this.credited ??= { redPacketId, amount, at: Date.now() };
  }

  tellNonsense(what: string): void {
    this.#object(`was told ${what}`);
  }

  #compare(before: { redPacketId: string; amount: string } | undefined, redPacketId: string, amount: string): void {
    if (before && (before.redPacketId !== redPacketId || before.amount !== amount)) {
      this.#object(`was told ${before.redPacketId} ${before.amount}, then ${redPacketId} ${amount}`);
    }
  }

  #object(what: string): void {
    this.contradictions.push(`${this.#userId} ${what}`);
  }
}
