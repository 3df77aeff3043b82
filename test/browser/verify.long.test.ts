import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { announceChange, close, settle } from '../../src/store/transitions.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { draftRain, loadPackets } from '../../src/store/loadPackets.ts';
import { commitmentOf, verifyFairness } from '../../src/rain/commitment.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { eventually } from '../support/eventually.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, text } from './player.ts';
import { setStage, type Stage } from './stage.ts';
import { signer } from '../support/signer.ts';

const SHOWN = { rainId: 'proven', seed: 'ab'.repeat(32), plan: { budget: '200.00', packets: 20 }, shards: 1 };

describe.skipIf(WITHOUT_CHROMIUM)('a sceptical player in a real browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.end());

  async function reveal(): Promise<void> {
    await close(stage.redis, 'proven', 1, 'early');
    await settle(stage.redis, 'proven', (await findRain(stage.redis, 'proven'))!, { ttlMs: 600_000, reveal: SHOWN });
  }

  test('can verify the packet when the seed is published, not before, in English and in Chinese; a late page says so, a wrong seed is reported', async () => {
    const commitment = commitmentOf(SHOWN);
    const verdict = verifyFairness({ ...SHOWN, commitment });
    const allocation = verdict.outcome === 'ok' ? verdict.allocation : BigInt64Array.of();
    const now = await redisNow(stage.redis);
    await draftRain(stage.redis, signer, {
      rainId: 'proven',
      title: 'proven',
      shards: 1,
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      packets: 20,
      commitment,
    });
    await loadPackets(stage.redis, signer, 'proven', 1, allocation, () => {});
    await announceChange(stage.redis, 'proven');

    const faults: string[] = [];
    const [ann, lee, wrong] = await Promise.all([
      stage.open('/?rain=proven'),
      stage.open('/?rain=proven', { locale: 'zh-CN' }),
      stage.open('/?rain=proven'),
    ]);
    const asked: string[] = [];
    for (const page of [ann!, lee!]) {
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(error.message));
    }
    await shows(ann!, 'open');
    await ann!.getByTestId('grab').click();
    await shows(ann!, 'won');
    expect(await text(ann!, 'big')).toBe(`¥${formatMoney(allocation[0]!)}`);
    expect(await ann!.getByTestId('verify').isVisible()).toBe(false);

    // The messages to one page are altered on the way.
    await wrong!.routeWebSocket(/\/v1$/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => socket.send(String(message).replaceAll(SHOWN.seed, 'cd'.repeat(32))));
    });
    await wrong!.reload();
    await Promise.all([lee!, wrong!].map((page) => shows(page, 'open')));
    await reveal();

    await ann!.getByTestId('verify').waitFor();
    expect(asked.filter((url) => url.includes('verification-worker'))).toEqual([]);
    // By keyboard, too.
    await ann!.getByTestId('verify').focus();
    await ann!.keyboard.press('Enter');
    await eventually(
      async () => expect(await text(ann!, 'proof')).toBe('Verified: your packet matches the commitment.'),
      { timeoutMs: 30_000 },
    );
    expect(asked.filter((url) => url.includes('verification-worker'))).toHaveLength(1);
    expect(await ann!.getByTestId('verify').isVisible()).toBe(false);
    await lee!.getByTestId('verify').click();
    await eventually(async () => expect(await text(lee!, 'proof')).toBe('已验证：全部红包与承诺一致。'), {
      timeoutMs: 30_000,
    });
    await wrong!.getByTestId('verify').click();
    await eventually(async () => expect(await text(wrong!, 'proof')).toBe('The packets do NOT match the commitment.'), {
      timeoutMs: 30_000,
    });
    expect(faults).toEqual([]);

    await ann!.reload();
    await ann!.getByTestId('verify').click();
    await eventually(
      async () =>
        expect(await text(ann!, 'proof')).toBe(
          'The packets match the commitment, but this page received the commitment only after the rain.',
        ),
      { timeoutMs: 30_000 },
    );
  });
});
