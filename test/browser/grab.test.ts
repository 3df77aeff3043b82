import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { announceChange, close, pause, reschedule, resume } from '../../src/store/transitions.ts';
import { redisNow } from '../../src/store/rains.ts';
import { dial } from '../support/client.ts';
import { dump, stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { overhear, shows, tapPackets, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('a player in a real browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test("[R7] sees a countdown by the server's clock, cannot grab before the start, and then wins by tapping a falling packet", async () => {
    await stockRain(stage.redis, { rainId: 'countdown', amounts: ['12.21'], opensInMs: 59_000 });
    const before = await dump(stage.redis, '*countdown*');
    const page = await stage.open('/?rain=countdown', { reducedMotion: 'no-preference' });
    const said = await overhear(page);
    await shows(page, 'scheduled');
    expect(await text(page, 'big')).toMatch(/^[1-5]?\d$/);
    expect(await page.getByTestId('grab').isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.touchscreen.tap(195, 400);
    expect(await dump(stage.redis, '*countdown*')).toEqual(before);
    // The rain opens in one second; the page opens it by the clock.
    const now = await redisNow(stage.redis);
    expect(await reschedule(stage.redis, 'countdown', 1, { opensAt: now + 1_000, closesAt: now + 600_000 })).toBe(
      'moved',
    );
    await shows(page, 'open');
    expect(said.filter(({ type }) => type === 'grab')).toEqual([]);
    await tapPackets(page);
    await shows(page, 'won');
    expect(await text(page, 'big')).toBe('¥12.21');
    expect(await text(page, 'detail')).toBe('On its way to your wallet …');
    expect(await text(page, 'spoken')).toContain('¥12.21');
    expect(JSON.parse((await stage.redis.hget(shardKeys('countdown', 0).claimed, await userOf(page)))!)).toMatchObject({
      amount: '12.21',
    });
  });

  test('[R7] is stopped by a pause, continues, and sees when all packets are gone', async () => {
    await stockRain(stage.redis, { rainId: 'watched', amounts: ['1.00'] });
    const page = await stage.open('/?rain=watched');
    await shows(page, 'open');
    await pause(stage.redis, 'watched', 1);
    await shows(page, 'paused');
    await page.keyboard.press('Enter');
    await resume(stage.redis, 'watched', 1);
    await shows(page, 'open');
    expect(await stage.redis.llen(shardKeys('watched', 0).claims)).toBe(0);
    const other = await dial(stage.gateway.url, 'quicker');
    other.say({ type: 'grab', rainId: 'watched' });
    expect((await other.next('result')).code).toBe('0');
    await other.leave();
    await shows(page, 'gone');
  });

  test('waits without a rain, plays the next planned one, stays with it, and sees when it is over', async () => {
    for (const rainId of await stage.redis.hkeys('rain:live')) await close(stage.redis, rainId, 1, 'early');
    const page = await stage.open('/');
    await shows(page, 'no_rain');
    await stockRain(stage.redis, { rainId: 'next', amounts: ['5.00'], opensInMs: 59_000 });
    await announceChange(stage.redis, 'next');
    await shows(page, 'scheduled');
    await stockRain(stage.redis, { rainId: 'after', amounts: ['5.00'] });
    await page.reload();
    await shows(page, 'scheduled');
    expect(new URL(page.url()).searchParams.get('rain')).toBe('next');
    await close(stage.redis, 'next', 1, 'early');
    await shows(page, 'too_late');
  });
});
