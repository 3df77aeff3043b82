import { describe, expect, test } from 'vitest';
import { requestedGreeting, themeColours, themeId, themeTitle } from '../../../src/rain/theme/check.ts';
import { blessingOf, checkContrast } from '../../../src/rain/theme.ts';

const reasons = (schema: { safeParse: typeof themeColours.safeParse }, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => [...path, message].join(': '));

describe('the colours of a theme', () => {
  test('are readable: what is refused names the colour and the contrast that was found', () => {
    expect(checkContrast({})).toEqual([]);
    expect(checkContrast({ background: '#123456', packet: '#ff00ff', accent: '#ffffff' })).toEqual([]);
    // Black on white has 21, as WCAG says: cream on black has little less, and on itself 1.
    expect(checkContrast({ background: '#ffe9bd' })).toEqual([
      {
        field: 'colours.background',
        reason: "the page's text #ffe9bd on it has a contrast of 1.00, expected at least 4.5: choose a darker colour",
      },
      {
        field: 'colours.background',
        reason: expect.stringMatching(
          /^the accent #f6c667 on the background #ffe9bd has a contrast of 1\.\d\d, expected at least 4\.5: choose a darker colour$/,
        ),
      },
    ]);
    expect(checkContrast({ accent: '#7d0f18' })).toEqual([
      {
        field: 'colours.accent',
        reason: expect.stringMatching(
          /^the accent #7d0f18 on the background #8f121c has a contrast of 1\.\d\d, expected at least 4\.5: choose a lighter colour$/,
        ),
      },
      {
        field: 'colours.accent',
        reason: expect.stringMatching(
          /^the text #5c0a11 of buttons on it has a contrast of 1\.\d\d, expected at least 4\.5: choose a lighter colour$/,
        ),
      },
    ]);
    // A ratio just below is not told as one that is enough: #767676 on white has 4.54, #777777 has 4.48.
    expect(
      checkContrast({ background: '#767676', accent: '#ffffff' }).filter(({ field }) => field === 'colours.accent'),
    ).toEqual([]);
    expect(
      checkContrast({ background: '#777777', accent: '#ffffff' }).filter(({ field }) => field === 'colours.accent'),
    ).toEqual([{ field: 'colours.accent', reason: expect.stringContaining('a contrast of 4.47, expected') }]);
  });

  test('[R12] are six hex digits, and null is the same as absent', () => {
    expect(themeColours.parse({ background: '#7D0F18', packet: null })).toEqual({ background: '#7d0f18' });
    expect(reasons(themeColours, { packet: 'red' })).toEqual(['packet: expected a colour such as #7d0f18']);
    expect(reasons(themeColours, { packet: '#12345g' })).toEqual(['packet: expected a colour such as #7d0f18']);
    expect(reasons(themeColours, { background: 'url(//a.example)', accent: 7 })).toHaveLength(2);
    expect(reasons(themeColours, { background: '#ffe9bd' })[0]).toContain('background: the page');
    expect(reasons(themeColours, { border: '#123456' })).toHaveLength(1);
  });
});

test('[R12] what people read has a letter, a digit or a symbol, one line, and no more characters than fit', () => {
  expect(requestedGreeting.parse({ sender: '  Ann\u200b\n & Ben ', blessing: '恭喜发财 🧧', theme: null })).toEqual({
    sender: 'Ann & Ben',
    blessing: '恭喜发财 🧧',
  });
  expect(requestedGreeting.parse({})).toEqual({});
  expect(reasons(requestedGreeting as never, { sender: ' ', blessing: 'x'.repeat(121), theme: '../x' })).toEqual([
    'sender: expected a sender of 1 to 40 characters, and a letter, a digit or a symbol among them',
    'blessing: expected a blessing of 1 to 120 characters, and a letter, a digit or a symbol among them',
    'theme: expected 1 to 64 letters, digits, _ or -',
  ]);
  expect(themeTitle.safeParse('x'.repeat(60)).success).toBe(true);
  expect(themeTitle.safeParse('x'.repeat(61)).success).toBe(false);
  for (const id of ['', 'a b', 'a/b', 'a.1', '{a}', 'ä', 'x'.repeat(65), '%2e'])
    expect(themeId.safeParse(id).success, id).toBe(false);
});

test('a win has the blessing of the highest prize that it reaches, or else that of all', () => {
  const { prizes } = requestedGreeting.parse({
    prizes: [
      { from: '9.00', blessing: 'Well done' },
      { from: '88.00', blessing: 'Grand prize' },
    ],
  });
  expect(
    prizes!.map(({ from }) => from),
    'the largest first',
  ).toEqual(['88.00', '9.00']);
  const said = (amount: string) => blessingOf({ blessing: 'Good luck', prizes: prizes! }, amount);
  expect(['8.99', '9.00', '87.99', '88.00', '1000.00'].map(said)).toEqual([
    'Good luck',
    'Well done',
    'Well done',
    'Grand prize',
    'Grand prize',
  ]);
  expect([
    blessingOf({ prizes: prizes! }, '1.00'),
    blessingOf({ blessing: 'Good luck' }, '1.00'),
    blessingOf({}, '1.00'),
  ]).toEqual([undefined, 'Good luck', undefined]);
  expect(requestedGreeting.parse({ prizes: [] }), 'none is none').toEqual({});
});

test('[R12] a prize has an amount above zero, which no other has, and a blessing', () => {
  const prize = (from: unknown, blessing: unknown = 'Well done') => ({ from, blessing });
  expect(reasons(requestedGreeting as never, { prizes: [prize('1.00'), prize('0.00')] })).toEqual([
    expect.stringMatching(/^prizes: 1: from: expected a positive amount/),
  ]);
  expect(reasons(requestedGreeting as never, { prizes: [prize('1.00'), prize('1.00')] })).toEqual([
    'prizes: 1: from: expected another amount, 1.00 has a blessing',
  ]);
  expect(reasons(requestedGreeting as never, { prizes: [prize('1.00', ' ')] })).toEqual([
    'prizes: 0: blessing: expected a blessing of 1 to 120 characters, and a letter, a digit or a symbol among them',
  ]);
  expect(
    reasons(requestedGreeting as never, { prizes: Array.from({ length: 9 }, (_, i) => prize(`${i + 1}.00`)) }),
  ).toEqual(['prizes: expected at most 8 prizes']);
});
