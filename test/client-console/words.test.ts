import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { amountTyped, centsOf, countdownText, durationText, moneyText } from '../../client-console/src/words/figures.ts';
import { firstLanguage } from '../../client-console/src/words/language.ts';
import { DIFFERENCE_WORDS, toDoIn } from '../../client-console/src/words/differences.ts';
import { reasonIn } from '../../client-console/src/words/refusals.ts';
import { refusalOfStatement } from '../../src/operator/reconcile/statement.ts';
import { DIFFERENCES, type DifferenceKind } from '../../src/operator/restore/difference.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { EXAMPLES } from '../rain/split/examples.ts';

test('the language is the one chosen before, otherwise the first supported one', () => {
  expect(firstLanguage('en', ['zh-CN'])).toBe('en');
  expect(firstLanguage(null, ['fr', 'zh-TW', 'en'])).toBe('zh');
  expect(firstLanguage('fr', ['fr'])).toBe('en');
});

test('figures are exact and readable', () => {
  expect(moneyText('1234567.05')).toBe('1,234,567.05');
  expect(moneyText('-1234.05')).toBe('-1,234.05');
  expect(centsOf('90071992547409.91')).toBe(Number.MAX_SAFE_INTEGER);
  expect(countdownText(65_001)).toBe('1:06');
  expect(countdownText(-5)).toBe('0:00');
  expect(countdownText(2 * 86_400_000 + 3_600_000)).toBe('2 d 1:00:00');
  expect([durationText(450, 'en'), durationText(90_000, 'zh'), durationText(5_400_000, 'en')]).toEqual(['0.5 s', '1.5 分钟', '1.5 h']);
});

test('a typed amount is normalized; an invalid one stays unchanged', () => {
  expect(['8888', '8,888.5', '￥ 88', '007'].map(amountTyped)).toEqual(['8888.00', '8888.50', '88.00', '7.00']);
  expect(['-5', '1.234', 'ten', ''].map(amountTyped)).toEqual(['-5', '1.234', 'ten', '']);
});

/** The reasons come from the server's own check, so that this test fails when a reason changes. */
test.each([
  { budget: '1.00', packets: 500 }, { budget: '100.00', packets: 2, max: '1.00' }, { budget: '1.00', packets: 1, min: '2.00', max: '1.00' },
  { budget: '1.00', packets: 0 }, { budget: '1.00', packets: 9_999_999 }, { budget: '1.00', packets: 1.5 }, { budget: '1.00', packets: null },
  { budget: '-1', packets: 1 }, { budget: '0.00', packets: 1 }, { budget: '1.234', packets: 1 }, { budget: '99999999999999.99', packets: 1 }, { budget: 'much', packets: 1 },
  ...Object.values(EXAMPLES).flatMap(({ refused }) => refused),
])('[R12] what is wrong with $budget for $packets packets is told in Chinese, too', (plan) => {
  const verdict = checkPlan(plan);
  expect(verdict.ok).toBe(false);
  for (const { reason } of verdict.ok ? [] : verdict.refusals) {
    const told = reasonIn('zh', reason);
    expect(told).toMatch(/[\u4e00-\u9fff]/);
    for (const figure of reason.match(/\d[\d,]*\.\d\d/g) ?? []) if (figure !== '12.21') expect(told).toContain(figure);
    expect(reasonIn('en', reason)).toBe(reason);
  }
});

test.each([
  ['id,time'], ['id,amount,time,time'], [''], ['id,amount,time\na,1.00'], ['id,amount,time\na,1,1795000000000'], ['id,amount,time\n,1.00,1795000000000'], ['id,amount,time\na,1.00,soon'],
  ['id,amount,time\n"a,1.00,1795000000000'], ['id,amount,time\na"b,1.00,1795000000000'], [`id,amount,time\n"${'x'.repeat(20_000)}`],
])('[R12] what is wrong with a wallet\'s statement is told in Chinese, too (%#)', async (statement) => {
  const refusal = await refusalOfStatement(Readable.from([Buffer.from(statement)]));
  expect(reasonIn('zh', refusal!.reason)).toMatch(/[\u4e00-\u9fff]/);
});

test('[R12] the doubt whether a wallet has paid is told in Chinese, too', () => {
  expect(reasonIn('zh', 'the wallet may have paid spring-0-0-ab; send it again with requeue, or make sure that it was not paid and confirm with --not-paid')).toMatch(/spring-0-0-ab.*\u652f\u4ed8/);
});

test('what to do about a difference between the stores is a command, or told in Chinese, too', () => {
  for (const [kind, { wayOut }] of Object.entries(DIFFERENCES) as [DifferenceKind, { wayOut: (id: string) => string }][]) {
    expect(toDoIn('zh', kind, 'spring', wayOut('spring')), kind).toMatch(/^rain [^,;:]*$|[\u4e00-\u9fff]/);
    expect(toDoIn('en', kind, 'spring', wayOut('spring'))).toBe(wayOut('spring'));
    expect(DIFFERENCE_WORDS.zh[kind]).toMatch(/[\u4e00-\u9fff]/);
  }
});

test('a reason without a translation is shown in English', () => expect(reasonIn('zh', 'the moon is full')).toBe('the moon is full'));
