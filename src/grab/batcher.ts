import { BATCH_USERS_MAX, BUSY, type GrabAnswer, type GrabEngine } from './engine.ts';
import { shardOf } from '../store/keys.ts';

interface Batch<A> {
  rainId: string;
  shard: number;
  pendingGrabs: A[];
  /** When the first grab of the turn that opened the batch was added, ms of the monotonic clock. */
  openedAt: number;
}

/** An answered batch. Its answers stand in the order of its pending grabs. */
export interface AnsweredBatch<A> extends Readonly<Batch<A>> {
  answers: readonly GrabAnswer[];
  /** ms of the monotonic clock. */
  answeredAt: number;
}

/** Called once for each pending grab, with the shard that the answer comes from. */
type Deliver<A> = (pending: A, rainId: string, answer: GrabAnswer, shard: number) => void;

/**
 * Gathers the grabs that arrive in one turn of the event loop and sends them as one script call per rain and shard. No grab waits
 * for a batch to fill: under high load the turns are longer, and so are the batches.
 */
export class Batcher<A extends { readonly userId: string }> {
  readonly #engine: GrabEngine;
  readonly #deliver: Deliver<A>;
  readonly #pendingMax: number;
  readonly #onAnswered: (batch: AnsweredBatch<A>) => void;
  #batches = new Map<string, Batch<A>>();
  #openedAt = 0;
  #pending = 0;
  #held = 0;

  /**
   * @param pendingMax grabs waiting or in flight in this process at most [R10]; protects memory when Redis stalls
   * @param onAnswered called when all grabs of a batch are answered; for it the clock is read once a turn and once a batch
   */
  constructor(engine: GrabEngine, deliver: Deliver<A>, pendingMax: number, onAnswered: (batch: AnsweredBatch<A>) => void = () => {}) {
    this.#engine = engine;
    this.#deliver = deliver;
    this.#pendingMax = pendingMax;
    this.#onAnswered = onAnswered;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Without the held ones. */
  get asking(): number {
    return this.#pending - this.#held;
  }

  /** True: the next grab is answered "-7" at once. */
  get full(): boolean {
    return this.#pending >= this.#pendingMax;
  }

  /** Reserves a place for a grab that waits before it is added [R10]. @returns false when too many wait already */
  hold(): boolean {
    if (this.full) return false;
    this.#pending++;
    this.#held++;
    return true;
  }

  /** Adds a grab for which `hold` has reserved a place. */
  addHeld(rainId: string, shards: number, pending: A): void {
    this.#pending--;
    this.#held--;
    this.add(rainId, shards, pending);
  }

  /** Every grab is answered exactly once through `deliver`; at once with "-7" when too many wait already. */
  add(rainId: string, shards: number, pending: A): void {
    const shard = shardOf(pending.userId, shards);
    if (this.full) return this.#deliver(pending, rainId, BUSY, shard);
    this.#pending++;
    const name = `${rainId}/${shard}`;
    const batch = this.#batches.get(name);
    if (batch) {
      batch.pendingGrabs.push(pending);
      if (batch.pendingGrabs.length < BATCH_USERS_MAX) return;
      this.#batches.delete(name);
      void this.#send(batch);
      return;
    }
    if (this.#batches.size === 0) {
      this.#openedAt = performance.now();
      setImmediate(this.#flush);
    }
    this.#batches.set(name, { rainId, shard, pendingGrabs: [pending], openedAt: this.#openedAt });
  }

  readonly #flush = (): void => {
    const batches = this.#batches;
    this.#batches = new Map();
    for (const batch of batches.values()) void this.#send(batch);
  };

  async #send(batch: Batch<A>): Promise<void> {
    const { rainId, shard, pendingGrabs } = batch;
    const answers = await this.#engine.grab(rainId, shard, pendingGrabs.map((pending) => pending.userId));
    this.#pending -= pendingGrabs.length;
    for (let i = 0; i < pendingGrabs.length; i++) this.#deliver(pendingGrabs[i]!, rainId, answers[i]!, shard);
    this.#onAnswered({ ...batch, answers, answeredAt: performance.now() });
  }
}
