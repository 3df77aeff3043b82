import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Allowances } from '../../src/gateway/guard/allowances.ts';

beforeEach(() => { vi.useFakeTimers({ toFake: ['performance'] }); });
afterEach(() => { vi.useRealTimers(); });

/** How many of these are let through. */
function spend({ bucket }: { bucket: { tryRemoveTokens(count: number): boolean } }, times: number): number {
  let passed = 0;
  for (let i = 0; i < times; i++) if (bucket.tryRemoveTokens(1)) passed++;
  return passed;
}

const rules = { perSecond: 20, rememberMs: 10_000, rememberedMax: 3 };

test('a second\'s worth at once, and so much again each second, on all sockets together', () => {
  const allowances = new Allowances(rules);
  const [phone, laptop] = [allowances.enter('ann'), allowances.enter('ann')];
  expect(spend(phone, 15) + spend(laptop, 15)).toBe(20);
  vi.advanceTimersByTime(500);
  expect(spend(laptop, 100)).toBe(10);
  vi.advanceTimersByTime(60_000);
  expect(spend(phone, 100)).toBe(20);
  expect(spend(allowances.enter('bob'), 100)).toBe(20);
});

test('a hand of 15 taps a second is never refused', () => {
  const ann = new Allowances({ ...rules, perSecond: 20 }).enter('ann');
  let passed = 0;
  for (let tap = 0; tap < 15 * 60; tap++) {
    vi.advanceTimersByTime(1_000 / 15);
    passed += spend(ann, 1);
  }
  expect(passed).toBe(15 * 60);
});

test('leaving and coming back refills nothing', () => {
  const allowances = new Allowances(rules);
  const ann = allowances.enter('ann');
  expect(spend(ann, 30)).toBe(20);
  allowances.leave(ann);
  expect(allowances.socketsOf('ann')).toBe(0);
  allowances.forget();
  expect(spend(allowances.enter('ann'), 30)).toBe(0);
  expect(allowances.socketsOf('ann')).toBe(1);
});

test('[R10] who has left is forgotten when idle, who is here never', () => {
  const allowances = new Allowances(rules);
  allowances.leave(allowances.enter('gone'));
  allowances.enter('here');
  vi.advanceTimersByTime(9_999);
  allowances.forget();
  expect(allowances.size).toBe(2);
  vi.advanceTimersByTime(1);
  allowances.forget();
  expect([allowances.size, allowances.socketsOf('here')]).toEqual([1, 1]);
});

test('[R10] no more than so many of those who left are remembered: the oldest goes', () => {
  const allowances = new Allowances(rules);
  for (const name of ['a', 'b', 'c', 'd', 'e']) expect(allowances.take(name)).toBe(true);
  expect(allowances.size).toBe(3);
  for (let i = 0; i < 1_000; i++) allowances.take(`address-${i}`);
  expect(allowances.size).toBe(3);
});

test('who goes on knocking is remembered for as long as he does', () => {
  const allowances = new Allowances({ ...rules, perSecond: 2 });
  const passed: boolean[] = [];
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 10; n++) passed.push(allowances.take('knocker'));
    vi.advanceTimersByTime(1_000);
    allowances.forget();
  }
  expect(passed.filter(Boolean)).toHaveLength(2 * 40);
});
