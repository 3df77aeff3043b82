import { expect, test } from 'vitest';
import { currencyUnit, isCurrency } from '../../src/platform/currency.ts';

test('a currency has two decimals, as amounts have', () => {
  expect(['CNY', 'EUR', 'CHF', 'JPY', 'KWD', 'cny', 'XYZ', '¥', ''].map((code) => isCurrency(code))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('its symbol stands before an amount, or its code with a space that does not break', () => {
  expect(['CNY', 'USD', 'EUR', 'CHF', 'XYZ', 'gold'].map(currencyUnit)).toEqual([
    '¥',
    '$',
    '€',
    'CHF\u00a0',
    'XYZ\u00a0',
    'gold\u00a0',
  ]);
});
