import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RainSnapshot } from '../../src/protocol/messages.ts';
import type { SaleSnapshot } from '../../src/protocol/saleMessages.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { BIG_SCREEN, configure, cutOff, PROJECTOR, REACHABLE, TELEVISION, untilStage } from './hallScreen.ts';
import { photograph } from './operator.ts';
import { text } from './player.ts';
import { openScriptedPage, saleSnapshotOf, snapshotOf } from './scriptedPage.ts';

const SCREENS = { projector: PROJECTOR, big: BIG_SCREEN, television: TELEVISION };
const PLAN = { budget: '88888.00', packets: 400, split: { method: 'double-mean' } } as const;

const LANGUAGES = {
  'en-US': {
    event: 'The Annual Winter Party of the Northern Region and its Partners',
    title: 'Round one: a gift of the house for everybody who came through the snow',
    sender: 'The board and all managers of the region',
    blessing:
      'May the new year bring you health, good friends, long evenings by the fire, and now and then a packet that falls into your hand.',
    user: 'Maximiliana Wolkenstein',
    goods: [
      'Two seats at the New Year gala, first row',
      'Lion dance T-shirt, limited edition, unisex fit',
      'Dragon mug',
    ],
  },
  'zh-CN': {
    event: '二零二七年度北方大区全体员工暨合作伙伴新春联欢晚会与颁奖典礼暨供应商答谢会',
    title: '第一轮：感谢各位冒雪前来参加今晚的聚会',
    sender: '北方大区管理委员会全体成员',
    blessing:
      '祝大家在新的一年里身体健康、阖家欢乐、万事如意、财源广进，愿每一份努力都有回报，愿每一次相聚都充满欢笑，愿好运如同今晚的红包雨一样常伴左右。',
    user: '王小明和他的朋友们的昵称',
    goods: ['春晚观众席门票两张（前排）', '新春限定纪念 T 恤 · 醒狮款（男女同款）', '龙年马克杯'],
  },
} as const;

/** A wide logo with a tall picture of the sponsor, and the other way round. */
const THEMES = [
  {
    locale: 'en-US',
    name: 'wide',
    logo: [1_600, 120],
    sponsor: [60, 600],
    colours: { background: '#10305c', packet: '#d4a017', accent: '#ffd166' },
    picture: true,
  },
  { locale: 'zh-CN', name: 'tall', logo: [120, 1_600], sponsor: [1_600, 100], colours: {}, picture: false },
] as const;

/** A second without a sound, as WAV: 8,000 bytes of 8 bits each. */
const SILENCE = Buffer.concat([
  Buffer.from(
    'RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x40\x1f\0\0',
    'latin1',
  ),
  Buffer.alloc(8_000, 128),
]);

