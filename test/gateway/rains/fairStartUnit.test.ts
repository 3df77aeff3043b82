import { beforeEach, describe, expect, test, vi } from 'vitest';
import { chance, SEED, stage } from './fairStartServers.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  return () => vi.useRealTimers();
});

describe('the first moment of a rain', () => {
  test('what comes in it is gathered, and goes to Redis when it is over, a part at a time; then all is as ever', async () => {
    const { hear, grab, until, asked, batcher, fairStart } = stage();
    hear('r', 'loaded', 5_000);
    await until(5_000);
    for (let i = 0; i < 50; i++) grab('r', `at-0-${i}`);
    await until(5_099);
    for (let i = 0; i < 50; i++) grab('r', `at-99-${i}`);
    expect(asked).toEqual([]);
    expect(batcher.pending).toBe(100);
    await until(5_120);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.length).toBeLessThan(60);
    await until(5_152);
    expect(asked).toHaveLength(100);
    expect([batcher.pending, fairStart.near, vi.getTimerCount()]).toEqual([0, 0, 0]);
    expect(grab('r', 'later')).toBe(false);
  });

  test('far from an opening nothing is looked at', async () => {
    const { hear, grab, until, fairStart } = stage();
    hear('r', 'loaded', 10_000_000);
    await until(9_998_900);
    expect([fairStart.near, grab('r', 'ann')]).toEqual([0, false]);
    await until(9_999_001);
    expect(fairStart.near).toBe(1);
    expect(grab('other', 'ann')).toBe(false);
  });

  test('[R1] a user\'s further grabs in it are no further lots: they are decided right behind his first, and each is answered', async () => {
    const { hear, grab, until, asked, told, batcher } = stage({ chance: chance('again') });
    hear('r', 'loaded', 1_000);
    await until(1_001);
    for (const ref of ['a', 'b', 'c']) {
      grab('r', 'ann', ref);
      grab('r', `user-${ref}`);
    }
    await until(1_200);
    const users = asked.map(([, user]) => user);
    expect(users.slice(users.indexOf('ann'), users.indexOf('ann') + 3)).toEqual(['ann', 'ann', 'ann']);
    expect(told.map(([who]) => who).sort()).toEqual(['a', 'b', 'c', 'user-a', 'user-b', 'user-c']);
    expect(told.map(([who]) => who).filter((who) => who.length === 1)).toEqual(['a', 'b', 'c']);
    expect(batcher.pending).toBe(0);
  });

  test('[R7] who comes too early is told so and gains nothing, though it were by a millisecond', async () => {
    const { hear, grab, until, asked, told } = stage();
    hear('r', 'loaded', 3_000);
    // On its way to Redis it would meet the opening.
    for (const ms of [2_001, 2_900, 2_999]) {
      await until(ms);
      hear('r', 'loaded', 3_000);
      expect(grab('r', `at-${ms}`)).toBe(true);
      expect(told.at(-1)).toEqual([`at-${ms}`, '-2']);
    }
    await until(3_300);
    expect(asked).toEqual([]);
  });

  test('who may have come too early or not, since the clock is not known better, is gathered', async () => {
    const { hear, grab, until, told, asked } = stage({ clockErrorMs: 5 });
    hear('r', 'loaded', 1_000);
    await until(994);
    grab('r', 'early');
    await until(996);
    grab('r', 'perhaps');
    await until(1_200);
    expect(told).toEqual([['early', '-2'], ['perhaps', '-1']]);
    expect(asked).toHaveLength(1);
  });

  test('[R6] of a rain in which somebody has won before its start was moved, and of one that was not read lately, Redis is asked', async () => {
    const { hear, grab, until, asked } = stage();
    hear('won', 'loaded', 5_000, 1);
    hear('stale', 'loaded', 5_000);
    await until(4_900);
    for (const rainId of ['won', 'stale']) expect(grab(rainId, rainId)).toBe(false);
    await until(4_901);
    expect(asked.map(([, user]) => user)).toEqual(['won', 'stale']);
  });

  test('[R10] what is gathered counts among the pending: one too many is told "busy" at once, and all who were taken are decided', async () => {
    const { hear, grab, until, told, asked, batcher } = stage({ pendingMax: 3 });
    hear('r', 'loaded', 1_000);
    await until(1_000);
    for (const user of ['a', 'b', 'b', 'c']) grab('r', user);
    expect([told, batcher.pending]).toEqual([[['c', '-7']], 3]);
    await until(1_200);
    expect(asked).toHaveLength(3);
    expect(batcher.pending).toBe(0);
  });

  test('0 ms: nothing is gathered, nobody is turned away, and nothing is kept in mind', async () => {
    const { hear, grab, until, fairStart } = stage({ fairStartMs: 0 });
    hear('r', 'loaded', 1_000);
    for (const ms of [999, 1_000, 1_001]) {
      await until(ms);
      expect([fairStart.near, grab('r', `at-${ms}`)]).toEqual([0, false]);
    }
    expect(vi.getTimerCount()).toBe(1); // the batcher's own flush
  });
});

