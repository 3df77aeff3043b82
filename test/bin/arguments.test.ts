import { expect, test } from 'vitest';
import { typedAmount } from '../../src/bin/arguments.ts';
import { budgeted, planOf, type PlanOptions } from '../../src/bin/commands/planOptions.ts';
import { Command } from 'commander';

test('a whole number that is typed is an amount: --budget 600 is 600.00, and so are tiers, the smallest and the largest packet', () => {
  const command = budgeted(new Command('create')).parse(
    ['--budget', '600', '--packets', '10', '--tier', '2x50', '--min', '1', '--max', '80.50'],
    { from: 'user' },
  );
  expect(planOf(command.opts<PlanOptions>())).toEqual({
    budget: '600.00',
    packets: 10,
    split: { method: 'tiers', tiers: [{ count: 2, amount: '50.00' }] },
    min: '1.00',
    max: '80.50',
  });
});

test('one decimal is tenths; what is no amount stays as it came, to be refused by name', () => {
  expect(typedAmount('600.5')).toBe('600.50');
  for (const text of ['600.', '.50', '-6', '006', '6e2', '', '1 000', '一']) expect(typedAmount(text)).toBe(text);
});
