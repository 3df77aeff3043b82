import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from '../store/keys.ts';
import {
  lend,
  MOVE_PACKETS_MAX,
  newMoveId,
  noteArrived,
  readStock,
  receive,
  setAside,
  writeDrained,
  type Move,
  type ShardStock,
} from '../store/moves.ts';
import type { ConfirmHeld } from './confirm.ts';
import { BUSY, type GrabAnswer, type GrabEngine, type Refusal } from './engine.ts';

interface MoverRules {
  redis: RedisClient;
  /** The decision in one shard, with everything around it. */
  engine: GrabEngine;
  /** Whether the replicas have an entry of a hash, and everything that was written before. */
  confirmHeld: ConfirmHeld;
  /** Whether the grabs of a shard wait, since its packets may be those of told wins: then they go nowhere either. */
  restoring: (key: string) => boolean;
  onFault: (error: unknown) => void;
  moveId?: (from: number, to: number) => string;
  rest?: (ms: number) => Promise<unknown>;
  /** ms of the monotonic clock. */
  now?: () => number;
}

interface Waiter {
  userId: string;
  shard: number;
  /** Called at once when the answer is there: what a user is told late, a failover may have undone meanwhile. */
  answer: (given: GrabAnswer) => void;
}

/** A shard at one moment; `undefined`: it cannot be read, and nobody knows what it has. */
type Look = (ShardStock | undefined)[];

/** How long a user waits for packets of other shards, ms; then "busy". */
const WAIT_MS_MAX = 1_000;
/** Attempts in a row that bring nobody an answer, and the rest after the first of them, ms, which doubles. */
const FRUITLESS_MAX = 6;
const REST_MS = 4;

const NOTHING_LEFT: Refusal = { code: '-1' };

/**
 * Brings packets to the shard of a user whose shard is empty, and says "nothing left" only when there was a moment,
 * after the user had asked, at which no shard had a packet and none was on its way [R13]. One round at a time for each
 * rain: whoever comes meanwhile waits for the next one. Moves that another process has begun and not ended are ended
 * here.
 */
export class Mover {
  readonly #rules: Required<MoverRules>;
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(rules: MoverRules) {
    this.#rules = { moveId: newMoveId, rest: sleep, now: () => performance.now(), ...rules };
  }

  /** For a user whose shard is empty. `answer` is called once. */
  ask(rainId: string, shards: number, { answer, ...user }: Waiter): void {
    let isAnswered = false;
    const waiter = {
      ...user,
      answer(given: GrabAnswer) {
        if (!isAnswered) answer(given);
        isAnswered = true;
      },
    };
    const waiting = this.#waiting.get(rainId);
    if (waiting) return void waiting.push(waiter);
    this.#waiting.set(rainId, [waiter]);
    void this.#serve(rainId, shards);
  }

