import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startEpoch, type Epoch } from '../../src/maintenance/epoch.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { readEpoch } from '../../src/store/epoch.ts';
import { EPOCH_KEY, epochLeaseKey, shardKeys } from '../../src/store/keys.ts';
import { findRain } from '../../src/store/rains.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openRain } from './epochStage.ts';

let context: TestContext;
const epochs: Epoch[] = [];
beforeAll(async () => { context = await openTestContext(); });
afterEach(async () => {
  await Promise.all(epochs.splice(0).map((epoch) => epoch.close()));
  await context.redis.flushall();
});
afterAll(() => context.stop());

function start(leasedMs = 60_000): void {
  epochs.push(startEpoch({ context, log: createLog('epoch', 'silent'), owner: 'worker', everyMs: 20, momentMs: 200, leasedMs }));
}

test('a lease that somebody else keeps for ever stops no comparison', async () => {
  await openRain(context, 'kept', ['ann']);
  await closeRain(context, 'kept');
  expect(await settleRain(context, 'kept', (await findRain(context.redis, 'kept'))!)).toEqual({ outcome: 'settled' });
  const lease = epochLeaseKey((await readEpoch(context.redis)).runId);
  await context.redis.set(lease, 'thief');
  await context.redis.hset(shardKeys('kept', 0).state, 'state', 'loaded');
  start(100);
  await eventually(async () => expect(await context.redis.hget(shardKeys('kept', 0).state, 'state')).toBe('settled'));
  await context.redis.del(lease);
});

test('a counter that somebody has raised to the highest one neither runs away with the ledger nor stops the comparisons', async () => {
  await openRain(context, 'counted', ['ann']);
  start();
  await eventually(async () => {
    const { runId, comparedRunId } = await readEpoch(context.redis);
    expect(comparedRunId).toBe(runId);
  });
  await context.redis.hset(EPOCH_KEY, 'counter', 999_999_999_999_999);
  const { counter } = await context.ledger.epoch();
  await eventually(async () => (await context.ledger.epoch()).counter > counter + 20);
  await eventually(async () => {
    const [stored, booked] = [await readEpoch(context.redis), await context.ledger.epoch()];
    expect(booked.counter).toBeLessThan(1e14);
    expect(booked.counter - stored.counter!).toBeLessThan(3);
  });
});
