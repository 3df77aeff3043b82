import { beforeEach, describe, expect, test, vi } from 'vitest';
import { chance, SEED, stage } from './fairStartServers.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  return () => vi.useRealTimers();
});

describe('the first moment of a rain', () => {
  test('grabs are gathered, then passed to Redis step by step; afterwards all is as usual', async () => {
    const { change, grab, until, sentToRedis, batcher, fairStart } = stage();
    change('r', 'loaded', 5_000);
    await until(5_000);
    for (let i = 0; i < 50; i++) grab('r', `at-0-${i}`);
    await until(5_099);
    for (let i = 0; i < 50; i++) grab('r', `at-99-${i}`);
    expect(sentToRedis).toEqual([]);
    expect(batcher.pending).toBe(100);
    await until(5_120);
    expect(sentToRedis.length).toBeGreaterThan(20);
    expect(sentToRedis.length).toBeLessThan(60);
    await until(5_152);
    expect(sentToRedis).toHaveLength(100);
    expect([batcher.pending, fairStart.near, vi.getTimerCount()]).toEqual([0, 0, 0]);
    expect(grab('r', 'later')).toBe(false);
  });

  test('far from an opening grabs are not touched', async () => {
    const { change, grab, until, fairStart } = stage();
    change('r', 'loaded', 10_000_000);
    await until(9_998_900);
    expect([fairStart.near, grab('r', 'ann')]).toEqual([0, false]);
    await until(9_999_001);
    expect(fairStart.near).toBe(1);
    expect(grab('other', 'ann')).toBe(false);
  });

  test('[R1] further grabs of a user are no further lots: they are decided right after the first, and each is answered', async () => {
    const { change, grab, until, sentToRedis, answered, batcher } = stage({ chance: chance('again') });
    change('r', 'loaded', 1_000);
    await until(1_001);
    for (const ref of ['a', 'b', 'c']) {
      grab('r', 'ann', ref);
      grab('r', `user-${ref}`);
    }
    await until(1_200);
    const users = sentToRedis.map(([, user]) => user);
    expect(users.slice(users.indexOf('ann'), users.indexOf('ann') + 3)).toEqual(['ann', 'ann', 'ann']);
    expect(answered.map(([who]) => who).sort()).toEqual(['a', 'b', 'c', 'user-a', 'user-b', 'user-c']);
    expect(answered.map(([who]) => who).filter((who) => who.length === 1)).toEqual(['a', 'b', 'c']);
    expect(batcher.pending).toBe(0);
  });

  test('[R7] a grab that is too early, even by a millisecond, is refused and gains nothing', async () => {
    const { change, grab, until, sentToRedis, answered } = stage();
    change('r', 'loaded', 3_000);
    // The rain would open while the grab is on its way to Redis.
    for (const ms of [2_001, 2_900, 2_999]) {
      await until(ms);
      change('r', 'loaded', 3_000);
      expect(grab('r', `at-${ms}`)).toBe(true);
      expect(answered.at(-1)).toEqual([`at-${ms}`, '-2']);
    }
    await until(3_300);
    expect(sentToRedis).toEqual([]);
  });

  test('a grab that may be too early, within the clock error, is gathered', async () => {
    const { change, grab, until, answered, sentToRedis } = stage({ clockErrorMs: 5 });
    change('r', 'loaded', 1_000);
    await until(994);
    grab('r', 'early');
    await until(996);
    grab('r', 'perhaps');
    await until(1_200);
    expect(answered).toEqual([
      ['early', '-2'],
      ['perhaps', '-1'],
    ]);
    expect(sentToRedis).toHaveLength(1);
  });

  test('[R6] Redis is asked if somebody won before the start was moved, or if the snapshot is old', async () => {
    const { change, grab, until, sentToRedis } = stage();
    change('won', 'loaded', 5_000, 1);
    change('stale', 'loaded', 5_000);
    await until(4_900);
    for (const rainId of ['won', 'stale']) expect(grab(rainId, rainId)).toBe(false);
    await until(4_901);
    expect(sentToRedis.map(([, user]) => user)).toEqual(['won', 'stale']);
  });

  test('[R10] gathered grabs count as pending: one too many is answered "busy" at once, and all accepted ones are decided', async () => {
    const { change, grab, until, answered, sentToRedis, batcher } = stage({ pendingMax: 3 });
    change('r', 'loaded', 1_000);
    await until(1_000);
    for (const user of ['a', 'b', 'b', 'c']) grab('r', user);
    expect([answered, batcher.pending]).toEqual([[['c', '-7']], 3]);
    await until(1_200);
    expect(sentToRedis).toHaveLength(3);
    expect(batcher.pending).toBe(0);
  });

  test('0 ms: nothing is gathered, nothing is refused, and no state is kept', async () => {
    const { change, grab, until, fairStart } = stage({ fairStartMs: 0 });
    change('r', 'loaded', 1_000);
    for (const ms of [999, 1_000, 1_001]) {
      await until(ms);
      expect([fairStart.near, grab('r', `at-${ms}`)]).toEqual([0, false]);
    }
    expect(vi.getTimerCount()).toBe(1); // the batcher's own flush
  });
});

