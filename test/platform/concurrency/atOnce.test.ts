import { expect, test } from 'vitest';
import { limitAtOnce } from '../../../src/platform/concurrency/atOnce.ts';

test('[R10] so many tasks of each run at once, and so many of all; what has ended makes place once', () => {
  const begin = limitAtOnce({ allMax: 3, eachMax: 2 });
  const first = begin('ann')!;
  expect(begin('ann')).toBeDefined();
  expect(begin('ann')).toBeUndefined();
  const others = begin('ben')!;
  expect(begin('cid')).toBeUndefined();
  first();
  first();
  expect(begin('ann')).toBeDefined();
  expect(begin('cid')).toBeUndefined();
  others();
  expect(begin('cid')).toBeDefined();
});
