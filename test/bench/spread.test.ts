import { expect, test } from 'vitest';
import { isSteady } from '../../bench/support/spread.ts';

test('a figure is steady when the middle half of its rounds lies within a tenth of the median; a single round never is', () => {
  expect(isSteady([100, 101, 102, 103, 300])).toBe(true);
  expect(isSteady([50, 90, 100, 104, 110])).toBe(false);
  expect(isSteady([100])).toBe(false);
});
