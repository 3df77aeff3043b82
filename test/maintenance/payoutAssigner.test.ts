import { afterAll, beforeAll, expect, test } from 'vitest';
import { payoutProviderOf } from '../../src/bin/servers/payoutProvider.ts';
import { startPayoutAssigner } from '../../src/maintenance/payoutAssigner.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { stockRain } from '../support/rain.ts';
import { openWorker } from '../support/servers/worker.ts';
import { wonRain } from '../wallet/room.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

const webhook = {
  PAYOUT_PROVIDER: 'webhook',
  WEBHOOK_URL: 'http://127.0.0.1:9/nobody',
  WEBHOOK_SECRET: 'a-secret-between-test-and-wallet-0123456789',
};
const payoutProvider = async (rainId: string) => (await context.ledger.rain(rainId))!.payoutProvider;

test('[R5] a worker assigns its provider to a loaded rain before its first payment, so that a console with another PAYOUT_PROVIDER cannot be first', async () => {
  const worker = await openWorker(context, { keep: payoutProviderOf(loadConfig([], webhook)) });
  try {
    await wonRain(context, 'quiet', []);
    await wonRain(context, 'try', [], { rehearsal: true });
    await eventually(async () => expect(await payoutProvider('quiet')).toBe('webhook_v2'));
    await wonRain(context, 'after', []);
    await eventually(async () => expect(await payoutProvider('after')).toBe('webhook_v2'));
    expect(await payoutProvider('try')).toBe(undefined);
  } finally {
    await worker.close();
  }
});

test('each rain is assigned once, a fault is logged once, and a failed one is tried again', async () => {
  await context.redis.flushall();
  await Promise.all(['a', 'b'].map((rainId) => stockRain(context.redis, { rainId, amounts: ['1.00'] })));
  const met: string[] = [];
  const told: unknown[] = [];
  let broken = true;
  const log = createLog('worker', 'silent');
  log.warn = ((...words: unknown[]) => {
    told.push(words);
  }) as typeof log.warn;
  const payoutAssigner = startPayoutAssigner({
    redis: context.redis,
    log,
    everyMs: 5,
    meet: async (rainId) => {
      met.push(rainId);
      if (broken && rainId === 'b') throw new Error('the book is away');
    },
  });
  await eventually(() => expect(met.filter((rainId) => rainId === 'b').length).toBeGreaterThan(3));
  broken = false;
  const before = met.length;
  await eventually(() => expect(met.length).toBeGreaterThan(before));
  await stockRain(context.redis, { rainId: 'c', amounts: ['1.00'] });
  await eventually(() => expect(met).toContain('c'));
  await payoutAssigner.close();
  expect([
    met.filter((rainId) => rainId === 'a').length,
    met.filter((rainId) => rainId === 'c').length,
    told.length,
  ]).toEqual([1, 1, 1]);
});