describe('changes by the operator meanwhile', () => {
  test('a rain resumed after its opening is not gathered; one paused and resumed before it is', async () => {
    const { change, grab, until, sentToRedis } = stage();
    for (const rainId of ['in', 'before']) change(rainId, 'loaded', 2_000);
    await until(1_500);
    change('before', 'paused', 2_000);
    await until(1_600);
    expect(grab('before', 'while paused')).toBe(false);
    change('before', 'loaded', 2_000);
    await until(2_010);
    grab('in', 'held');
    expect(sentToRedis.map(([, user]) => user)).toEqual(['while paused']);
    change('in', 'paused', 2_000);
    await until(2_011);
    expect(sentToRedis.at(-1)![1], 'a pause passes the gathered grabs on').toBe('held');
    change('in', 'open', 2_000);
    change('in', 'open', 2_000);
    expect([grab('in', 'ann'), grab('before', 'bob')]).toEqual([false, true]);
  });

  test('a moved start: grabs are gathered from the new one, whether it is earlier, now or later', async () => {
    const { change, grab, until, sentToRedis, answered } = stage();
    for (const rainId of ['now', 'later', 'new']) change(rainId, 'loaded', rainId === 'now' ? 60_000 : 1_000);
    await until(1_020);
    grab('later', 'not yet');
    expect(sentToRedis).toEqual([]);
    change('later', 'loaded', 3_000);
    change('now', 'open', 1_015);
    change('unknown', 'open', 1_010);
    for (const rainId of ['now', 'unknown']) expect(grab(rainId, rainId)).toBe(true);
    await until(1_021);
    expect(
      sentToRedis.map(([, user]) => user),
      'Redis answers this user',
    ).toEqual(['not yet']);
    await until(1_200);
    expect(sentToRedis.map(([, user]) => user).sort()).toEqual(['not yet', 'now', 'unknown']);
    await until(2_900);
    change('later', 'loaded', 3_000);
    grab('later', 'early');
    await until(3_000);
    expect([answered.at(-1), grab('later', 'ann')]).toEqual([['early', '-2'], true]);
  });

  test('a rain that is closed, or gone from Redis, passes all grabs on at once and is dropped', async () => {
    const { change, grab, until, sentToRedis, readings, fairStart } = stage();
    change('closed', 'loaded', 1_000);
    change('gone', 'loaded', 1_000);
    change('gone ahead', 'loaded', 900_000);
    await until(1_010);
    for (const rainId of ['closed', 'gone']) grab(rainId, rainId);
    change('closed', 'closed', 1_000);
    await until(1_011);
    expect(sentToRedis.map(([, user]) => user)).toEqual(['closed']);
    readings.clear();
    await until(1_101);
    expect(sentToRedis.map(([, user]) => user)).toEqual(['closed', 'gone']);
    expect([fairStart.near, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

test('[R10] a clock that is set back during the gathering keeps nobody waiting: Redis answers', async () => {
  let shiftMs = 0;
  const { change, grab, until, sentToRedis, batcher, fairStart } = stage({ shift: () => shiftMs });
  change('r', 'loaded', 5_000);
  await until(5_010);
  grab('r', 'ann');
  shiftMs = -3_600_000;
  await vi.advanceTimersByTimeAsync(200);
  expect(sentToRedis.map(([, user]) => user)).toEqual(['ann']);
  expect([batcher.pending, fairStart.near]).toEqual([0, 0]);
});

test(`across gateways, neither the number of users nor a fast clock decides who wins (FAIR_SEED ${SEED.slice(0, 8)})`, async () => {
  const [starts, packets] = [1_500, 5];
  const random = chance('gateways');
  const gateways = [stage({ chance: random, aheadMs: 1 }), stage({ chance: random })];
  const users = [5, 45];
  const wins = [0, 0];
  for (let start = 0; start < starts; start++) {
    const opensAt = 1_000 * (start + 1);
    for (const { change } of gateways) change(`rain-${start}`, 'loaded', opensAt);
    await gateways[1]!.until(opensAt + 1);
    gateways.forEach(({ grab }, g) => {
      for (let i = 0; i < users[g]!; i++) expect(grab(`rain-${start}`, `user-${g}-${i}`)).toBe(true);
    });
    await gateways[1]!.until(opensAt + 200);
    // The one Redis they share decides in the order in which grabs arrive; both look at the same clock there.
    const order = gateways.flatMap(({ sentToRedis }, g) =>
      sentToRedis.splice(0).map(([at]) => ({ at: at - (g === 0 ? 1 : 0), g, tie: random(1_000) })),
    );
    expect(order).toHaveLength(50);
    for (const { g } of order.sort((a, b) => a.at - b.at || a.tie - b.tie).slice(0, packets)) wins[g]!++;
  }
  // One user in ten is at the first gateway, and 750 of 7,500 packets would be theirs; its clock may gain them a
  // little.
  expect(wins[0]! / (starts * packets)).toBeGreaterThan(0.08);
  expect(wins[0]! / (starts * packets)).toBeLessThan(0.14);
}, 120_000);
