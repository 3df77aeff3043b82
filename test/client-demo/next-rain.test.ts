import { expect, test } from 'vitest';
import { NextRain } from '../../client-demo/src/next-rain.ts';

const NOW = 1_900_000_000_000;
const MINUTE = 60_000;
const rain = (rainId: string, opensInMs: number, state: 'loaded' | 'open' | 'closed' = 'loaded') => ({
  rainId,
  title: rainId,
  state,
  opensAt: NOW + opensInMs,
  closesAt: NOW + opensInMs + 10 * MINUTE,
});

test('offers the earliest other rain that is not over', () => {
  const nextRain = new NextRain(() => 0);
  expect(nextRain.offer('this', NOW)).toBeUndefined();
  for (const other of [
    rain('this', -MINUTE, 'open'),
    rain('later', 9 * MINUTE),
    rain('next', MINUTE),
    rain('past', -20 * MINUTE),
  ])
    nextRain.update(other);
  expect(nextRain.offer('this', NOW)).toEqual({ rainId: 'next', title: 'next', opensAt: NOW + MINUTE, open: false });
  expect(nextRain.offer('this', NOW + MINUTE)).toMatchObject({ rainId: 'next', open: true });
  nextRain.update(rain('next', MINUTE, 'closed'));
  expect(nextRain.offer('this', NOW)).toMatchObject({ rainId: 'later' });
});

test('a rain seen before its start is joined shortly before it, at a random time per page; an open rain never is', () => {
  for (const [random, leadMs] of [
    [0, 8_000],
    [1, 20_000],
  ] as const) {
    const nextRain = new NextRain(() => random);
    nextRain.update(rain('next', MINUTE));
    const at = (now: number) => nextRain.startsSoon(nextRain.offer('this', now)!, now);
    expect(at(NOW)).toBe(false);
    expect(at(NOW + MINUTE - leadMs - 1)).toBe(false);
    expect(at(NOW + MINUTE - leadMs)).toBe(true);
    nextRain.update(rain('next', MINUTE));
    expect(at(NOW + MINUTE - leadMs + 1), 'told of once more').toBe(true);
    const late = new NextRain(() => random);
    late.update(rain('open', -MINUTE, 'open'));
    expect(late.startsSoon(late.offer('this', NOW)!, NOW)).toBe(false);
  }
});

test('a played rain is not offered again, even while it is open', () => {
  const nextRain = new NextRain(() => 0);
  for (const other of [rain('played', -MINUTE, 'open'), rain('next', MINUTE)]) nextRain.update(other);
  expect(nextRain.offer('this', NOW)).toMatchObject({ rainId: 'played' });
  nextRain.leave('played');
  nextRain.update(rain('played', -MINUTE, 'open'));
  expect(nextRain.offer('this', NOW)).toMatchObject({ rainId: 'next' });
});

test('rains that were known before their start are joined when they are started early, in any order; one that is announced shortly before it, at its start', () => {
  const nextRain = new NextRain(() => 0);
  const starts = (now = NOW) => nextRain.startsSoon(nextRain.offer('this', now)!, now);
  for (const [rainId, minutes] of [
    ['next', 60],
    ['later', 90],
  ] as const)
    nextRain.update(rain(rainId, minutes * MINUTE));
  expect(starts()).toBe(false);
  nextRain.update(rain('later', 0, 'open'));
  expect(starts(), 'an operator has started it').toBe(true);
  nextRain.update(rain('later', 0, 'closed'));
  nextRain.update(rain('new', 2_000));
  expect([starts(), starts(NOW + 2_000)]).toEqual([false, true]);
});

test('a rain that is open, or about to start, when the current one ends is not joined automatically: a win would vanish', () => {
  for (const opensInMs of [2_000, -1_000]) {
    const nextRain = new NextRain(() => 0);
    nextRain.update(rain('other', 5_000));
    nextRain.update(rain('other', opensInMs, opensInMs > 0 ? 'loaded' : 'open'));
    expect(nextRain.startsSoon(nextRain.offer('this', NOW)!, NOW)).toBe(false);
  }
});

test('rains that a new welcome does not list any more are forgotten', () => {
  const nextRain = new NextRain(() => 0);
  nextRain.update(rain('ended meanwhile', MINUTE));
  nextRain.welcome([rain('next', 2 * MINUTE)]);
  expect(nextRain.offer('this', NOW)).toMatchObject({ rainId: 'next' });
});

test('[R10] remembers a bounded number of rains', () => {
  const nextRain = new NextRain(() => 0);
  for (let i = 0; i < 1_000; i++) nextRain.update(rain(`r-${i}`, (1_000 - i) * MINUTE));
  expect(nextRain.offer(undefined, NOW)).toMatchObject({ rainId: 'r-999' });
  for (let i = 0; i < 32; i++) nextRain.update(rain(`r-${999 - i}`, MINUTE, 'closed'));
  expect(nextRain.offer(undefined, NOW)).toBeUndefined();
});
