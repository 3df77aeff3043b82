import { expect, test } from 'vitest';
import { moneyText, setCurrency } from '../../client-demo/src/money.ts';

test('amounts have the sign of the currency that the console tells', () => {
  expect(moneyText('12.21')).toBe('¥12.21');
  expect(moneyText('1234567.80')).toBe('¥1,234,567.80');
  setCurrency('EUR');
  expect(moneyText('12.21')).toBe('€12.21');
});
