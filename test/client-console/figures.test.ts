import { expect, test } from 'vitest';
import {
  amountTyped,
  clockText,
  currencyText,
  momentText,
  moneyText,
  setCurrency,
  setTimeZone,
  timeTyped,
  timeZoneText,
  typedTime,
} from '../../client-console/src/words/figures.ts';

test('amounts have the sign of the currency that the session tells, and may be typed with it', () => {
  expect([currencyText(), moneyText('8888.00'), amountTyped('¥8,888.5')]).toEqual(['¥', '¥8,888.00', '8888.50']);
  setCurrency('CHF');
  expect([currencyText(), moneyText('8888.00'), amountTyped('CHF 88')]).toEqual([
    'CHF\u00a0',
    'CHF\u00a08,888.00',
    '88.00',
  ]);
  expect([moneyText('-12.50'), moneyText('1234567.00'), moneyText('0.01')]).toEqual([
    '-CHF\u00a012.50',
    'CHF\u00a01,234,567.00',
    'CHF\u00a00.01',
  ]);
  setCurrency('EUR');
  expect([currencyText(), amountTyped('€ 88')]).toEqual(['€', '88.00']);
});

test('times are shown and typed in the time zone that the session tells, else in that of the browser', () => {
  const evening = Date.parse('2026-12-31T18:15:00Z');
  setTimeZone('Asia/Kathmandu');
  expect([
    timeZoneText(),
    typedTime(evening),
    momentText(evening, 'en', evening - 86_400_000),
    clockText(evening, 'zh'),
  ]).toEqual(['Asia/Kathmandu', '2027-01-01T00:00:00', '1 Jan 2027, 00:00:00', '00:00:00']);
  expect(timeTyped('2027-01-01T00:00')).toBe(evening);
  for (const unknown of [undefined, 'Mars/Olympus']) {
    setTimeZone(unknown);
    expect(timeTyped('2027-01-20T20:30:00')).toBe(new Date('2027-01-20T20:30:00').getTime());
  }
});
