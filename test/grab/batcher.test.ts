import { describe, expect, test } from 'vitest';
import { Batcher, LARGE_BATCH_USERS } from '../../src/grab/batcher.ts';
import { decideGrabs, type GrabAnswer, type GrabEngine } from '../../src/grab/engine.ts';
import { shardOf } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';

/** An engine that only counts: batching is about when and how often it is called. */
function counting(): {
  engine: GrabEngine;
  calls: { rainId: string; shard: number; users: number }[];
  release: () => void;
} {
  const calls: { rainId: string; shard: number; users: number }[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    calls,
    release,
    engine: {
      async grab(rainId, shard, userIds) {
        calls.push({ rainId, shard, users: userIds.length });
        await gate;
        return userIds.map((): GrabAnswer => ({ code: '-1' }));
      },
    },
  };
}

const pendingAtMost = (grabsPendingMax: number) => ({ grabsPendingMax, grabBehindMsMax: 50 });

describe('Batcher', () => {
  test('grabs of one turn of the event loop are sent as one call per rain, at most 512 users each', async () => {
    const { engine, calls, release } = counting();
    const answered: string[] = [];
    const batcher = new Batcher(decideGrabs(engine), ({ userId }) => answered.push(userId), pendingAtMost(10_000));
    for (let i = 0; i < 1_100; i++) batcher.add('r1', 1, { userId: `u${i}` });
    batcher.add('r2', 1, { userId: 'ann' });
    release();
    await eventually(() => answered.length === 1_101);
    expect(calls.map(({ rainId, users }) => [rainId, users]).sort()).toEqual(
      [
        ['r1', 512],
        ['r1', 512],
        ['r1', 76],
        ['r2', 1],
      ].sort(),
    );
    expect(batcher.pending).toBe(0);
  });

  test('each answer is delivered with its shard', async () => {
    const { engine, calls, release } = counting();
    const answered: [string, number][] = [];
    const batcher = new Batcher(
      decideGrabs(engine),
      ({ userId }, _rainId, _answer, shard) => answered.push([userId, shard]),
      pendingAtMost(3),
    );
    release();
    for (const userId of ['ann', 'bob', 'eve', 'too many']) batcher.add('r1', 64, { userId });
    await eventually(() => answered.length === 4);
    expect(new Set(answered.map(([, shard]) => shard)).size).toBeGreaterThan(1);
    expect(answered).toEqual(
      expect.arrayContaining(['ann', 'bob', 'eve', 'too many'].map((userId) => [userId, shardOf(userId, 64)])),
    );
    expect(new Set(calls.map(({ shard }) => shard))).toEqual(
      new Set(['ann', 'bob', 'eve'].map((userId) => shardOf(userId, 64))),
    );
  });

  test('a single grab does not wait for others', async () => {
    const { engine, calls } = counting();
    new Batcher(decideGrabs(engine), () => {}, pendingAtMost(10)).add('r1', 1, { userId: 'ann' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toHaveLength(1);
  });

  describe('behind a call that is under way', () => {
    /** Calls are answered one by one; the clock and its timers go by hand. */
    function behind(grabBehindMsMax = 50) {
      const calls: { name: string; users: string[]; answer: () => void }[] = [];
      const timers: { at: number; callback: () => void }[] = [];
      let ms = 0;
      const batcher = new Batcher<{ userId: string }, { code: string }>(
        {
          decide: (id, shard, pending) =>
            new Promise((resolve) => {
              calls.push({
                name: `${id}/${shard}`,
                users: pending.map(({ userId }) => userId),
                answer: () => resolve(pending.map(() => ({ code: '-1' }))),
              });
            }),
          busy: { code: '-7' },
        },
        () => {},
        { grabsPendingMax: 10_000, grabBehindMsMax },
        () => {},
        {
          now: () => ms,
          after(callback, inMs) {
            timers.push({ at: ms + inMs, callback });
            return setTimeout(() => {}, 0).unref();
          },
        },
      );
      const turn = () => new Promise((resolve) => setImmediate(resolve));
      return {
        calls,
        turn,
        async ask(...users: string[]) {
          for (const userId of users) batcher.add('r1', 1, { userId });
          await turn();
        },
        batcher,
        async at(newMs: number) {
          ms = newMs;
          for (const { callback } of timers.splice(0).filter(({ at }) => at <= ms)) callback();
          await turn();
        },
      };
    }
    const users = (count: number) => Array.from({ length: count }, (_, i) => `u${i}`);

    test('a small batch waits for the answer, and takes along who comes meanwhile', async () => {
      const { calls, ask, turn } = behind();
      await ask('ann');
      await ask('bob');
      await ask('eve', 'kim');
      expect(calls.map((call) => call.users)).toEqual([['ann']]);
      calls[0]!.answer();
      await turn();
      await turn();
      expect(calls.map((call) => call.users)).toEqual([['ann'], ['bob', 'eve', 'kim']]);
    });

    test('a large one is sent at the end of the turn in which it has become large', async () => {
      const { calls, ask } = behind();
      await ask('ann');
      await ask(...users(LARGE_BATCH_USERS - 1));
      expect(calls).toHaveLength(1);
      await ask('bob');
      expect(calls.map((call) => call.users.length)).toEqual([1, LARGE_BATCH_USERS]);
    });

    test('a small batch waits behind the last of several calls', async () => {
      const { calls, ask, turn } = behind();
      await ask('ann');
      await ask(...users(LARGE_BATCH_USERS));
      await ask('bob');
      calls[0]!.answer();
      await turn();
      await turn();
      expect(calls).toHaveLength(2);
      calls[1]!.answer();
      await turn();
      await turn();
      expect(calls.at(-1)!.users).toEqual(['bob']);
    });

    test('a call that hangs holds nobody up for longer than `grabBehindMsMax`', async () => {
      const { calls, ask, at } = behind(50);
      await ask('ann');
      await at(10);
      await ask('bob');
      await at(59);
      await ask('eve');
      expect(calls).toHaveLength(1);
      await at(60);
      expect(calls.map((call) => call.users)).toEqual([['ann'], ['bob', 'eve']]);
    });

    test('other shards and rains wait for nothing', async () => {
      const { calls, ask, batcher, turn } = behind();
      await ask('ann');
      batcher.add('r2', 1, { userId: 'bob' });
      const elsewhere = users(100).find((userId) => shardOf(userId, 2) === 1)!;
      batcher.add('r1', 2, { userId: elsewhere });
      await turn();
      expect(calls.map(({ name }) => name).sort()).toEqual(['r1/0', 'r1/1', 'r2/0']);
    });
  });

  test('[R10] when too many wait, the next is answered "busy" at once, and answers free their places', async () => {
    const { engine, release } = counting();
    const answered: [string, string][] = [];
    const batcher = new Batcher(
      decideGrabs(engine),
      ({ userId }, _, { code }) => answered.push([userId, code]),
      pendingAtMost(2),
    );
    for (const userId of ['ann', 'bob', 'eve']) batcher.add('r1', 1, { userId });
    expect(answered).toEqual([['eve', '-7']]);
    release();
    await eventually(() => answered.length === 3);
    batcher.add('r1', 1, { userId: 'eve' });
    await eventually(() => answered.length === 4);
    expect(answered.at(-1)).toEqual(['eve', '-1']);
  });

  test('[R10] a held grab counts as pending all the time, and its place is kept', async () => {
    const { engine, release } = counting();
    const answered: [string, string][] = [];
    const batcher = new Batcher(
      decideGrabs(engine),
      ({ userId }, _, { code }) => answered.push([userId, code]),
      pendingAtMost(2),
    );
    expect([batcher.hold(), batcher.hold(), batcher.hold(), batcher.pending, batcher.full]).toEqual([
      true,
      true,
      false,
      2,
      true,
    ]);
    batcher.add('r1', 1, { userId: 'eve' });
    expect(answered).toEqual([['eve', '-7']]);
    for (const userId of ['ann', 'bob']) batcher.addHeld('r1', 1, { userId });
    expect([batcher.pending, answered.length]).toEqual([2, 1]);
    release();
    await eventually(() => answered.length === 3);
    expect([answered.slice(1), batcher.pending]).toEqual([
      [
        ['ann', '-1'],
        ['bob', '-1'],
      ],
      0,
    ]);
  });
});
