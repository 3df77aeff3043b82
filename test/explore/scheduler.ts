import { setImmediate as turn } from 'node:timers/promises';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { shardKeys, SHARDS_MAX } from '../../src/store/keys.ts';
import type { Call } from './mutants.ts';

/** One process that talks to Redis. A dead one never gets an answer again. */
export interface Actor {
  name: string;
  alive: boolean;
}

/** A command that an actor has given and that has not been carried out. */
export interface Step {
  actor: Actor;
  /** The name of the script, `hmget`, `confirm` or `rest`. */
  what: string;
  /** Absent for a rest. */
  shard?: number;
  act: () => Promise<unknown>;
  answer: (value: unknown) => void;
  fail: (error: Error) => void;
}

/** The fate of a step, which need not be carried out. */
export type Fate = 'answered' | 'reply_lost' | 'not_sent' | 'dies_before' | 'dies_after';

/** Holds back every command of every actor until it is chosen, so that one seed is one order of everything. */
export class Scheduler {
  readonly #pending: Step[] = [];

  /** The commands that wait, of living actors. */
  get pending(): readonly Step[] {
    return this.#pending.filter(({ actor }) => actor.alive);
  }

  command<T>(actor: Actor, what: string, shard: number | undefined, act: () => Promise<T>): Promise<T> {
    return new Promise<T>((answer, fail) => {
      this.#pending.push({
        actor,
        what,
        ...(shard !== undefined && { shard }),
        act,
        answer: answer as (value: unknown) => void,
        fail,
      });
    });
  }

  /** Carries out one of the pending steps, and waits until nobody can go on without another. */
  async carryOut(step: Step, fate: Fate): Promise<void> {
    this.#pending.splice(this.#pending.indexOf(step), 1);
    if (fate === 'dies_before') step.actor.alive = false;
    else if (fate === 'not_sent') step.fail(new Error('not sent'));
    else await this.#act(step, fate);
    await turn();
  }

  async #act({ act, actor, answer, fail }: Step, fate: Fate): Promise<void> {
    const result = await act().then(
      (value) => ({ value }),
      (error: unknown) => ({ error: error as Error }),
    );
    if (fate === 'dies_after') actor.alive = false;
    else if (fate === 'reply_lost') fail(new Error('the reply was lost'));
    else if ('error' in result) fail(result.error);
    else answer(result.value);
  }
}

/** The shard that a key is of. */
export function shardOfKey(key: string): number {
  const shard = LABELS.indexOf(labelOf(key));
  if (shard === -1) throw new Error(`the key of no shard: ${key}`);
  return shard;
}

const labelOf = (key: string) => /\/(.)\}/.exec(key)?.[1];
const LABELS = Array.from({ length: SHARDS_MAX }, (_, shard) => labelOf(shardKeys('any', shard).state));

/** A connection of one actor, as far as the path of a grab needs one. */
export function scheduledRedis(
  scheduler: Scheduler,
  actor: Actor,
  redis: RedisClient,
  scripts: ReadonlyMap<string, string>,
  change?: (call: Call) => Promise<unknown>,
): RedisClient {
  const evalsha = (sha: string, keyCount: number, ...words: (string | number)[]) => {
    const name = scripts.get(sha)!;
    const keys = words.slice(0, keyCount).map(String);
    const args = words.slice(keyCount).map(String);
    const real = () =>
      scheduler.command(actor, name, shardOfKey(keys[0]!), () => redis.evalsha(sha, keyCount, ...words));
    const step = <T>(what: string, shard: number, act: () => Promise<T>) => scheduler.command(actor, what, shard, act);
    return change ? change({ name, keys, args, real, step }) : real();
  };
  const hmget = (key: string, ...fields: string[]) =>
    scheduler.command(actor, 'hmget', shardOfKey(key), () => redis.hmget(key, ...fields));
  const hexists = (key: string, field: string) =>
    scheduler.command(actor, 'hexists', shardOfKey(key), () => redis.hexists(key, field));
  return { evalsha, hmget, hexists } as unknown as RedisClient;
}
