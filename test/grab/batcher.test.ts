import { describe, expect, test } from 'vitest';
import { Batcher } from '../../src/grab/batcher.ts';
import { decideGrabs, type GrabAnswer, type GrabEngine } from '../../src/grab/engine.ts';
import { shardOf } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';

/** An engine that only counts: batching is about when and how often it is called. */
function counting(): { engine: GrabEngine; calls: { rainId: string; shard: number; users: number }[]; release: () => void } {
  const calls: { rainId: string; shard: number; users: number }[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => { release = resolve; });
  return {
    calls, release,
    engine: {
      async grab(rainId, shard, userIds) {
        calls.push({ rainId, shard, users: userIds.length });
        await gate;
        return userIds.map((): GrabAnswer => ({ code: '-1' }));
      },
    },
  };
}

describe('Batcher', () => {
  test('grabs of one turn of the event loop are sent as one call per rain, at most 512 users each', async () => {
    const { engine, calls, release } = counting();
    const answered: string[] = [];
    const batcher = new Batcher(decideGrabs(engine), ({ userId }) => answered.push(userId), 10_000);
    for (let i = 0; i < 1_100; i++) batcher.add('r1', 1, { userId: `u${i}` });
    batcher.add('r2', 1, { userId: 'ann' });
    release();
    await eventually(() => answered.length === 1_101);
    expect(calls.map(({ rainId, users }) => [rainId, users]).sort()).toEqual([['r1', 512], ['r1', 512], ['r1', 76], ['r2', 1]].sort());
    expect(batcher.pending).toBe(0);
  });

  test('each answer is delivered with its shard', async () => {
    const { engine, calls, release } = counting();
    const answered: [string, number][] = [];
    const batcher = new Batcher(decideGrabs(engine), ({ userId }, _rainId, _answer, shard) => answered.push([userId, shard]), 3);
    release();
    for (const userId of ['ann', 'bob', 'eve', 'too many']) batcher.add('r1', 64, { userId });
    await eventually(() => answered.length === 4);
    expect(new Set(answered.map(([, shard]) => shard)).size).toBeGreaterThan(1);
    expect(answered).toEqual(expect.arrayContaining(['ann', 'bob', 'eve', 'too many'].map((userId) => [userId, shardOf(userId, 64)])));
    expect(new Set(calls.map(({ shard }) => shard))).toEqual(new Set(['ann', 'bob', 'eve'].map((userId) => shardOf(userId, 64))));
  });

  test('a single grab does not wait for others', async () => {
    const { engine, calls } = counting();
    new Batcher(decideGrabs(engine), () => {}, 10).add('r1', 1, { userId: 'ann' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toHaveLength(1);
  });

  test('[R10] when too many wait, the next is answered "busy" at once, and answers free their places', async () => {
    const { engine, release } = counting();
    const answered: [string, string][] = [];
    const batcher = new Batcher(decideGrabs(engine), ({ userId }, _, { code }) => answered.push([userId, code]), 2);
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
    const batcher = new Batcher(decideGrabs(engine), ({ userId }, _, { code }) => answered.push([userId, code]), 2);
    expect([batcher.hold(), batcher.hold(), batcher.hold(), batcher.pending, batcher.full]).toEqual([true, true, false, 2, true]);
    batcher.add('r1', 1, { userId: 'eve' });
    expect(answered).toEqual([['eve', '-7']]);
    for (const userId of ['ann', 'bob']) batcher.addHeld('r1', 1, { userId });
    expect([batcher.pending, answered.length]).toEqual([2, 1]);
    release();
    await eventually(() => answered.length === 3);
    expect([answered.slice(1), batcher.pending]).toEqual([[['ann', '-1'], ['bob', '-1']], 0]);
  });
});
