import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HallTheme } from '../../client-demo/src/hall/hall-theme.ts';
import type { ShownTheme } from '../../client-demo/src/theme.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the theme of what is on the screen is asked for at once and then now and then, and shown when it has changed', async () => {
  const asked: (string | undefined)[] = [];
  const shown: ShownTheme[] = [];
  let blessing = 'Good luck';
  const theme = new HallTheme({
    show: (one) => shown.push(one),
    read: async (rainId) => {
      asked.push(rainId);
      return rainId === undefined
        ? {}
        : { blessing, theme: { id: 'gala', colours: {}, files: { music: 'api/theme/files/ab.mp3' } } };
    },
  });
  for (let i = 0; i < 3; i++) {
    theme.follow('round-1');
    await vi.advanceTimersByTimeAsync(0);
  }
  expect([asked, shown.map((one) => one.blessing), theme.music]).toEqual([
    ['round-1'],
    ['Good luck'],
    'api/theme/files/ab.mp3',
  ]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([asked.length, shown.length], 'nothing has changed').toEqual([2, 1]);
  blessing = 'Happy new year';
  await vi.advanceTimersByTimeAsync(30_000);
  expect(shown.at(-1)!.blessing).toBe('Happy new year');
  theme.follow(undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.at(-1), shown.at(-1), theme.music], 'beside a sale the default theme').toEqual([
    undefined,
    {},
    undefined,
  ]);
});

test('only a rain by invitation is asked for with the token of the screen', async () => {
  const asked: unknown[] = [];
  const theme = new HallTheme({
    show: () => {},
    token: () => 'token',
    read: async (...request) => {
      asked.push(request);
      return {};
    },
  });
  theme.follow('round-1');
  for (let i = 0; i < 3; i++) theme.follow('round-1', true);
  theme.follow(undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([
    ['round-1', undefined],
    ['round-1', 'token'],
    [undefined, undefined],
  ]);
});

test('an answer for what is not on the screen any more is dropped', async () => {
  const answers: ((shown: ShownTheme) => void)[] = [];
  const shown: ShownTheme[] = [];
  const theme = new HallTheme({
    show: (one) => shown.push(one),
    read: () => new Promise((resolve) => answers.push(resolve)),
  });
  theme.follow('round-1');
  theme.follow('round-2');
  answers[1]!({ blessing: 'second' });
  answers[0]!({ blessing: 'first' });
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toEqual([{ blessing: 'second' }]);
});

test('what cannot be read now stays on the screen, and so does its music', async () => {
  const answers: (ShownTheme | undefined)[] = [
    { theme: { id: 'gala', colours: {}, files: { music: 'api/theme/files/ab.mp3' } } },
    undefined,
    {},
  ];
  const shown: ShownTheme[] = [];
  const theme = new HallTheme({ show: (one) => shown.push(one), read: async () => answers.shift() });
  theme.follow('round-1');
  await vi.advanceTimersByTimeAsync(30_000);
  expect([answers.length, shown.length, theme.music]).toEqual([1, 1, 'api/theme/files/ab.mp3']);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([shown.at(-1), theme.music]).toEqual([{}, undefined]);
});

test('the greeting of the rain before is taken away at once, and its theme stays until the next is known', async () => {
  const shown: ShownTheme[] = [];
  const theme: ShownTheme['theme'] = { id: 'gala', colours: {}, files: {} };
  const answers: Promise<ShownTheme>[] = [
    Promise.resolve({ blessing: 'Good luck', sender: 'Ann', theme }),
    new Promise(() => {}),
  ];
  const hall = new HallTheme({ show: (one) => shown.push(one), read: () => answers.shift()! });
  hall.follow('round-1');
  await vi.advanceTimersByTimeAsync(0);
  hall.follow(undefined);
  expect(shown).toEqual([{ blessing: 'Good luck', sender: 'Ann', theme }, { theme }]);
});
