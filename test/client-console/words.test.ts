import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  amountTyped,
  bytesText,
  centsOf,
  countdownText,
  durationText,
  momentText,
  moneyText,
} from '../../client-console/src/words/figures.ts';
import { firstLanguage } from '../../client-console/src/words/language.ts';
import { DIFFERENCE_WORDS, toDoIn } from '../../client-console/src/words/differences.ts';
import { WORDS as SALE_PAGE } from '../../client-console/src/screens/sale/words.ts';
import { reasonIn } from '../../client-console/src/words/refusals.ts';
import { refusalOfStatement } from '../../src/operator/reconcile/statement.ts';
import { DIFFERENCES, type DifferenceKind } from '../../src/operator/restore/difference.ts';
import { noSuchDeadLetter } from '../../src/operator/deadLetters/letters.ts';
import { lostSaleReason } from '../../src/operator/sale/lost.ts';
import { userId } from '../../src/rain/ids.ts';
import { RESERVATION_EXPECTED, saleId } from '../../src/sale/ids.ts';
import { refusalsOf } from '../../src/rain/refusal.ts';
import { newItems as itemList } from '../../src/sale/item.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { requestedGreeting, themeColours, themeTitle } from '../../src/rain/theme/check.ts';
import { checkThemeFile } from '../../src/rain/theme/files.ts';
import type { ThemeFileKind } from '../../src/rain/theme.ts';
import { png } from '../support/themeFiles.ts';
import { EXAMPLES } from '../rain/split/examples.ts';

const refusedFile = (kind: ThemeFileKind, file: Buffer): string[] => {
  const checked = checkThemeFile(kind, file);
  return checked.ok ? [] : checked.refusals.map(({ reason }) => reason);
};

test('the language is the one chosen before, otherwise the first supported one', () => {
  expect(firstLanguage('en', ['zh-CN'])).toBe('en');
  expect(firstLanguage(null, ['fr', 'zh-TW', 'en'])).toBe('zh');
  expect(firstLanguage('fr', ['fr'])).toBe('en');
});

test('figures are exact and readable', () => {
  expect(moneyText('1234567.05')).toBe('¥1,234,567.05');
  expect(moneyText('-1234.05')).toBe('-¥1,234.05');
  expect(moneyText('8888.00')).toBe('¥8,888.00');
  expect([262_144, 1_048_576, 3_565_158].map(bytesText)).toEqual(['256 KiB', '1 MiB', '3.4 MiB']);
  expect(centsOf('90071992547409.91')).toBe(Number.MAX_SAFE_INTEGER);
  expect(countdownText(65_001)).toBe('1:06');
  expect(countdownText(-5)).toBe('0:00');
  expect(countdownText(2 * 86_400_000 + 3_600_000)).toBe('2 d 1:00:00');
  expect([durationText(450, 'en'), durationText(90_000, 'zh'), durationText(5_400_000, 'en')]).toEqual([
    '0.5 s',
    '1.5 分钟',
    '1.5 h',
  ]);
});

test('one of something is told in the singular, and many are grouped by thousands', () => {
  const { en, zh } = SALE_PAGE;
  expect([en.counts(1, 1), en.counts(1_200, 0)]).toEqual(['1 order of 1 buyer.', '1,200 orders of 0 buyers.']);
  expect(en.end(1, 2)).toBe(
    'It cannot be reopened. 1 unit that is left goes back to the shop, and 2 reserved ones can still be paid.',
  );
  expect([en.waiting(1), en.repairSends(1)]).toEqual([
    expect.stringMatching(/^1 reservation has no/),
    expect.stringMatching(/^1 reservation without an order is sent/),
  ]);
  expect(zh.counts(1_200, 3)).toBe('3 位买家，1,200 个订单。');
});

test('a typed amount is normalized; an invalid one stays unchanged', () => {
  expect(['8888', '8,888.5', '￥ 88', '007'].map(amountTyped)).toEqual(['8888.00', '8888.50', '88.00', '7.00']);
  expect(['-5', '1.234', 'ten', ''].map(amountTyped)).toEqual(['-5', '1.234', 'ten', '']);
});

/** The reasons come from the server's own check, so that this test fails when a reason changes. */
test.each([
  { budget: '1.00', packets: 500 },
  { budget: '100.00', packets: 2, max: '1.00' },
  { budget: '1.00', packets: 1, min: '2.00', max: '1.00' },
  { budget: '1.00', packets: 0 },
  { budget: '1.00', packets: 9_999_999 },
  { budget: '1.00', packets: 1.5 },
  { budget: '1.00', packets: null },
  { budget: '-1', packets: 1 },
  { budget: '0.00', packets: 1 },
  { budget: '1.234', packets: 1 },
  { budget: '99999999999999.99', packets: 1 },
  { budget: 'much', packets: 1 },
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
  ['id,time'],
  ['id,amount,time,time'],
  [''],
  ['id,amount,time\na,1.00'],
  ['id,amount,time\na,1,1795000000000'],
  ['id,amount,time\n,1.00,1795000000000'],
  ['id,amount,time\na,1.00,soon'],
  ['id,amount,time\n"a,1.00,1795000000000'],
  ['id,amount,time\na"b,1.00,1795000000000'],
  [`id,amount,time\n"${'x'.repeat(20_000)}`],
])("[R12] what is wrong with a wallet's statement is told in Chinese, too (%#)", async (statement) => {
  const refusal = await refusalOfStatement(Readable.from([Buffer.from(statement)]));
  expect(reasonIn('zh', refusal!.reason)).toMatch(/[\u4e00-\u9fff]/);
});

