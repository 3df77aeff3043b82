import { BATCH_USERS_MAX } from './engine.ts';
import { shardOf } from '../store/keys.ts';

/** Requests of one turn for one rain or sale, and the shard that decides them. */
interface Batch<A> {
  id: string;
  shard: number;
  pending: A[];
  /** When the first request of the turn that opened the batch was added, ms of the monotonic clock. */
  openedAt: number;
}

/** An answered batch. Its answers stand in the order of its requests. */
export interface AnsweredBatch<A, Answer> extends Readonly<Batch<A>> {
  answers: readonly Answer[];
  /** ms of the monotonic clock. */
  answeredAt: number;
}

/** Called once for each request, with the shard that the answer comes from. */
type Deliver<A, Answer> = (pending: A, id: string, answer: Answer, shard: number) => void;

/** What decides a batch. `decide` never rejects, and answers in order; `busy` is told to whom it cannot be asked for. */
interface Decider<A, Answer> {
  decide(id: string, shard: number, pending: readonly A[]): Promise<readonly Answer[]>;
  busy: Answer;
}

/**
 * Gathers the requests that arrive in one turn of the event loop and sends them as one script call per shard of a rain or sale. No
 * request waits for a batch to fill: under high load the turns are longer, and so are the batches.
 */
export class Batcher<A extends { readonly userId: string }, Answer> {
  readonly #decider: Decider<A, Answer>;
  readonly #deliver: Deliver<A, Answer>;
  readonly #pendingMax: number;
  readonly #onAnswered: (batch: AnsweredBatch<A, Answer>) => void;
  #batches = new Map<string, Batch<A>>();
  #openedAt = 0;
  #pending = 0;
  #held = 0;

  /**
   * @param pendingMax requests waiting or in flight in this process at most [R10]; protects memory when Redis stalls
   * @param onAnswered called when all requests of a batch are answered; for it the clock is read once a turn and once a batch
   */
  constructor(decider: Decider<A, Answer>, deliver: Deliver<A, Answer>, pendingMax: number, onAnswered: (batch: AnsweredBatch<A, Answer>) => void = () => {}) {
    this.#decider = decider;
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

  /** True: the next request is answered "-7" at once. */
  get full(): boolean {
    return this.#pending >= this.#pendingMax;
  }

  /** Reserves a place for a request that waits before it is added [R10]. @returns false when too many wait already */
  hold(): boolean {
    if (this.full) return false;
    this.#pending++;
    this.#held++;
    return true;
  }

  /** Gives up a place that `hold` has reserved. */
  release(): void {
    this.#pending--;
    this.#held--;
  }

  /** Adds a request for which `hold` has reserved a place. */
  addHeld(id: string, shards: number, pending: A): void {
    this.release();
    this.add(id, shards, pending);
  }

  /** Every request is answered exactly once through `deliver`; at once with "-7" when too many wait already. */
  add(id: string, shards: number, pending: A): void {
    const shard = shardOf(pending.userId, shards);
    if (this.full) return this.#deliver(pending, id, this.#decider.busy, shard);
    this.#pending++;
    const name = `${id}/${shard}`;
    const batch = this.#batches.get(name);
    if (batch) {
      batch.pending.push(pending);
      if (batch.pending.length < BATCH_USERS_MAX) return;
      this.#batches.delete(name);
      void this.#send(batch);
      return;
    }
    if (this.#batches.size === 0) {
      this.#openedAt = performance.now();
      setImmediate(this.#flush);
    }
    this.#batches.set(name, { id, shard, pending: [pending], openedAt: this.#openedAt });
  }

  readonly #flush = (): void => {
    const batches = this.#batches;
    this.#batches = new Map();
    for (const batch of batches.values()) void this.#send(batch);
  };

  async #send(batch: Batch<A>): Promise<void> {
    const { id, shard, pending } = batch;
    const answers = await this.#decider.decide(id, shard, pending);
    this.#pending -= pending.length;
    for (let i = 0; i < pending.length; i++) this.#deliver(pending[i]!, id, answers[i]!, shard);
    this.#onAnswered({ ...batch, answers, answeredAt: performance.now() });
  }
}
