import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RainTheme } from '../../client-demo/src/rain-theme.ts';
import type { ShownTheme } from '../../client-demo/src/theme.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const GALA: ShownTheme = {
  sender: 'the board',
  blessing: 'Happy new year',
  theme: { id: 'gala', colours: { accent: '#ffcc00' }, files: {} },
};
const PLAIN: ShownTheme = {};

/** Rains and their themes. */
function script(themes: Record<string, ShownTheme>) {
  const asked: (string | undefined)[] = [];
  const applied: (string | undefined)[] = [];
  const theme = new RainTheme({
    random: () => 0.5,
    onTheme: (shown) => applied.push(shown.theme?.id),
    read: async (rainId) => {
      asked.push(rainId);
      return themes[rainId ?? 'default'] ?? {};
    },
  });
  return { theme, asked, applied };
}

test('the theme of the first rain is read at once, and that of the next one when not all pages read it', async () => {
  const { theme, asked, applied } = script({ first: GALA, second: PLAIN });
  for (let frame = 0; frame < 3; frame++) theme.follow('first');
  await vi.advanceTimersByTimeAsync(0);
  expect([asked, applied, theme.greeting]).toEqual([
    ['first'],
    ['gala'],
    { sender: 'the board', blessing: 'Happy new year' },
  ]);
  theme.follow('second');
  expect(theme.greeting, 'said with the first rain').toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_999);
  expect([asked, applied]).toEqual([['first'], ['gala']]);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked, applied, theme.greeting]).toEqual([['first', 'second'], ['gala', undefined], undefined]);
});

test('a theme that is shown already is not applied again, and a late answer about another rain counts for nothing', async () => {
  const { theme, applied } = script({ default: { theme: GALA.theme! }, first: GALA });
  theme.follow(undefined);
  await vi.advanceTimersByTimeAsync(0);
  theme.follow('first');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([applied, theme.greeting?.sender]).toEqual([['gala'], 'the board']);

  let answer = (_shown: ShownTheme) => {};
  const late: unknown[] = [];
  const slow = new RainTheme({
    random: () => 0,
    onTheme: (shown) => late.push(shown),
    read: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  slow.follow('first');
  await vi.advanceTimersByTimeAsync(0);
  const answerOfFirst = answer;
  slow.follow('second');
  answerOfFirst(GALA);
  await vi.advanceTimersByTimeAsync(0);
  expect([late, slow.greeting]).toEqual([[], undefined]);
});

test('only a rain by invitation is read with the token, also if the page learns late that it is one', async () => {
  const asked: unknown[] = [];
  const theme = new RainTheme({
    random: () => 0,
    token: async () => 'token',
    onTheme: () => {},
    read: async (...request) => {
      asked.push(request);
      return {};
    },
  });
  theme.follow('first');
  await vi.advanceTimersByTimeAsync(0);
  for (let frame = 0; frame < 3; frame++) theme.follow('first', true);
  await vi.advanceTimersByTimeAsync(0);
  theme.follow('second', false);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([
    ['first', undefined],
    ['first', 'token'],
    ['second', undefined],
  ]);
});

test('a theme that cannot be read now is asked for again, and the page stays as it is meanwhile', async () => {
  const answers: (ShownTheme | undefined)[] = [GALA, undefined, { sender: 'the board', theme: GALA.theme! }];
  const applied: (string | undefined)[] = [];
  const theme = new RainTheme({
    random: () => 0,
    onTheme: (shown) => applied.push(shown.theme?.id),
    read: async () => answers.shift(),
  });
  theme.follow('first');
  await vi.advanceTimersByTimeAsync(0);
  theme.follow('second');
  await vi.advanceTimersByTimeAsync(29_999);
  expect([answers.length, applied, theme.greeting]).toEqual([1, ['gala'], undefined]);
  await vi.advanceTimersByTimeAsync(1);
  expect([answers.length, applied, theme.greeting]).toEqual([0, ['gala'], { sender: 'the board' }]);
});
