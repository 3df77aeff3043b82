import { expect, test } from 'vitest';
import { countdownText } from '../../client-demo/src/countdown.ts';
import { saleWordsFor } from '../../client-demo/src/words/sale/language.ts';
import { wordsFor } from '../../client-demo/src/words/language.ts';

test.each([
  [['zh-CN'], 'zh-CN'],
  [['zh'], 'zh-CN'],
  [['zh-Hant-TW', 'en'], 'zh-CN'],
  [['en-GB', 'zh-CN'], 'en'],
  [['de-DE', 'zh-CN', 'en'], 'zh-CN'],
  [['fr', 'de'], 'en'],
  [[], 'en'],
])('a browser that asks for %j is spoken to in %s', (languages, lang) => {
  expect(wordsFor(languages).lang).toBe(lang);
});

test('both languages have words for everything', () => {
  const [en, zh] = [wordsFor(['en']), wordsFor(['zh'])];
  expect(Object.keys(zh.headline)).toEqual(Object.keys(en.headline));
  expect(Object.keys(zh.proof)).toEqual(Object.keys(en.proof));
  for (const { headline, notes, proof, verify } of [en, zh])
    for (const text of [...Object.values(headline), ...Object.values(notes), ...Object.values(proof), verify])
      expect(text).not.toBe('');
});

test.each([
  [0, '0'],
  [9, '9'],
  [60, '1:00'],
  [75, '1:15'],
  [3_599, '59:59'],
  [3_675, '1:01:15'],
])('%d seconds are shown as %s', (seconds, text) => {
  expect(countdownText(seconds)).toBe(text);
});

test.each([
  [30, 'within 30 s after', '在 30 秒内'],
  [90, 'within 1 min 30 s after', '在 1 分钟 30 秒内'],
  [900, 'within 15 min after', '在 15 分钟内'],
  [7_200, 'within 2 h after', '在 2 小时内'],
])('the time to pay, %d seconds, is told with its unit', (seconds, en, zh) => {
  expect(saleWordsFor('en').hold(seconds)).toContain(en);
  expect(saleWordsFor('zh-CN').hold(seconds)).toContain(zh);
});
