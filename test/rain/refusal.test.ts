import { expect, test } from 'vitest';
import { z } from 'zod';
import { firstRefusal, refusalsOf, formatRefusal } from '../../src/rain/refusal.ts';

const plan = z.object({
  tiers: z.array(z.object({ count: z.int('expected a whole number') })),
  title: z.string('expected a title'),
});
const errorOf = (value: unknown) => plan.safeParse(value).error!;

test('[R12] every invalid field is named by its path, in the order of the schema', () => {
  const error = errorOf({ tiers: [{ count: 1 }, { count: 'x' }] });
  expect(refusalsOf(error, 'plan')).toEqual([
    { field: 'tiers.1.count', reason: 'expected a whole number' },
    { field: 'title', reason: 'expected a title' },
  ]);
  expect(formatRefusal(firstRefusal(error, 'plan'))).toBe('tiers.1.count: expected a whole number');
});

test('a value that is invalid itself gets the name given by the caller', () => {
  expect(firstRefusal(errorOf([]), 'plan').field).toBe('plan');
});