/** A striped picture, as a PNG. */
async function draw(page: Page, size: readonly [number, number], paint: string): Promise<Buffer> {
  const address = await page.evaluate(
    ([width, height, colour]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const pen = canvas.getContext('2d')!;
      pen.fillStyle = colour;
      pen.fillRect(0, 0, width, height);
      pen.fillStyle = '#ffffffaa';
      for (let i = 0; i < 12; i++) pen.fillRect((i * width) / 12, (i * height) / 12, width / 24, height / 24);
      return canvas.toDataURL('image/png');
    },
    [...size, paint] as const,
  );
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

/** Answers as the console does for this theme. */
async function serveTheme(
  page: Page,
  { logo, sponsor, colours, picture }: (typeof THEMES)[number],
  greeting: { sender: string; blessing: string },
): Promise<void> {
  const files = {
    logo: await draw(page, logo, '#e63946'),
    sponsor: await draw(page, sponsor, '#2a9d8f'),
    ...(picture && { background: await draw(page, [1_920, 1_080], '#dddddd') }),
  };
  const addresses = Object.fromEntries(Object.keys(files).map((kind) => [kind, `api/theme/files/${kind}.png`]));
  await page.route('**/api/theme**', (route) => {
    const kind = /files\/(\w+)\.png/.exec(route.request().url())?.[1] as keyof typeof files | undefined;
    return kind
      ? route.fulfill({ contentType: 'image/png', body: files[kind]! })
      : route.fulfill({ json: { ...greeting, theme: { id: 'gala', colours, files: addresses } } });
  });
}

describe.skipIf(WITHOUT_CHROMIUM)('the screen of a hall, in the theme of an event', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test('music begins with the button "Full screen", plays before and during a rain, and can be silenced', async () => {
    const rain = snapshotOf('r1', { state: 'loaded', opensAt: Date.now() + 60_000 });
    const { page, tell } = await openScriptedPage(browser, {
      rain,
      path: '/hall',
      window: { viewport: PROJECTOR, hasTouch: false },
      prepare: async (opened) => {
        await opened.route('**/api/theme**', (route) =>
          route.request().url().includes('/files/')
            ? route.fulfill({ contentType: 'audio/wav', body: SILENCE })
            : route.fulfill({
                json: { theme: { id: 'gala', colours: {}, files: { music: 'api/theme/files/ab.wav' } } },
              }),
        );
      },
    });
    const plays = (expected: boolean) =>
      expect
        .poll(() => page.getByTestId('music').evaluate((music) => !(music as HTMLAudioElement).paused), {
          timeout: 15_000,
        })
        .toBe(expected);
    await untilStage(page, 'before');
    await plays(false);
    expect(await page.getByTestId('sound').isVisible()).toBe(false);
    await page.getByTestId('full').click();
    await plays(true);
    await page.getByTestId('sound').click();
    await plays(false);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByTestId('sound').click();
    await plays(true);
    tell({ ...rain, state: 'open', opensAt: Date.now() - 1_000 });
    await untilStage(page, 'raining');
    await plays(true);
    tell({ ...rain, state: 'closed', opensAt: Date.now() - 1_000 });
    await untilStage(page, 'after');
    await plays(false);
  }, 120_000);

  test.each(THEMES)(
    'in $locale, with a logo that is $name: each stage of a rain and of a sale; nothing is cut off, nobody is kept out',
    async (theme) => {
      const { locale } = theme;
      const { event, title, sender, blessing, user, goods } = LANGUAGES[locale];
      const rain = snapshotOf('r1', {
        title,
        state: 'loaded',
        opensAt: Date.now() + 3_675_000,
        closesAt: Date.now() + 7_000_000,
        packets: 88_888,
        left: 88_888,
        rehearsal: true,
      });
      const { page, tell, say } = await openScriptedPage(browser, {
        rain,
        path: '/hall',
        window: { viewport: PROJECTOR, locale, hasTouch: false },
        book: {
          leaderboard: async (rainId) => ({
            rainId,
            luckiest: [1, 2, 3].map((place) => ({ user, amount: `${place}2888.88`, redPacketId: `p${place}` })),
            final: true,
          }),
        },
        prepare: async (opened) => {
          await serveTheme(opened, theme, { sender, blessing });
          await configure(opened, { page: REACHABLE, event });
        },
      });
      async function look(stage: string): Promise<void> {
        for (const picture of ['logo', 'sponsor']) await page.getByTestId(picture).locator('img').waitFor();
        for (const [screen, viewport] of Object.entries(SCREENS)) {
          await page.setViewportSize(viewport);
          await expect.poll(() => cutOff(page), { message: `${stage} on ${screen}`, timeout: 10_000 }).toEqual([]);
          await photograph(page, `${stage}-${locale}-${theme.name}-${screen}`, 'hall');
        }
        expect(await findBarriers(page), stage).toEqual([]);
      }
      const see = async (told: RainSnapshot | SaleSnapshot, stage: string) => {
        tell(told);
        await untilStage(page, stage);
        await look(stage);
      };
      await see(rain, 'before');
      expect([await text(page, 'blessing'), await text(page, 'sender')]).toEqual([
        blessing,
        expect.stringContaining(sender),
      ]);
      tell({ ...rain, opensAt: Date.now() + 9_900 });
      await page.locator('[data-last]').waitFor();
      await look('last-seconds');
      const open = { ...rain, opensAt: Date.now() - 1_000, state: 'open' } as const;
      say({
        type: 'winners',
        rainId: 'r1',
        winners: Array.from({ length: 10 }, (_, i) => ({ user, amount: `${i + 1}288.21` })),
      });
      await see({ ...open, left: 12_345 }, 'raining');
      await see({ ...open, state: 'paused', left: 12_345 }, 'paused');
      tell({ ...open, left: 0 });
      await page.getByTestId('places').locator('li').nth(2).waitFor();
      await see({ ...open, left: 0 }, 'gone');
      await see({ ...rain, state: 'settled', left: 0, plan: PLAN }, 'after');

      const many = (count: number, left: number): SaleSnapshot['items'] =>
        Array.from({ length: count }, (_, i) => ({
          sku: `item-${i}`,
          name: goods[i % goods.length]!,
          price: i % 3 === 0 ? '0.00' : '19.90',
          units: 10_000,
          left: i === 1 ? 0 : left,
        }));
      const sale = saleSnapshotOf('ticket-drop-of-the-annual-party', {
        title,
        state: 'loaded',
        opensAt: Date.now() + 75_000,
        items: many(3, 9_876),
        rehearsal: true,
      });
      tell(sale);
      await page.goto(page.url().replace(/\?.*/, '?sale=ticket-drop-of-the-annual-party'));
      await see(sale, 'sale_before');
      for (const count of [1, 3, 5, 12]) {
        tell({ ...sale, opensAt: Date.now() - 1_000, state: 'open', items: many(count, 9_876) });
        await untilStage(page, 'selling');
        await page
          .getByTestId('items')
          .locator('li')
          .nth(Math.min(8, count) - 1)
          .waitFor();
        await look(`selling-${count}`);
      }
      await see({ ...sale, opensAt: Date.now() - 1_000, state: 'open', items: many(3, 0) }, 'sold_out');
      await see({ ...sale, opensAt: Date.now() - 1_000, state: 'closed', items: many(12, 321) }, 'sale_over');
    },
    300_000,
  );
});
