import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEpoch } from '../../src/maintenance/epoch.ts';
import { checkEpochs } from '../../src/operator/doctor/stores.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { readEpoch } from '../../src/store/epoch.ts';
import { EPOCH_KEY, shardKeys } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { forgetRain, openRain } from './epochStage.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

test('with another database, readiness says that while rains are held that it does not know, and Redis does not take over its id before', async () => {
  await openRain(context, 'elsewhere', ['ann']);
  await forgetRain(context, 'elsewhere');
  await context.redis.hset(EPOCH_KEY, { store: 'another', counter: 1 });
  const epoch = startEpoch({ context, log: createLog('worker', 'silent'), everyMs: 20, momentMs: 50 });
  await eventually(async () =>
    expect(await context.redis.hget(shardKeys('elsewhere', 0).state, 'held')).toBe('unknown_to_ledger'),
  );
  await eventually(async () => {
    const { runId, comparedRunId } = await readEpoch(context.redis);
    expect(comparedRunId).toBe(runId);
  });
  const { counter } = await context.ledger.epoch();
  await eventually(async () => (await context.ledger.epoch()).counter > counter + 5);
  expect(await readEpoch(context.redis)).toMatchObject({ storeId: 'another', counter: 1 });
  await expect(epoch.ask()).rejects.toThrow('Redis was used with another database; 1 held: elsewhere');
  // Another process that asks, or takes over, is told the same.
  expect(checkEpochs(await readEpoch(context.redis), await context.ledger.epoch())).toMatchObject({
    verdict: 'wrong',
    found: 'was used with another database',
  });
  expect(await writeOffRain(context, 'elsewhere', 'that database burned', { newDatabase: true })).toMatchObject({
    ok: true,
  });
  await eventually(async () =>
    expect((await readEpoch(context.redis)).storeId).toBe((await context.ledger.epoch()).storeId),
  );
  await eventually(() => epoch.ask());
  await epoch.close();
});
