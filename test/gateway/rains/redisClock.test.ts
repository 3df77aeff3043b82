import { beforeEach, expect, test, vi } from 'vitest';
import { RedisClock } from '../../../src/gateway/rains/redisClock.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  return () => vi.useRealTimers();
});

const EPOCH = 1_800_000_000_000;
/**
 * Adds one sample of a clock that is `aheadMs` ahead of EPOCH. The command takes `there` ms to the server, and its
 * reply is read `back` ms later.
 */
function ask(clock: RedisClock, there: number, back: number, aheadMs = 0): void {
  const sentAt = performance.now();
  vi.advanceTimersByTime(there);
  const redisTime = EPOCH + Math.floor(performance.now()) + aheadMs;
  vi.advanceTimersByTime(back);
  clock.learn(redisTime, sentAt, performance.now());
}
const wrongBy = (clock: RedisClock, aheadMs = 0) => Math.abs(clock.now() - (EPOCH + performance.now() + aheadMs));

test('[R7] a reply that was read late because the process was busy changes nothing, and a quick one is kept', () => {
  const clock = new RedisClock();
  ask(clock, 1, 1);
  for (const [there, back] of [
    [1, 400],
    [300, 1],
    [200, 200],
    [1, 900],
  ] as const) {
    vi.advanceTimersByTime(1_000);
    ask(clock, there, back);
    expect(wrongBy(clock), `${there} ms there, ${back} ms back`).toBeLessThanOrEqual(2);
    expect(clock.errorMs()).toBeLessThan(5);
  }
});

test('the first reply is used however slow it was, with its error bound', () => {
  const clock = new RedisClock();
  expect(clock.errorMs()).toBe(Number.POSITIVE_INFINITY);
  ask(clock, 0, 300);
  expect(wrongBy(clock)).toBeLessThanOrEqual(clock.errorMs());
  expect(clock.errorMs()).toBeLessThan(152);
  ask(clock, 2, 2);
  expect(wrongBy(clock)).toBeLessThanOrEqual(2);
});

test('a clock that was set, or the clock of another server, is followed at the next reply', () => {
  const clock = new RedisClock();
  ask(clock, 1, 1);
  vi.advanceTimersByTime(1_000);
  ask(clock, 10, 10, -5_000);
  expect(wrongBy(clock, -5_000)).toBeLessThanOrEqual(10);
});

test('a clock that drifts is followed, even if all later replies are as slow as the first was quick', () => {
  const clock = new RedisClock();
  ask(clock, 0, 0);
  for (let second = 1; second <= 600; second++) {
    vi.advanceTimersByTime(1_000);
    ask(clock, 5, 5, Math.round(second * 0.1));
    expect(wrongBy(clock, Math.round(second * 0.1))).toBeLessThanOrEqual(clock.errorMs() + 1);
  }
  expect(wrongBy(clock, 60)).toBeLessThanOrEqual(8);
});
