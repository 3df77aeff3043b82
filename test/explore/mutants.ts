import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { readMoveId } from '../../src/store/moves.ts';
import { SCRIPTS } from '../../src/store/scripts.ts';

/** A script call that a mutant may change. */
export interface Call {
  name: string;
  keys: string[];
  args: string[];
  /** Carries it out as it is, as one step. */
  real: () => Promise<unknown>;
  /** Carries out something else, as one step of its own. */
  step: <T>(what: string, shard: number, act: () => Promise<T>) => Promise<T>;
}

/** A gateway with a defect. An explorer that does not find it proves nothing about gateways without it. */
export interface Mutant {
  name: string;
  /** Once for each gateway. */
  open(rainId: string, redis: RedisClient): (call: Call) => Promise<unknown>;
}

/** It reads the lists, and not what has left one and not arrived in another. */
const forgetsWhatIsOnItsWay: Mutant = {
  name: 'forgets_what_is_on_its_way',
  open:
    () =>
    async ({ name, real }) => {
      const reply = await real();
      return name === 'remaining' && Array.isArray(reply) ? [...reply.slice(0, 3), 0] : reply;
    },
};

/** Its second look at a shard is the first one again. */
const collectsOnce: Mutant = {
  name: 'collects_once',
  open() {
    const first = new Map<string, unknown>();
    return async ({ name, keys, real }) => {
      const key = keys[0]!;
      if (name !== 'remaining') return real();
      const again = first.get(key);
      if (again) first.delete(key);
      else first.set(key, await real());
      return again ?? first.get(key);
    };
  },
};

/** It notes that a move has arrived, and then brings it. */
const acksBeforeReceive: Mutant = {
  name: 'acks_before_receive',
  open:
    (rainId, redis) =>
    async ({ name, args, real, step }) => {
      if (name !== 'receive') return real();
      const { from } = readMoveId(args[0]!)!;
      const { sending, lent } = shardKeys(rainId, from);
      await step('arrived', from, () => redis.evalsha(SCRIPTS.get('arrived')!.sha, 2, sending, lent, args[0]!));
      return real();
    },
};

/** It takes a move in that has arrived before. */
const receivesTwice: Mutant = {
  name: 'receives_twice',
  open(_rainId, redis) {
    const { source } = SCRIPTS.get('receive')!;
    const mutated = source.replace("if redis.call('HEXISTS', KEYS[7], move) == 0 then", 'if true then');
    if (mutated === source) throw new Error('lua/receive.lua has no such check: this mutant changes nothing');
    return ({ name, keys, args, real, step }) =>
      name === 'receive'
        ? step('receive', readMoveId(args[0]!)!.to, () => redis.eval(mutated, keys.length, ...keys, ...args))
        : real();
  },
};

export const MUTANTS: readonly Mutant[] = [forgetsWhatIsOnItsWay, collectsOnce, acksBeforeReceive, receivesTwice];
