import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallerBuckets } from '../../../src/gateway/ratelimit/tokenBuckets.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** How many of these messages are allowed. */
function spend({ bucket }: { bucket: { tryRemoveTokens(count: number): boolean } }, times: number): number {
  let passed = 0;
  for (let i = 0; i < times; i++) if (bucket.tryRemoveTokens(1)) passed++;
  return passed;
}

const rules = { perSecond: 20, rememberMs: 10_000, rememberedMax: 3 };

test("one second's worth at once, and as much again each second, on all sockets together", () => {
  const callerBuckets = new CallerBuckets(rules);
  const [phone, laptop] = [callerBuckets.enter('ann'), callerBuckets.enter('ann')];
  expect(spend(phone, 15) + spend(laptop, 15)).toBe(20);
  vi.advanceTimersByTime(500);
  expect(spend(laptop, 100)).toBe(10);
  vi.advanceTimersByTime(60_000);
  expect(spend(phone, 100)).toBe(20);
  expect(spend(callerBuckets.enter('bob'), 100)).toBe(20);
});

test('15 taps a second are never refused', () => {
  const ann = new CallerBuckets({ ...rules, perSecond: 20 }).enter('ann');
  let passed = 0;
  for (let tap = 0; tap < 15 * 60; tap++) {
    vi.advanceTimersByTime(1_000 / 15);
    passed += spend(ann, 1);
  }
  expect(passed).toBe(15 * 60);
});

test('disconnecting and reconnecting refills nothing', () => {
  const callerBuckets = new CallerBuckets(rules);
  const ann = callerBuckets.enter('ann');
  expect(spend(ann, 30)).toBe(20);
  callerBuckets.leave(ann);
  expect(callerBuckets.socketsOf('ann')).toBe(0);
  callerBuckets.forget();
  expect(spend(callerBuckets.enter('ann'), 30)).toBe(0);
  expect(callerBuckets.socketsOf('ann')).toBe(1);
});

test('[R10] disconnected callers are dropped when idle, connected ones never', () => {
  const callerBuckets = new CallerBuckets(rules);
  callerBuckets.leave(callerBuckets.enter('gone'));
  callerBuckets.enter('here');
  vi.advanceTimersByTime(9_999);
  callerBuckets.forget();
  expect(callerBuckets.size).toBe(2);
  vi.advanceTimersByTime(1);
  callerBuckets.forget();
  expect([callerBuckets.size, callerBuckets.socketsOf('here')]).toEqual([1, 1]);
});

test('[R10] the number of kept disconnected callers is bounded: the oldest is dropped', () => {
  const callerBuckets = new CallerBuckets(rules);
  for (const name of ['a', 'b', 'c', 'd', 'e']) expect(callerBuckets.take(name)).toBe(true);
  expect(callerBuckets.size).toBe(3);
  for (let i = 0; i < 1_000; i++) callerBuckets.take(`address-${i}`);
  expect(callerBuckets.size).toBe(3);
});

test('a caller that keeps trying to connect is kept as long as it tries', () => {
  const callerBuckets = new CallerBuckets({ ...rules, perSecond: 2 });
  const passed: boolean[] = [];
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 10; n++) passed.push(callerBuckets.take('knocker'));
    vi.advanceTimersByTime(1_000);
    callerBuckets.forget();
  }
  expect(passed.filter(Boolean)).toHaveLength(2 * 40);
});
