import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CENTS_MAX, formatMoney, groupDigits, parseMoney } from '../../src/rain/money.ts';

describe('money', () => {
  test('every number of cents up to the largest budget is formatted and parsed without loss', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: CENTS_MAX }), (cents) => {
        expect(parseMoney(formatMoney(cents))).toBe(cents);
      }),
    );
  });

  test.each([
    ['0.00', 0n],
    ['0.01', 1n],
    ['0.10', 10n],
    ['12.21', 1221n],
    ['90071992547409.91', CENTS_MAX],
  ])('%s is %d cents', (text, cents) => {
    expect(parseMoney(text)).toBe(cents);
    expect(formatMoney(cents)).toBe(text);
  });

  test.each([
    '',
    '1',
    '1.',
    '.10',
    '1.2',
    '1.234',
    '01.00',
    '-1.00',
    '+1.00',
    ' 1.00',
    '1.00\n',
    '1,00',
    '1e2.00',
    '١.٠٠',
    '0x1.00',
    'NaN',
    '123456789012345.00',
  ])('[R12] %j is not money', (text) => {
    expect(parseMoney(text)).toBeUndefined();
  });

  test('a debt shows its sign', () => {
    expect(formatMoney(-5n)).toBe('-0.05');
    expect(formatMoney(-1221n)).toBe('-12.21');
  });
});

test.each([
  ['0.01', '0.01'],
  ['100.00', '100.00'],
  ['1000.00', '1,000.00'],
  ['999999.99', '999,999.99'],
  ['1000000.00', '1,000,000.00'],
  ['-1234.50', '-1,234.50'],
  [formatMoney(CENTS_MAX), '90,071,992,547,409.91'],
])('%s is %s for people', (amount, shown) => {
  expect(groupDigits(amount)).toBe(shown);
});
