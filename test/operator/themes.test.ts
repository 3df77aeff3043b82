import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRain } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import {
  listThemes,
  removeTheme,
  removeThemeFile,
  setGreeting,
  setTheme,
  setThemeFile,
} from '../../src/operator/themes.ts';
import { checkThemeFile } from '../../src/rain/theme/files.ts';
import { THEMES_MAX } from '../../src/rain/theme.ts';
import { redisNow } from '../../src/store/rains.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { pngOf } from '../support/png.ts';
import { png, sound } from '../support/themeFiles.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

const theme = async (id: string) => (await listThemes(context)).themes.find((one) => one.id === id);
const plan = { budget: '5.00', packets: 5 };
async function create(id: string, more: object = {}) {
  const now = await redisNow(context.redis);
  return createRain(context, { id, plan, opensAt: now + 60_000, closesAt: now + 120_000, ...more });
}
const verbs = async (): Promise<string[]> =>
  (await context.ledger.latestActions({ limit: 500 })).map(({ verb }) => verb).reverse();

test('a theme is made and changed, with a record each time; its files stay, and one theme is the default at most', async () => {
  const before = Date.now();
  expect(
    await setTheme(context, { id: 'spring', title: 'Spring', colours: { background: '#123456' }, isDefault: true }),
  ).toMatchObject({
    ok: true,
    theme: { id: 'spring', title: 'Spring', colours: { background: '#123456' }, isDefault: true, files: {} },
  });
  const logo = pngOf(64, 32, [200, 30, 40]);
  const withLogo = await setThemeFile(context, 'spring', 'logo', logo);
  const { sha256, bytes } = (await context.ledger.themes())[0]!.files.logo!;
  const kept = Buffer.from((await context.ledger.themeFile(sha256))!);
  expect(createHash('sha256').update(kept).digest('hex')).toBe(sha256);
  expect(checkThemeFile('logo', kept), 'written anew').toEqual({ ok: true, type: 'image/webp' });
  expect(withLogo).toMatchObject({
    ok: true,
    theme: { files: { logo: { url: `/api/theme/files/${sha256}.webp`, type: 'image/webp', bytes: kept.length } } },
  });
  expect(bytes).toBe(kept.length);
  expect(await setThemeFile(context, 'spring', 'logo', logo), 'repeated').toMatchObject({ ok: true });
  expect((await theme('spring'))!.files.logo, 'the same').toMatchObject({ url: `/api/theme/files/${sha256}.webp` });

  // An absent colour has the default look again; whether it is the default theme stays.
  expect(await setTheme(context, { id: 'spring', title: 'Spring party' })).toMatchObject({
    ok: true,
    theme: { title: 'Spring party', colours: {}, isDefault: true, files: { logo: {} } },
  });
  expect(await setTheme(context, { id: 'autumn', title: 'Autumn', isDefault: true })).toMatchObject({
    ok: true,
    theme: { isDefault: true },
  });
  expect((await theme('spring'))!.isDefault).toBe(false);
  await setTheme(context, { id: 'autumn', title: 'Autumn', isDefault: false });
  expect((await listThemes(context)).themes.map(({ id, isDefault }) => [id, isDefault])).toEqual([
    ['autumn', false],
    ['spring', false],
  ]);
  expect(Date.parse((await theme('spring'))!.changedAt)).toBeGreaterThanOrEqual(before - 1_000);

  expect(await setThemeFile(context, 'spring', 'music', sound.mp3())).toMatchObject({ ok: true });
  expect(await removeThemeFile(context, 'spring', 'logo')).toMatchObject({
    ok: true,
    theme: { files: { music: { type: 'audio/mpeg' } } },
  });
  expect(await removeThemeFile(context, 'spring', 'logo'), 'repeated').toMatchObject({ ok: true });
  expect(await context.ledger.themeFile(sha256)).toBeUndefined();
  expect(await verbs()).toEqual([
    'theme_set',
    'theme_file',
    'theme_file',
    'theme_set',
    'theme_set',
    'theme_set',
    'theme_file',
    'theme_file_remove',
  ]);
});

test('[R12] what cannot be is refused, by its name', async () => {
  const before = await listThemes(context);
  const refusals = async (done: Promise<object>) => ((await done) as { refusals?: unknown }).refusals;
  expect(await refusals(setTheme(context, { id: 'a b', title: '', colours: { accent: 'gold' } }))).toMatchObject([
    { field: 'id' },
    { field: 'title' },
    { field: 'colours.accent' },
  ]);
  expect(
    await refusals(setTheme(context, { id: 'light', title: 'Light', colours: { background: '#ffffff' } })),
  ).toMatchObject([
    { field: 'colours.background', reason: expect.stringContaining('a contrast of 1.1') },
    { field: 'colours.background' },
  ]);
  expect(await refusals(setThemeFile(context, 'spring', 'logo', png(60_000, 60_000)))).toMatchObject([
    { field: 'logo', reason: expect.stringContaining('60000 × 60000 px') },
  ]);
  expect(await refusals(setThemeFile(context, 'spring', 'logo', png(8, 8))), 'a header alone').toMatchObject([
    { field: 'logo', reason: expect.stringContaining('expected a whole picture') },
  ]);
  for (const done of [
    setThemeFile(context, 'none', 'logo', pngOf(8, 8, [1, 2, 3])),
    removeThemeFile(context, 'none', 'logo'),
    removeTheme(context, 'none'),
  ])
    expect(await refusals(done)).toEqual([{ field: 'theme', reason: 'there is no theme none' }]);
  expect(await listThemes(context)).toEqual(before);
});

