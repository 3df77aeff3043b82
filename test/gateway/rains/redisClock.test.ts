import { beforeEach, expect, test, vi } from 'vitest';
import { RedisClock } from '../../../src/gateway/rains/redisClock.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  return () => vi.useRealTimers();
});

const EPOCH = 1_800_000_000_000;
/** Asks a clock that is `aheadMs` ahead of EPOCH; the answer takes `there` to the server and `back` until it is read. */
function ask(clock: RedisClock, there: number, back: number, aheadMs = 0): void {
  const asked = performance.now();
  vi.advanceTimersByTime(there);
  const told = EPOCH + Math.floor(performance.now()) + aheadMs;
  vi.advanceTimersByTime(back);
  clock.learn(told, asked, performance.now());
}
const wrongBy = (clock: RedisClock, aheadMs = 0) => Math.abs(clock.now() - (EPOCH + performance.now() + aheadMs));

test('[R7] an answer that lay unread while the process was busy moves nothing, and one that was quick stands', () => {
  const clock = new RedisClock();
  ask(clock, 1, 1);
  for (const [there, back] of [[1, 400], [300, 1], [200, 200], [1, 900]] as const) {
    vi.advanceTimersByTime(1_000);
    ask(clock, there, back);
    expect(wrongBy(clock), `${there} ms there, ${back} ms back`).toBeLessThanOrEqual(2);
    expect(clock.errorMs()).toBeLessThan(5);
  }
});

test('the first answer is believed however slow it was, and tells how wrong it may be', () => {
  const clock = new RedisClock();
  expect(clock.errorMs()).toBe(Number.POSITIVE_INFINITY);
  ask(clock, 0, 300);
  expect(wrongBy(clock)).toBeLessThanOrEqual(clock.errorMs());
  expect(clock.errorMs()).toBeLessThan(152);
  ask(clock, 2, 2);
  expect(wrongBy(clock)).toBeLessThanOrEqual(2);
});

test('a clock that was set, or another server\'s, is followed at the next answer', () => {
  const clock = new RedisClock();
  ask(clock, 1, 1);
  vi.advanceTimersByTime(1_000);
  ask(clock, 10, 10, -5_000);
  expect(wrongBy(clock, -5_000)).toBeLessThanOrEqual(10);
});

test('a clock that drifts is followed, though all answers are as slow as the first was quick', () => {
  const clock = new RedisClock();
  ask(clock, 0, 0);
  for (let second = 1; second <= 600; second++) {
    vi.advanceTimersByTime(1_000);
    ask(clock, 5, 5, Math.round(second * 0.1));
    expect(wrongBy(clock, Math.round(second * 0.1))).toBeLessThanOrEqual(clock.errorMs() + 1);
  }
  expect(wrongBy(clock, 60)).toBeLessThanOrEqual(8);
});
