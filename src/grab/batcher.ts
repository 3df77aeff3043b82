import { BATCH_USERS_MAX } from './engine.ts';
import { shardOf } from '../store/keys.ts';

/** From so many users on a batch waits for no more of them: they would save Redis little. */
export const LARGE_BATCH_USERS = 16;

/** Requests for one rain or sale, and the shard that decides them. */
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

/**
 * The function that decides a batch. `decide` never rejects, and answers in order; `busy` is told to whom it cannot be
 * asked for.
 */
interface Decider<A, Answer> {
  decide(id: string, shard: number, pending: readonly A[]): Promise<readonly Answer[]>;
  busy: Answer;
}

interface BatcherLimits {
  /** Requests waiting or in flight in this process at most [R10]; protects memory when Redis stalls. */
  grabsPendingMax: number;
  /** How long a small batch waits for the answer of the call before it, at most, ms; 0: not at all. */
  grabBehindMsMax: number;
}

interface BatcherTime {
  /** Monotonic ms. */
  now(): number;
  after(callback: () => void, ms: number): NodeJS.Timeout;
}

/**
 * Gathers the requests that arrive in one turn of the event loop and sends them as one script call per shard of a rain
 * or sale. Under high load the turns are longer, and so are the batches. Where many gateways share the load their
 * batches are small, and a small call costs Redis nearly as much as a large one. So a small batch waits while a call to
 * its shard is under way, and grows: the busier Redis is the longer. When none is under way nothing waits.
 *
 *     end of the turn ──large, or no call under way──▶ sent
 *            └──small, behind a call──▶ waiting ──large, the call is answered, or `grabBehindMsMax`──▶ sent
 */
export class Batcher<A extends { readonly userId: string }, Answer> {
  readonly #decider: Decider<A, Answer>;
  readonly #deliver: Deliver<A, Answer>;
  readonly #limits: BatcherLimits;
  readonly #onAnswered: (batch: AnsweredBatch<A, Answer>) => void;
  readonly #time: BatcherTime;
  readonly #batches = new Map<string, Batch<A>>();
  /** Calls under way, by shard. */
  readonly #underWay = new Map<string, number>();
  /** When the first request of this turn was added; `undefined`: nothing is to be sent at its end. */
  #turnAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pending = 0;
  #held = 0;

  /**
   * @param onAnswered called when all requests of a batch are answered; for it the clock is read once a turn and once a
   * batch
   */
  constructor(
    decider: Decider<A, Answer>,
    deliver: Deliver<A, Answer>,
    limits: BatcherLimits,
    onAnswered: (batch: AnsweredBatch<A, Answer>) => void = () => {},
    time: BatcherTime = { now: () => performance.now(), after: setTimeout },
  ) {
    this.#decider = decider;
    this.#deliver = deliver;
    this.#limits = limits;
    this.#onAnswered = onAnswered;
    this.#time = time;
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
    return this.#pending >= this.#limits.grabsPendingMax;
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
    const openedAt = this.#openTurn();
    const name = `${id}/${shard}`;
    const batch = this.#batches.get(name);
    if (!batch) return void this.#batches.set(name, { id, shard, pending: [pending], openedAt });
    batch.pending.push(pending);
    if (batch.pending.length >= BATCH_USERS_MAX) void this.#send(name, batch);
  }

  readonly #openTurn = (): number => {
    if (this.#turnAt === undefined) {
      this.#turnAt = this.#time.now();
      setImmediate(this.#flush);
    }
    return this.#turnAt;
  };

  /** At the end of a turn in which a request was added, a call was answered or a batch has waited for long enough. */
  readonly #flush = (): void => {
    const { now, after } = this.#time;
    this.#turnAt = undefined;
    clearTimeout(this.#timer);
    let nextMs = Infinity;
    for (const [name, batch] of this.#batches) {
      const isBehind = batch.pending.length < LARGE_BATCH_USERS && this.#underWay.has(name);
      const leftMs = isBehind ? batch.openedAt + this.#limits.grabBehindMsMax - now() : 0;
      if (leftMs <= 0) void this.#send(name, batch);
      else nextMs = Math.min(nextMs, leftMs);
    }
    if (nextMs < Infinity) this.#timer = after(this.#openTurn, nextMs);
  };

  async #send(name: string, batch: Batch<A>): Promise<void> {
    const { id, shard, pending } = batch;
    this.#batches.delete(name);
    this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
    const answers = await this.#decider.decide(id, shard, pending);
    const others = this.#underWay.get(name)! - 1;
    if (others > 0) this.#underWay.set(name, others);
    else this.#underWay.delete(name);
    if (this.#batches.has(name)) this.#openTurn();
    this.#pending -= pending.length;
    for (let i = 0; i < pending.length; i++) this.#deliver(pending[i]!, id, answers[i]!, shard);
    this.#onAnswered({ ...batch, answers, answeredAt: this.#time.now() });
  }
}