test('a rain has a greeting from its creation on, or later, and at any time another one', async () => {
  expect(await create('dark', { greeting: { theme: 'none' } })).toEqual({
    ok: false,
    refusals: [{ field: 'greeting.theme', reason: 'there is no theme none' }],
  });
  expect(await create('loud', { greeting: { blessing: 'x'.repeat(121) } })).toMatchObject({
    ok: false,
    refusals: [{ field: 'greeting.blessing' }],
  });
  expect(await context.ledger.countRains()).toBe(0);

  expect(await create('r1', { greeting: { sender: 'Ann Li', blessing: '恭喜发财', theme: 'spring' } })).toMatchObject({
    ok: true,
  });
  expect((await showRain(context, 'r1'))!.greeting).toEqual({
    sender: 'Ann Li',
    blessing: '恭喜发财',
    theme: 'spring',
  });
  expect(await context.ledger.lastDetails('r1', 'greeting')).toEqual({
    sender: 'Ann Li',
    blessing: '恭喜发财',
    theme: 'spring',
  });
  expect(await create('r2')).toMatchObject({ ok: true });
  expect(await showRain(context, 'r2')).not.toHaveProperty('greeting');

  expect(await setGreeting(context, 'r2', { sender: 'Ben', blessing: null })).toEqual({
    ok: true,
    greeting: { sender: 'Ben' },
  });
  expect(await setGreeting(context, 'r2', { blessing: 'Cheers!' })).toEqual({
    ok: true,
    greeting: { blessing: 'Cheers!' },
  });
  expect(await context.ledger.greeting('r2')).toEqual({ blessing: 'Cheers!' });
  const prizes = [
    { from: '88.00', blessing: 'Grand prize' },
    { from: '9.00', blessing: 'Well done' },
  ];
  expect(await setGreeting(context, 'r2', { prizes: [...prizes].reverse() })).toEqual({
    ok: true,
    greeting: { prizes },
  });
  expect([await context.ledger.greeting('r2'), (await showRain(context, 'r2'))!.greeting]).toEqual([
    { prizes },
    { prizes },
  ]);
  expect(await setGreeting(context, 'r2', {})).toEqual({ ok: true, greeting: {} });
  expect(await showRain(context, 'r2')).not.toHaveProperty('greeting');
  expect(await setGreeting(context, 'r2', { theme: 'none' })).toEqual({
    ok: false,
    refusals: [{ field: 'theme', reason: 'there is no theme none' }],
  });
  expect(await setGreeting(context, 'nowhere', { sender: 'Ben' })).toMatchObject({
    ok: false,
    refusals: [{ field: 'id' }],
  });
  expect(await context.ledger.greeting('nowhere')).toBeUndefined();
});

test('a repeated creation leaves the greeting that was changed meanwhile', async () => {
  const request = {
    greeting: { sender: 'Ann' },
    opensAt: (await redisNow(context.redis)) + 60_000,
    closesAt: (await redisNow(context.redis)) + 120_000,
  };
  await create('again', request);
  await setGreeting(context, 'again', { sender: 'Ben' });
  expect(await create('again', request)).toMatchObject({ ok: true });
  expect(await context.ledger.greeting('again')).toEqual({ sender: 'Ben' });
});

test('a theme that is removed takes its files along, and its rains have the default one', async () => {
  expect(await removeTheme(context, 'spring')).toEqual({ ok: true, removed: true });
  expect(await context.ledger.greeting('r1')).toEqual({ sender: 'Ann Li', blessing: '恭喜发财' });
  expect(await theme('spring')).toBeUndefined();
});

test('[R10] there are a hundred themes at most, however many are made at once', async () => {
  const make = (n: number) => setTheme(context, { id: `t${n}`, title: `Theme ${n}`, isDefault: true });
  // One is there.
  for (let n = 4; n < THEMES_MAX; n++) expect(await make(n)).toMatchObject({ ok: true });
  const made = await Promise.all([0, 1, 2, 3, 100, 101].map(make));
  expect(made.filter(({ ok }) => !ok)).toEqual(
    Array.from({ length: 3 }, () => ({
      ok: false,
      refusals: [{ field: 'id', reason: 'there are 100 themes, which is the most; remove one first' }],
    })),
  );
  const { themes } = await listThemes(context);
  expect([themes.length, themes.filter(({ isDefault }) => isDefault).length]).toEqual([100, 1]);
  expect(
    await setTheme(context, { id: themes[0]!.id, title: 'Changed' }),
    'one that is there may change',
  ).toMatchObject({ ok: true });
});