describe('what an operator does meanwhile', () => {
  test('a rain that is resumed after its opening is not gathered; one that was paused and resumed before it is', async () => {
    const { hear, grab, until, asked } = stage();
    for (const rainId of ['in', 'before']) hear(rainId, 'loaded', 2_000);
    await until(1_500);
    hear('before', 'paused', 2_000);
    await until(1_600);
    expect(grab('before', 'while paused')).toBe(false);
    hear('before', 'loaded', 2_000);
    await until(2_010);
    grab('in', 'held');
    expect(asked.map(([, user]) => user)).toEqual(['while paused']);
    hear('in', 'paused', 2_000);
    await until(2_011);
    expect(asked.at(-1)![1], 'a pause tells those who are gathered').toBe('held');
    hear('in', 'open', 2_000);
    hear('in', 'open', 2_000);
    expect([grab('in', 'ann'), grab('before', 'bob')]).toEqual([false, true]);
  });

  test('a start that is moved: gathered is from the new one on, whether it comes earlier, at once or later', async () => {
    const { hear, grab, until, asked, told } = stage();
    for (const rainId of ['now', 'later', 'new']) hear(rainId, 'loaded', rainId === 'now' ? 60_000 : 1_000);
    await until(1_020);
    grab('later', 'not yet');
    expect(asked).toEqual([]);
    hear('later', 'loaded', 3_000);
    hear('now', 'open', 1_015);
    hear('unheard of', 'open', 1_010);
    for (const rainId of ['now', 'unheard of']) expect(grab(rainId, rainId)).toBe(true);
    await until(1_021);
    expect(asked.map(([, user]) => user), 'Redis tells him').toEqual(['not yet']);
    await until(1_200);
    expect(asked.map(([, user]) => user).sort()).toEqual(['not yet', 'now', 'unheard of']);
    await until(2_900);
    hear('later', 'loaded', 3_000);
    grab('later', 'early');
    await until(3_000);
    expect([told.at(-1), grab('later', 'ann')]).toEqual([['early', '-2'], true]);
  });

  test('a rain that is closed, or gone from Redis, lets everybody go at once and is forgotten', async () => {
    const { hear, grab, until, asked, readings, fairStart } = stage();
    hear('closed', 'loaded', 1_000);
    hear('gone', 'loaded', 1_000);
    hear('gone ahead', 'loaded', 900_000);
    await until(1_010);
    for (const rainId of ['closed', 'gone']) grab(rainId, rainId);
    hear('closed', 'closed', 1_000);
    await until(1_011);
    expect(asked.map(([, user]) => user)).toEqual(['closed']);
    readings.clear();
    await until(1_101);
    expect(asked.map(([, user]) => user)).toEqual(['closed', 'gone']);
    expect([fairStart.near, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

test('[R10] a clock that goes back while grabs are gathered keeps nobody waiting: Redis tells them', async () => {
  let shiftMs = 0;
  const { hear, grab, until, asked, batcher, fairStart } = stage({ shift: () => shiftMs });
  hear('r', 'loaded', 5_000);
  await until(5_010);
  grab('r', 'ann');
  shiftMs = -3_600_000;
  await vi.advanceTimersByTimeAsync(200);
  expect(asked.map(([, user]) => user)).toEqual(['ann']);
  expect([batcher.pending, fairStart.near]).toEqual([0, 0]);
});

test(`between gateways, too: neither a crowd nor a clock that is ahead decides who wins (FAIR_SEED ${SEED.slice(0, 8)})`, async () => {
  const [starts, packets] = [1_500, 5];
  const random = chance('gateways');
  const gateways = [stage({ chance: random, aheadMs: 1 }), stage({ chance: random })];
  const users = [5, 45];
  const wins = [0, 0];
  for (let start = 0; start < starts; start++) {
    const opensAt = 1_000 * (start + 1);
    for (const { hear } of gateways) hear(`rain-${start}`, 'loaded', opensAt);
    await gateways[1]!.until(opensAt + 1);
    gateways.forEach(({ grab }, g) => { for (let i = 0; i < users[g]!; i++) expect(grab(`rain-${start}`, `user-${g}-${i}`)).toBe(true); });
    await gateways[1]!.until(opensAt + 200);
    // The one Redis they share decides in the order in which it is asked; both look at the same clock there.
    const order = gateways.flatMap(({ asked }, g) => asked.splice(0).map(([at]) => ({ at: at - (g === 0 ? 1 : 0), g, tie: random(1_000) })));
    expect(order).toHaveLength(50);
    for (const { g } of order.sort((a, b) => a.at - b.at || a.tie - b.tie).slice(0, packets)) wins[g]!++;
  }
  // One user in ten is at the first gateway, and 750 of 7,500 packets would be theirs; its clock may gain them a little.
  expect(wins[0]! / (starts * packets)).toBeGreaterThan(0.08);
  expect(wins[0]! / (starts * packets)).toBeLessThan(0.14);
}, 120_000);
