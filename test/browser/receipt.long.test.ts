import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LIVE_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { overflowing, shows, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

/** A rain of one packet, so that the packet's name and amount are known. */
const AMOUNT = '12.21';

describe.skipIf(WITHOUT_CHROMIUM)('a page whose win the server has lost', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  async function win(rainId: string, locale: string) {
    await stockRain(stage.redis, { rainId, amounts: [AMOUNT] });
    const page = await stage.open(`/?rain=${rainId}`, { locale });
    await shows(page, 'open');
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    return page;
  }

  test('[R6] a reloaded page shows its receipt, and then the win', async () => {
    const page = await win('lost', 'en-US');
    const user = await userOf(page);
    const { claimed, claims, packets } = shardKeys('lost', 0);
    await stage.redis
      .multi()
      .hdel(claimed, user)
      .lpop(claims)
      .rpush(packets, packetElement(signer, 'lost', 'lost-0', AMOUNT))
      .exec();
    await stage.restartGateway();
    await page.reload();
    await shows(page, 'won');
    expect([await userOf(page), await text(page, 'big'), await stage.redis.hexists(claimed, user)]).toEqual([
      user,
      `¥${AMOUNT}`,
      1,
    ]);
  });

  test.each([
    ['en-US', 'Your win is on record.'],
    ['zh-CN', '你抢到的红包已登记。'],
  ])(
    'of a rain that the server has lost, the player is told that the win is written down, in %s',
    async (locale, sentence) => {
      const rainId = `gone-${locale}`;
      const page = await win(rainId, locale);
      await stage.redis.del(...Object.values(shardKeys(rainId, 0)));
      await stage.redis.hdel(LIVE_RAINS_KEY, rainId);
      await stage.restartGateway();
      await page.reload();
      await shows(page, 'unknown_rain');
      await shows(page, 'won');
      expect([await text(page, 'big'), await text(page, 'detail')]).toEqual([
        `¥${AMOUNT}`,
        expect.stringContaining(sentence),
      ]);
      for (const viewport of [
        { width: 320, height: 568 },
        { width: 568, height: 320 },
      ]) {
        await page.setViewportSize(viewport);
        expect(await overflowing(page), JSON.stringify(viewport)).toEqual([]);
      }
    },
  );
});
