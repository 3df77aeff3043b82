import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { close, pause, resume } from '../../src/grab/phases.ts';
import { shardKeys } from '../../src/grab/keys.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { dump, stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { overhear, paintedPixels, picture, shows, tapPackets, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('a player in a real browser', () => {
  let stage: Stage;
  beforeAll(async () => { stage = await setStage(); });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test('[R7] counts down by the server\'s clock, cannot grab before the start, and then wins by tapping a packet', async () => {
    await stockRain(stage.redis, { rainId: 'countdown', amounts: ['12.21'], opensInMs: 9_500 });
    const before = await dump(stage.redis, '*countdown*');
    const page = await stage.open('/?rain=countdown');
    const said = await overhear(page);
    await shows(page, 'scheduled');
    expect(await text(page, 'big')).toMatch(/^([1-9]|10)$/);
    expect(await page.getByTestId('grab').isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.touchscreen.tap(195, 400);
    await shows(page, 'open');
    expect(said.filter(({ type }) => type === 'grab')).toEqual([]);
    expect(await dump(stage.redis, '*countdown*')).toEqual(before);
    await tapPackets(page);
    await shows(page, 'won');
    expect(await text(page, 'big')).toBe('¥12.21');
    expect(await text(page, 'detail')).toBe('On its way to your wallet …');
    expect(await text(page, 'spoken')).toContain('¥12.21');
    expect(JSON.parse((await stage.redis.hget(shardKeys('countdown', 0).claimed, await userOf(page)))!)).toMatchObject({ amount: '12.21' });
  });

  test.each([['the button', 'click'], ['the space bar', ' '], ['the enter key', 'Enter']])('[R1] grabs with %s, once', async (_what, key) => {
    const rainId = `hand-${key.trim() || 'space'}`;
    await stockRain(stage.redis, { rainId, amounts: ['1.00', '2.00'] });
    const page = await stage.open(`/?rain=${rainId}`);
    const said = await overhear(page);
    await shows(page, 'open');
    if (key === 'click') await page.getByTestId('grab').click();
    else {
      await page.getByTestId('grab').focus();
      await page.keyboard.press(key);
    }
    await shows(page, 'won');
    await page.keyboard.press('Enter');
    expect(said.filter(({ type }) => type === 'grab')).toHaveLength(1);
    expect(await stage.redis.llen(shardKeys(rainId, 0).claims)).toBe(1);
  });

  test('says honestly that the last packet was gone', async () => {
    await stockRain(stage.redis, { rainId: 'gone', amounts: ['1.00'] });
    // What stands in the list but is no packet looks like one from afar.
    await stage.redis.del(shardKeys('gone', 0).packets);
    await stage.redis.lpush(shardKeys('gone', 0).packets, 'not a packet');
    const page = await stage.open('/?rain=gone');
    await shows(page, 'open');
    await page.getByTestId('grab').click();
    await shows(page, 'missed');
    expect(await text(page, 'headline')).toBe('Missed it');
    expect(await text(page, 'big')).toBe('');
    expect(await text(page, 'spoken')).toContain('Missed it');
  });

  test('hears that all packets have gone while it watched', async () => {
    await stockRain(stage.redis, { rainId: 'watched', amounts: ['1.00'] });
    const page = await stage.open('/?rain=watched');
    await shows(page, 'open');
    const other = await dial(stage.gateway.url, 'quicker');
    other.say({ type: 'grab', rainId: 'watched' });
    expect((await other.next('result')).code).toBe('0');
    await other.leave();
    await shows(page, 'gone');
  });

  test('[R7] stops while the rain is paused, goes on, and is told when it is over', async () => {
    await stockRain(stage.redis, { rainId: 'steered', amounts: ['1.00'] });
    const page = await stage.open('/?rain=steered');
    await shows(page, 'open');
    await pause(stage.redis, 'steered', 1);
    await shows(page, 'paused');
    await page.keyboard.press('Enter');
    await resume(stage.redis, 'steered', 1);
    await shows(page, 'open');
    await close(stage.redis, 'steered', 1, 'early');
    await shows(page, 'too_late');
    expect(await stage.redis.llen(shardKeys('steered', 0).claims)).toBe(0);
  });

  test('[R7] a rain that ends by the clock ends on the page without a message', async () => {
    await stockRain(stage.redis, { rainId: 'short', amounts: ['1.00'], closesInMs: 10_000 });
    const page = await stage.open('/?rain=short');
    await shows(page, 'open');
    await shows(page, 'too_late', 30_000);
    expect(await text(page, 'headline')).toBe('The rain is over');
  });

  test('a rain that does not exist is told as such, with a way on', async () => {
    for (const rainId of await stage.redis.hkeys('rain:live')) await close(stage.redis, rainId, 1, 'early');
    const page = await stage.open('/?rain=nowhere');
    await shows(page, 'unknown_rain');
    await page.getByTestId('next').waitFor();
    await stockRain(stage.redis, { rainId: 'somewhere', title: 'Somewhere', amounts: ['1.00'] });
    await page.getByTestId('ahead').waitFor();
    expect(await page.getByTestId('next').isVisible()).toBe(false);
    await page.getByTestId('ahead').click();
    await shows(page, 'open');
    expect(await text(page, 'title')).toBe('Somewhere');
  });

  test('packets fall', async () => {
    await stockRain(stage.redis, { rainId: 'falling', amounts: ['1.00'] });
    const page = await stage.open('/?rain=falling');
    await shows(page, 'open');
    await eventually(async () => await paintedPixels(page) > 1_000);
    const before = await picture(page);
    await eventually(async () => await picture(page) !== before);
  });

  test('packets hang still for those who asked for less motion, and can be tapped', async () => {
    await stockRain(stage.redis, { rainId: 'still', amounts: ['3.00'] });
    const page = await stage.open('/?rain=still', { reducedMotion: 'reduce' });
    await shows(page, 'open');
    await eventually(async () => await paintedPixels(page) > 1_000);
    const before = await picture(page);
    await page.evaluate(() => new Promise((resolve) => {
      let frames = 0;
      requestAnimationFrame(function next() { if (++frames === 20) resolve(undefined); else requestAnimationFrame(next); });
    }));
    expect(await picture(page)).toBe(before);
    await tapPackets(page);
    await shows(page, 'won');
  });

  test('speaks Chinese to a Chinese browser', async () => {
    await stockRain(stage.redis, { rainId: 'zh', amounts: ['8.88'] });
    const page = await stage.open('/?rain=zh', { locale: 'zh-CN' });
    await shows(page, 'open');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    expect(await text(page, 'grab')).toBe('抢');
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    expect(await text(page, 'headline')).toBe('恭喜抢到红包');
  });

  test('[R12] a title that looks like markup is shown as it is', async () => {
    await stockRain(stage.redis, { rainId: 'markup', amounts: ['1.00'] });
    const title = '<img src=x onerror="document.title=1">';
    await stage.redis.hset('rain:live', 'markup', JSON.stringify({ shards: 1, title }));
    const page = await stage.open('/?rain=markup');
    await shows(page, 'open');
    await eventually(async () => await text(page, 'title') === title);
    expect(await page.locator('img').count()).toBe(0);
  });
});
