import { expect, test } from 'vitest';
import { createPauses, FIRST_MS_MAX } from '../../../src/platform/concurrency/pauses.ts';

const FACTOR = 20;

test('work is paid for in full, also after it has grown', () => {
  const pauses = createPauses(FACTOR);
  expect(pauses.after('a', 50)).toBe(FACTOR * 50);
  expect(pauses.after('a', 90)).toBe(FACTOR * 90);
  expect(pauses.after('a', 9_000)).toBe(FACTOR * 180);
  expect(pauses.after('a', 9_000)).toBe(FACTOR * 9_000);
});

test('one stall is charged as twice the time before, and as little the first time', () => {
  const pauses = createPauses(FACTOR);
  expect(pauses.after('a', 60_000)).toBe(FACTOR * FIRST_MS_MAX);
  pauses.forget('a');
  expect(pauses.after('a', 60_000)).toBe(FACTOR * FIRST_MS_MAX);
  pauses.after('b', 5);
  expect(pauses.after('b', 4_500)).toBe(FACTOR * 10);
});

test('a part of the work says nothing of the whole', () => {
  const pauses = createPauses(FACTOR);
  pauses.after('a', 400);
  expect(pauses.after('a', 1, false)).toBe(FACTOR * 1);
  expect(pauses.after('a', 500)).toBe(FACTOR * 500);
  expect(pauses.after('a', 9_000, false)).toBe(FACTOR * 1_000);
});