  /** Looks whether anything is left, and writes down that nothing is, though nobody asks. */
  verify(rainId: string, shards: number): void {
    if (this.#waiting.has(rainId)) return;
    this.#waiting.set(rainId, []);
    void this.#serve(rainId, shards);
  }

  async #serve(rainId: string, shards: number): Promise<void> {
    do {
      const waiters = this.#waiting.get(rainId)!;
      this.#waiting.set(rainId, []);
      const left = await this.#round(rainId, shards, waiters).catch((error: unknown) => {
        this.#rules.onFault(error);
        return waiters;
      });
      // An answer that was given stays.
      for (const { answer } of left) answer(BUSY);
    } while (this.#waiting.get(rainId)!.length > 0);
    this.#waiting.delete(rainId);
  }

  /** @returns waiters without an answer */
  async #round(rainId: string, shards: number, waiters: Waiter[]): Promise<Waiter[]> {
    const until = this.#rules.now() + WAIT_MS_MAX;
    let before: Look | undefined;
    for (let [left, fruitless] = [waiters, 0]; ;) {
      const look = await this.#look(rainId, shards);
      await this.#setAside(rainId, look);
      const from = richest(look);
      const sending = look.flatMap((stock) => stock?.sending ?? []);
      if (from !== undefined || sending.length > 0) {
        before = undefined;
        const waited = left.length;
        if (from !== undefined && waited > 0) left = await this.#bring(rainId, shards, from, left);
        if (from !== undefined && left.length === 0) return left;
        const delivered = from === undefined && (await this.#deliver(rainId, sending));
        if (left.length === waited && !delivered) await this.#rules.rest(REST_MS << fruitless++);
      } else if (
        look.some((stock) => !stock || stock.onTheirWay > 0) ||
        (!before && !(await this.#isDurable(rainId, shards)))
      ) {
        return left;
      } else if (before && isUnchanged(before, look)) {
        for (const { answer } of left) answer(NOTHING_LEFT);
        const loaded = look.reduce((sum, stock) => sum + stock!.loaded, 0);
        await Promise.all(
          look.map((_, shard) => writeDrained(this.#rules.redis, rainId, shard, loaded).catch(this.#rules.onFault)),
        );
        return [];
      } else {
        before = before ? undefined : look;
      }
      if (fruitless > FRUITLESS_MAX || this.#rules.now() >= until) return left;
    }
  }

  #look(rainId: string, shards: number): Promise<Look> {
    return Promise.all(
      Array.from({ length: shards }, async (_, shard) => {
        if (this.#rules.restoring(shardKeys(rainId, shard).state)) return undefined;
        return readStock(this.#rules.redis, rainId, shard, shards).catch((error: unknown) => {
          this.#rules.onFault(error);
          return undefined;
        });
      }),
    );
  }

  /** An entry that is no move would be on its way for ever; a key of another type makes its whole shard unreadable. */
  async #setAside(rainId: string, look: Look): Promise<void> {
    const foreign = look.flatMap((stock, shard) => stock?.foreign ?? [{ shard, where: 'sending' } as const]);
    if (foreign.length > 0) await setAside(this.#rules.redis, rainId, foreign).catch(this.#rules.onFault);
  }

  /**
   * A failover that brings packets back would make the finding untrue: the replicas must have it before the next look.
   */
  async #isDurable(rainId: string, shards: number): Promise<boolean> {
    const held = await Promise.all(
      Array.from({ length: shards }, (_, shard) => this.#isHeld(shardKeys(rainId, shard).state, 'state')),
    );
    return held.every(Boolean);
  }

  /**
   * Serves the shard with the most waiters from another one, or from its own, which has got packets meanwhile.
   * @returns waiters without an answer
   */
  async #bring(rainId: string, shards: number, from: number, waiters: Waiter[]): Promise<Waiter[]> {
    const to = mostWanted(waiters);
    const served = waiters.filter(({ shard }) => shard === to).slice(0, MOVE_PACKETS_MAX);
    const userIds = served.map(({ userId }) => userId);
    const move = from === to ? undefined : await this.#lend(rainId, from, to, served.length, shards);
    // Without a move the own shard is asked: it may be paused or over by now, as the other one is.
    const answers = await this.#rules.engine.grab(rainId, to, userIds, move);
    const unanswered = new Set<Waiter>();
    answers.forEach((answer, i) => {
      if (isOfOneShard(answer)) unanswered.add(served[i]!);
      else served[i]!.answer(answer);
    });
    // If all are "busy", nobody knows whether the packets have arrived: the next one who looks brings them.
    if (move && answers.some(({ code }) => code !== '-7')) await this.#noteArrived(rainId, move);
    return waiters.filter((waiter) => waiter.shard !== to || unanswered.has(waiter) || !served.includes(waiter));
  }

  /** @returns `undefined`: there is nothing to lend, or the replicas do not have the move yet */
  async #lend(rainId: string, from: number, to: number, wanted: number, shards: number): Promise<Move | undefined> {
    if (this.#rules.restoring(shardKeys(rainId, from).state)) return undefined;
    const move = await lend(this.#rules.redis, rainId, this.#rules.moveId(from, to), { wanted, parts: 2 * shards });
    return move && (await this.#isOnItsWay(rainId, move)) ? move : undefined;
  }

  /** Ends moves that others have begun. @returns whether one of them has arrived now */
  async #deliver(rainId: string, moves: readonly Move[]): Promise<boolean> {
    let arrived = false;
    for (const move of moves) {
      // Looked at again: the lender may have forgotten it meanwhile, and has its packets again.
      if ((await this.#rules.redis.hexists(shardKeys(rainId, move.from).sending, move.moveId)) === 0) continue;
      if (!(await this.#isOnItsWay(rainId, move)) || !(await receive(this.#rules.redis, rainId, move))) continue;
      await this.#noteArrived(rainId, move);
      arrived = true;
    }
    return arrived;
  }

  /** The replicas of the lender must have a move before it arrives anywhere. `false`: or it has arrived. */
  #isOnItsWay(rainId: string, { from, moveId }: Move): Promise<boolean> {
    return this.#isHeld(shardKeys(rainId, from).sending, moveId);
  }

  /** Only when the replicas of the receiver have it. */
  async #noteArrived(rainId: string, move: Move): Promise<void> {
    if (await this.#isHeld(shardKeys(rainId, move.to).received, move.moveId))
      await noteArrived(this.#rules.redis, rainId, move);
  }

  async #isHeld(key: string, field: string): Promise<boolean> {
    const [held] = await this.#rules.confirmHeld(key, [field], (entry) => typeof entry === 'string');
    return held === true;
  }
}

/** Nothing left in the shard of this user, and nobody has looked at the others. */
export function isOfOneShard(answer: GrabAnswer): answer is Refusal & { shards: number } {
  return answer.code === '-1' && answer.shards !== undefined;
}

/** The shard with the most packets, if any has one. */
function richest(look: Look): number | undefined {
  const most = Math.max(...look.map((stock) => stock?.left ?? 0));
  return most > 0 ? look.findIndex((stock) => stock?.left === most) : undefined;
}

function mostWanted(waiters: readonly Waiter[]): number {
  const counts = new Map<number, number>();
  for (const { shard } of waiters) counts.set(shard, (counts.get(shard) ?? 0) + 1);
  return [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/** Whether there was a moment between the two at which the first one was true of all shards together. */
function isUnchanged(before: Look, after: Look): boolean {
  return before.every((stock, shard) => stock?.moves === after[shard]?.moves);
}
