import { afterAll, beforeAll, expect, test } from 'vitest';
import { keeperOf } from '../../src/bin/servers/keeper.ts';
import { startEntruster } from '../../src/steward/entruster.ts';
import { loadConfig } from '../../src/runtime/config.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { stockRain } from '../support/rain.ts';
import { openWorker } from '../support/worker.ts';
import { wonRain } from '../wallet/room.ts';

let desk: TestDesk;
beforeAll(async () => { desk = await openTestDesk(); });
afterAll(() => desk?.stop());

const webhook = { BALANCE: 'webhook', WEBHOOK_URL: 'http://127.0.0.1:9/nobody', WEBHOOK_SECRET: 'a-secret-between-test-and-wallet-0123456789' };
const keeper = async (rainId: string) => (await desk.ledger.rain(rainId))!.keeper;

test('[R5] a loaded rain is taken on by a worker before anything of it is paid, so that a console with another BALANCE cannot come first', async () => {
  const worker = await openWorker(desk, { keep: keeperOf(loadConfig([], webhook)) });
  try {
    await wonRain(desk, 'quiet', []);
    await wonRain(desk, 'try', [], { rehearsal: true });
    await eventually(async () => expect(await keeper('quiet')).toBe('webhook'));
    await wonRain(desk, 'after', []);
    await eventually(async () => expect(await keeper('after')).toBe('webhook'));
    expect(await keeper('try')).toBe(undefined);
  } finally {
    await worker.close();
  }
});

test('each is met once, a fault is told once, and what failed is met again', async () => {
  await desk.redis.flushall();
  await Promise.all(['a', 'b'].map((rainId) => stockRain(desk.redis, { rainId, amounts: ['1.00'] })));
  const met: string[] = [];
  const told: unknown[] = [];
  let broken = true;
  const log = createLog('worker', 'silent');
  log.warn = ((...words: unknown[]) => { told.push(words); }) as typeof log.warn;
  const entruster = startEntruster({
    redis: desk.redis, log, everyMs: 5,
    meet: async (rainId) => {
      met.push(rainId);
      if (broken && rainId === 'b') throw new Error('the book is away');
    },
  });
  await eventually(() => expect(met.filter((rainId) => rainId === 'b').length).toBeGreaterThan(3));
  broken = false;
  const before = met.length;
  await eventually(() => expect(met.length).toBeGreaterThan(before));
  await stockRain(desk.redis, { rainId: 'c', amounts: ['1.00'] });
  await eventually(() => expect(met).toContain('c'));
  await entruster.close();
  expect([met.filter((rainId) => rainId === 'a').length, met.filter((rainId) => rainId === 'c').length, told.length]).toEqual([1, 1, 1]);
});
