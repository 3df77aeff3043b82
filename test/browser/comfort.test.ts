import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { close } from '../../src/grab/phases.ts';
import type { Purse } from '../../src/wallet/purse.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/gateway.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { paintedPixels, rehearsed, shows, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

const NOTHING: Omit<Purse, 'userId'> = { wallet: '0.00', pending: '0.00', packets: [], settled: true };
const PACKET = { rainId: 'r', title: 'Spring rain', redPacketId: 'p-1', amount: '12.21', at: '2026-02-17T12:00:00.000Z' };

describe.skipIf(WITHOUT_CHROMIUM)('what makes a rain pleasant', () => {
  let purse: () => Promise<Omit<Purse, 'userId'>>;
  let final = false;
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({
      book: {
        openPurse: async (userId) => ({ userId, ...await purse() }),
        podium: async (rainId) => ({ rainId, luckiest: [{ user: 'g***t', amount: '9.00', redPacketId: 'p' }, { user: '<b>x</b>', amount: '2.00', redPacketId: 'q' }], final }),
      },
    });
  });
  afterAll(() => stage?.end());
  beforeEach(() => {
    purse = async () => NOTHING;
    final = false;
  });
  afterEach(async () => {
    await stage?.closeWindows();
    // What one test has left open would offer itself to the next.
    for (const rainId of await stage.redis.hkeys('rain:live')) await close(stage.redis, rainId, 1, 'early');
  });

  const drawn = async (page: Page) => Number(await page.getByTestId('sky').getAttribute('data-frames'));

  test.each([
    ['by the renderer that fits this machine', /^(webgl|canvas)$/, async () => {}],
    ['by WebGL where there is a graphics card', /^webgl$/, (page: Page) => page.addInitScript(() => {
      const plain = WebGL2RenderingContext.prototype.getParameter;
      WebGL2RenderingContext.prototype.getParameter = function (this: WebGL2RenderingContext, name: number): unknown {
        const told: unknown = plain.call(this, name);
        return typeof told === 'string' ? told.replaceAll(/swiftshader|llvmpipe|software/gi, 'a card') : told;
      };
    })],
  ] as const)('packets are drawn %s, frame after frame; what was measured is told', async (_by, renderer, prepare) => {
    const rainId = `frames-${renderer.source}`.replaceAll(/\W/g, '');
    await stockRain(stage.redis, { rainId, amounts: ['1.00'] });
    const page = await stage.open('/?rain=none');
    await prepare(page);
    await page.goto(`${stage.console.url}/?rain=${rainId}`);
    await shows(page, 'open');
    await page.locator('[data-testid=sky]:not([data-painter=pen])').waitFor();
    const before = await drawn(page);
    await eventually(async () => await drawn(page) > before + 10, { timeoutMs: 30_000 });
    await eventually(async () => await paintedPixels(page) > 5_000, { timeoutMs: 30_000 });
    const { painter, rate } = await page.getByTestId('sky').evaluate((sky: HTMLElement) => ({ painter: sky.dataset['painter'], rate: sky.dataset['rate'] }));
    expect(painter).toMatch(renderer);
    console.info(`${painter}: ${rate} frames a second`);
  });

  test.each([
    ['without WebGL the renderer paints on a plain canvas', 'canvas', async (page: Page) => page.addInitScript(() => {
      const plain = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: unknown) {
        return /webgl/.test(kind) ? null : Reflect.apply(plain, this, [kind, options]);
      } as typeof plain;
      Reflect.deleteProperty(globalThis, 'OffscreenCanvas');
    })],
    ['without the renderer the page paints by itself', 'pen', async (page: Page) => page.route(/pixi-painter/, (route) => route.abort())],
  ] as const)('%s, and one can play', async (_what, painter, spoil) => {
    await stockRain(stage.redis, { rainId: `with-${painter}`, amounts: ['1.00'] });
    const page = await stage.open('/?rain=none');
    await spoil(page);
    await page.goto(`${stage.console.url}/?rain=with-${painter}`);
    await shows(page, 'open');
    await page.locator(`[data-testid=sky][data-painter=${painter}]`).waitFor();
    await eventually(async () => await paintedPixels(page) > 5_000);
    await page.getByTestId('grab').click();
    await shows(page, 'won');
  });

  test('a graphics card that goes away takes nothing with it', async () => {
    await stockRain(stage.redis, { rainId: 'lost-card', amounts: ['1.00'] });
    const page = await stage.open('/?rain=lost-card');
    await shows(page, 'open');
    await page.locator('[data-testid=sky]:not([data-painter=pen])').waitFor();
    await page.getByTestId('sky').evaluate((sky) => sky.querySelector('canvas')!.dispatchEvent(new Event('webglcontextlost')));
    await page.locator('[data-testid=sky][data-painter=pen]').waitFor();
    await eventually(async () => await paintedPixels(page) > 5_000);
  });

  test('the amount counts up for the eye, and stands there for everybody else from the first moment', async () => {
    await stockRain(stage.redis, { rainId: 'counting', amounts: ['88.88'] });
    const page = await stage.open('/?rain=counting');
    await shows(page, 'open');
    await page.evaluate(() => {
      const big = document.querySelector<HTMLElement>('[data-testid=big]')!;
      const seen: (string | undefined)[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => seen.push(big.textContent!, big.dataset['counting'])).observe(big, { attributes: true, attributeFilter: ['data-counting'] });
    });
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    const seen = () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    await eventually(async () => (await seen()).length > 0);
    expect((await seen()).slice(0, 2)).toEqual(['¥88.88', '¥0.00']);
    await page.locator('[data-testid=big]:not([data-counting])').waitFor();
    await page.reload();
    await shows(page, 'won');
    expect(await page.getByTestId('phone').getAttribute('data-arrived')).toBeNull();
  });

  test('the wallet follows a packet on its way, and says so when the console does not answer', async () => {
    await stockRain(stage.redis, { rainId: 'wallet', amounts: ['12.21'] });
    const page = await stage.open('/?rain=wallet');
    await shows(page, 'open');
    await page.getByTestId('purse-button').click();
    await eventually(async () => await text(page, 'purse-word') === 'No packets yet. The first one will appear here.');
    await page.getByTestId('purse-close').click();
    purse = async () => ({ ...NOTHING, pending: '12.21', packets: [{ ...PACKET, status: 'pending' }] });
    await page.getByTestId('purse-button').click();
    await eventually(async () => (await text(page, 'purse-list')).includes('On its way'));
    expect(await text(page, 'purse-pending')).toBe('+ ¥12.21 on its way');
    purse = async () => ({ ...NOTHING, wallet: '12.21', packets: [{ ...PACKET, status: 'credited' }] });
    await eventually(async () => (await text(page, 'purse-list')).includes('In your wallet'), { timeoutMs: 10_000 });
    expect([await text(page, 'purse-sum'), await text(page, 'purse-pending')]).toEqual(['¥12.21', '']);
    await page.keyboard.press('Escape');
    purse = () => Promise.reject(new Error('the book is away'));
    await page.getByTestId('purse-button').click();
    await eventually(async () => (await text(page, 'purse-word')).startsWith('The wallet cannot be shown just now'));
    expect(await text(page, 'purse-sum')).toBe('¥12.21');
  });

  test('a rain that begins closes the wallet: nobody misses it for having looked', async () => {
    await stockRain(stage.redis, { rainId: 'sudden', amounts: ['1.00'], opensInMs: 15_000 });
    const page = await stage.open('/?rain=sudden');
    await shows(page, 'scheduled');
    await page.getByTestId('purse-button').click();
    await page.getByTestId('purse').waitFor();
    await shows(page, 'open', 30_000);
    expect(await page.getByTestId('purse').isVisible()).toBe(false);
  });

  test('the luckiest are shown when the rain is over, as text, and said to be so far as long as they may change', async () => {
    await stockRain(stage.redis, { rainId: 'lucky', amounts: ['1.00', '2.00'] });
    const page = await stage.open('/?rain=lucky');
    await shows(page, 'open');
    expect(await page.getByTestId('luckiest').isVisible()).toBe(false);
    await close(stage.redis, 'lucky', 1, 'early');
    await page.getByTestId('luckiest').waitFor();
    expect(await text(page, 'luckiest')).toBe('Luckiest so farg***t¥9.00<b>x</b>¥2.00');
    final = true;
    await eventually(async () => (await text(page, 'luckiest')).startsWith('Luckiestg'), { timeoutMs: 15_000 });
  });

  test('when a rain is over the next one offers itself, can be gone to at once, and is gone to shortly before it starts', async () => {
    await stockRain(stage.redis, { rainId: 'round-1', amounts: ['1.00'] });
    const page = await stage.open('/?rain=round-1');
    await shows(page, 'open');
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    expect(await page.getByTestId('next').isVisible()).toBe(true);
    await stockRain(stage.redis, { rainId: 'round-2', title: 'Second round', amounts: ['2.00'], opensInMs: 400_000 });
    await page.getByTestId('ahead').waitFor();
    expect(await text(page, 'ahead')).toMatch(/^Next rain in 6:\d\dSecond round$/);
    await page.getByTestId('ahead').click();
    await shows(page, 'scheduled');
    expect(new URL(page.url()).searchParams.get('rain')).toBe('round-2');
    await close(stage.redis, 'round-2', 1, 'early');
    await shows(page, 'too_late');
    await stockRain(stage.redis, { rainId: 'round-3', title: 'Third round', amounts: ['3.00'], opensInMs: 35_000 });
    await page.getByTestId('ahead').waitFor();
    await shows(page, 'scheduled', 45_000);
    expect(await text(page, 'title')).toBe('Third round');
    await shows(page, 'open', 30_000);
    await page.keyboard.press('Enter');
    await shows(page, 'won');
    expect(await text(page, 'big')).toBe('¥3.00');
  }, 150_000);

  test('[R6] a win that the page had not heard of is shown as what it is', async () => {
    await stockRain(stage.redis, { rainId: 'unheard-of', amounts: ['12.21', '0.50'] });
    const page = await stage.open('/?rain=unheard-of');
    await shows(page, 'open');
    const user = await userOf(page);
    await stage.stopGateway();
    await page.locator('[data-testid=phone][data-link=lost]').waitFor({ timeout: 20_000 });
    const elsewhere = await openGateway(stage.testRedis.url);
    const other = await dial(elsewhere.url, user);
    other.say({ type: 'grab', rainId: 'unheard-of' });
    await other.next('result');
    await other.leave();
    await elsewhere.close();
    await stage.restartGateway();
    await shows(page, 'won', 20_000);
    expect(await page.getByTestId('unheard').isVisible()).toBe(true);
    await page.reload();
    await shows(page, 'won');
    expect(await page.getByTestId('unheard').isVisible()).toBe(false);
  });

  test('a rehearsal wears its banner from lobby to win; a real rain has none', async () => {
    await stockRain(stage.redis, { rainId: 'real', amounts: ['1.00'] });
    const page = await stage.open('/?rain=real');
    await shows(page, 'open');
    expect(await page.getByTestId('rehearsal').isVisible()).toBe(false);
    await rehearsed(page);
    await page.reload();
    await page.getByTestId('rehearsal').waitFor();
    expect(await text(page, 'rehearsal')).toBe('Rehearsal: no real money');
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    expect(await page.getByTestId('rehearsal').isVisible()).toBe(true);
  });
});
