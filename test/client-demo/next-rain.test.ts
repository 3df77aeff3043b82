import { expect, test } from 'vitest';
import { Ahead } from '../../client-demo/src/next-rain.ts';

const NOW = 1_900_000_000_000;
const MINUTE = 60_000;
const rain = (rainId: string, opensInMs: number, state: 'loaded' | 'open' | 'closed' = 'loaded') => ({ rainId, title: rainId, state, opensAt: NOW + opensInMs, closesAt: NOW + opensInMs + 10 * MINUTE });

test('offers the earliest other rain that is not over', () => {
  const ahead = new Ahead(() => 0);
  expect(ahead.offer('this', NOW)).toBeUndefined();
  for (const other of [rain('this', -MINUTE, 'open'), rain('later', 9 * MINUTE), rain('next', MINUTE), rain('past', -20 * MINUTE)]) ahead.hear(other);
  expect(ahead.offer('this', NOW)).toEqual({ rainId: 'next', title: 'next', opensAt: NOW + MINUTE, open: false });
  expect(ahead.offer('this', NOW + MINUTE)).toMatchObject({ rainId: 'next', open: true });
  ahead.hear(rain('next', MINUTE, 'closed'));
  expect(ahead.offer('this', NOW)).toMatchObject({ rainId: 'later' });
});

test('a rain that was seen to come takes over shortly before it starts, for everybody at another moment; one that is open already never', () => {
  for (const [random, leadMs] of [[0, 8_000], [1, 20_000]] as const) {
    const ahead = new Ahead(() => random);
    ahead.hear(rain('next', MINUTE));
    const at = (now: number) => ahead.takesOver(ahead.offer('this', now)!, now);
    expect(at(NOW)).toBe(false);
    expect(at(NOW + MINUTE - leadMs - 1)).toBe(false);
    expect(at(NOW + MINUTE - leadMs)).toBe(true);
    ahead.hear(rain('next', MINUTE));
    expect(at(NOW + MINUTE - leadMs + 1), 'told of once more').toBe(true);
    const late = new Ahead(() => random);
    late.hear(rain('open', -MINUTE, 'open'));
    expect(late.takesOver(late.offer('this', NOW)!, NOW)).toBe(false);
  }
});

test('a rain that was played is not offered again, though it is open still', () => {
  const ahead = new Ahead(() => 0);
  for (const other of [rain('played', -MINUTE, 'open'), rain('next', MINUTE)]) ahead.hear(other);
  expect(ahead.offer('this', NOW)).toMatchObject({ rainId: 'played' });
  ahead.leave('played');
  ahead.hear(rain('played', -MINUTE, 'open'));
  expect(ahead.offer('this', NOW)).toMatchObject({ rainId: 'next' });
});

test('a start that was moved is waited for anew', () => {
  const ahead = new Ahead(() => 0);
  ahead.hear(rain('next', MINUTE));
  ahead.offer('this', NOW);
  ahead.hear(rain('next', 2_000));
  expect(ahead.takesOver(ahead.offer('this', NOW)!, NOW)).toBe(false);
});

test('[R10] remembers a bounded number of rains', () => {
  const ahead = new Ahead(() => 0);
  for (let i = 0; i < 1_000; i++) ahead.hear(rain(`r-${i}`, (1_000 - i) * MINUTE));
  expect(ahead.offer(undefined, NOW)).toMatchObject({ rainId: 'r-999' });
  for (let i = 0; i < 32; i++) ahead.hear(rain(`r-${999 - i}`, MINUTE, 'closed'));
  expect(ahead.offer(undefined, NOW)).toBeUndefined();
});