test('[R12] what is wrong with a sale is told in Chinese, too', () => {
  const item = { sku: 'tee', units: 1, price: '1.00' };
  const wrong = [
    [],
    [item, item],
    ...[
      { sku: 'a tee' },
      { sku: 5 },
      { description: '' },
      { units: null },
      { units: 0 },
      { units: 1.5 },
      { price: 'much' },
      { price: '-1.00' },
      { price: '' },
      { listPrice: '0.99' },
      { listPrice: '1.999' },
      { name: '' },
      { picture: 'ftp://x' },
      { perOrderMax: 0 },
      { perUserMax: 1_001 },
    ].map((more) => [{ ...item, ...more }]),
  ];
  for (const items of wrong) {
    const parsed = itemList.safeParse(items);
    expect(parsed.success, JSON.stringify(items)).toBe(false);
    for (const { reason } of refusalsOf(parsed.error!, 'items'))
      expect(reasonIn('zh', reason)).toMatch(/^[^a-z]*[\u4e00-\u9fff]/);
  }
  for (const reason of [
    lostSaleReason('autumn'),
    RESERVATION_EXPECTED,
    saleId.safeParse('a/b').error!.issues[0]!.message,
    userId.safeParse('').error!.issues[0]!.message,
  ]) {
    expect(reasonIn('zh', reason), reason).toMatch(/^[^a-z]*(Redis )?[\u4e00-\u9fff]/);
  }
  const letter = noSuchDeadLetter('autumn-16-9f86', {
    letterId: 'autumn-16-9f86',
    rainId: 'autumn',
    entry: '',
    deadReason: 'failed',
    reason: 'paid back',
    actor: 'opal',
    at: 0,
  });
  expect(letter.refusals.map(({ reason }) => reasonIn('zh', reason))).toEqual([
    'autumn-16-9f86 已由 opal 作废：paid back',
  ]);
});

test('[R12] what is wrong with a theme or a greeting is told in Chinese, too', () => {
  const reasons = [
    ...[themeTitle, themeColours, requestedGreeting].flatMap((rule) =>
      [
        { background: 'red', packet: 5 },
        { background: '#ffffff' },
        { accent: '#000000' },
        { background: '#000000', accent: '#111111' },
        { sender: '' },
        { blessing: '…' },
        {
          prizes: [
            { from: '1.00', blessing: 'a' },
            { from: '1.00', blessing: '…' },
          ],
        },
        { prizes: Array.from({ length: 9 }, (_, i) => ({ from: `${i + 1}.00`, blessing: 'a' })) },
        { prizes: [{ from: '0', blessing: 'a' }] },
      ]
        .flatMap((wrong) => rule.safeParse(wrong).error?.issues ?? [])
        .filter(({ code }) => code !== 'unrecognized_keys')
        .map(({ message }) => message),
    ),
    ...[png(3_000, 8), png(8, 8, { animated: true }), Buffer.from('<svg/>'), Buffer.alloc(300_000)].flatMap((file) =>
      refusedFile('logo', file),
    ),
    ...refusedFile('music', Buffer.from('RIFF')),
    'the picture has 300000 bytes as WebP, expected at most 262144: choose a smaller one',
    'there are 100 themes, which is the most; remove one first',
    'there is no theme spring',
  ];
  expect(reasons.length).toBeGreaterThan(12);
  for (const reason of reasons) expect(reasonIn('zh', reason), reason).toMatch(/^[^a-z]*[\u4e00-\u9fff]/);
});

test("a moment in a refusal is told in the reader's own time, never as the server writes it", () => {
  const reason = '2026-11-20T21:00:00.000Z has passed already, and so has the end, 2026-11-20T22:00:00.000Z';
  for (const language of ['en', 'zh'] as const) {
    expect(reasonIn(language, reason)).toContain(momentText('2026-11-20T21:00:00.000Z', language));
    expect(reasonIn(language, reason)).not.toMatch(/T\d\d|Z/);
  }
  expect(reasonIn('zh', reason)).toMatch(/^开始时间 .+ 已经过去，结束时间 .+ 也已过去$/);
});

test('[R12] the doubt whether a wallet has paid is told in Chinese, too', () => {
  expect(
    reasonIn(
      'zh',
      'the wallet may have paid spring-0-0-ab; send it again with requeue, or make sure that it was not paid and confirm with --not-paid',
    ),
  ).toMatch(/spring-0-0-ab.*\u652f\u4ed8/);
});

test('what to do about a difference between the stores is a command, or told in Chinese, too', () => {
  for (const [kind, { wayOut }] of Object.entries(DIFFERENCES) as [
    DifferenceKind,
    { wayOut: (id: string) => string },
  ][]) {
    expect(toDoIn('zh', kind, 'spring', wayOut('spring')), kind).toMatch(/^rain [^,;:]*$|[\u4e00-\u9fff]/);
    expect(toDoIn('en', kind, 'spring', wayOut('spring'))).toBe(wayOut('spring'));
    expect(DIFFERENCE_WORDS.zh[kind]).toMatch(/[\u4e00-\u9fff]/);
  }
});

test('a reason without a translation is shown in English', () =>
  expect(reasonIn('zh', 'the moon is full')).toBe('the moon is full'));

test.each(['client-console', 'client-demo'])('no text of %s shows the marks of code instead of code', (folder) => {
  const files = readdirSync(`${folder}/src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const marked = files.flatMap(
    (name) => readFileSync(`${folder}/src/${name}`, 'utf8').match(/'[^'\n]*`[a-z ]+`[^'\n]*'/g) ?? [],
  );
  expect(marked).toEqual([]);
});
