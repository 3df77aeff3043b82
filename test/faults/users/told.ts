/** All answers that one user received, and their contradictions [R6]. */
export class UserRecord {
  /** Time of the first grab and of the first final answer, epoch ms. */
  askedAt: number | undefined;
  answeredAt: number | undefined;
  /** The first reported win. */
  won: { redPacketId: string; amount: string; at: number } | undefined;
  /**
   * The message that reported the win first: the answer to the winning grab, the answer to a repeated grab, or a join.
   */
  wonBy: 'answer' | 'repeat' | 'join' | undefined;
  lost: string | undefined;
  credited: { redPacketId: string; amount: string; at: number } | undefined;
  /** The longest time from a grab to its answer on one socket, ms; and the number of grabs without an answer. */
  answerMsMax = 0;
  silences = 0;
  busy = 0;
  /** The codes of all answers to grabs, and of wins told at a join; when they came, epoch ms. */
  readonly heard: { code: string; at: number }[] = [];
  /** The longest time from a lost connection to the next welcome, ms. */
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

  recordWin(code: '0' | '1', redPacketId: string | undefined, amount: string | undefined, requested = true): void {
    if (redPacketId === undefined || amount === undefined) return this.#object(`was told ${code} without a packet`);
    if (this.lost !== undefined) this.#object(`was told ${this.lost}, then won ${redPacketId}`);
    // A join that was processed after the grab may report the win first. But only one grab can be answered with 0.
    if (code === '0' && this.#first) this.#object(`won ${redPacketId} a second time`);
    this.#first ||= code === '0';
    this.#compare(this.won, redPacketId, amount);
    this.#compare(this.credited, redPacketId, amount);
    this.wonBy ??= code === '0' ? 'answer' : requested ? 'repeat' : 'join';
    this.won ??= { redPacketId, amount, at: Date.now() };
    this.answeredAt ??= Date.now();
  }

  recordLoss(code: string): void {
    if (this.won) this.#object(`had ${this.won.redPacketId} and was told ${code}`);
    this.lost ??= code;
    this.answeredAt ??= Date.now();
  }

  recordCredit(redPacketId: string, amount: string): void {
    this.#compare(this.won, redPacketId, amount);
    this.#compare(this.credited, redPacketId, amount);
    this.credited ??= { redPacketId, amount, at: Date.now() };
  }

  recordUnexpected(what: string): void {
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
