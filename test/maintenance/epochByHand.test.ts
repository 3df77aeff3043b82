import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startEpoch, type Epoch } from '../../src/maintenance/epoch.ts';
import { registerEpochMetrics } from '../../src/maintenance/epochMetrics.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { openRegistry } from '../../src/platform/telemetry/metrics.ts';
import { readEpoch } from '../../src/store/epoch.ts';
import { EPOCH_KEY, epochLeaseKey, shardKeys } from '../../src/store/keys.ts';
import { countRestoring, RESTORING } from '../../src/store/holds.ts';
import { findRain } from '../../src/store/rains.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { grabAs, openRain } from './epochStage.ts';

let context: TestContext;
const epochs: Epoch[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(epochs.splice(0).map((epoch) => epoch.close()));
  await context.redis.flushall();
});
afterAll(() => context.stop());

function start(leasedMs = 60_000, log = createLog('epoch', 'silent')): void {
  epochs.push(startEpoch({ context, log, owner: 'worker', everyMs: 20, momentMs: 200, leasedMs }));
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

test('a rain that somebody holds for no reason of ours goes on when the stores agree about it, and that is said; a restore is left alone', async () => {
  for (const id of ['agreed', 'empty', 'lost', 'restored']) await openRain(context, id, ['ann', 'bea']);
  await context.redis.hset(shardKeys('agreed', 0).state, 'held', 'nonsense');
  await context.redis.hset(shardKeys('empty', 0).state, 'held', '');
  await context.redis.hset(shardKeys('lost', 0).state, 'held', 'x'.repeat(5_000_000));
  await context.redis.hset(shardKeys('restored', 0).state, 'held', RESTORING);
  // Claims that Redis has lost are put back first: their packets are not granted again in between.
  await context.redis.del(shardKeys('lost', 0).claimed, shardKeys('lost', 0).claims);
  expect((await auditRain(context, 'agreed'))!.notices).toEqual([expect.stringContaining('for no reason of ours')]);
  const { log, heard } = listeningLog();
  start(60_000, log);
  const heldFor = (id: string) => context.redis.hget(shardKeys(id, 0).state, 'held');
  await eventually(async () =>
    expect(await Promise.all(['agreed', 'empty', 'lost', 'restored'].map(heldFor))).toEqual([
      null,
      null,
      null,
      RESTORING,
    ]),
  );
  expect(await context.redis.llen(shardKeys('lost', 0).claims)).toBe(2);
  expect((await grabAs(context, 'agreed', ['cleo']))[0]).toMatchObject({ code: '0' });
  const named = () =>
    heard
      .filter(({ level, msg }) => level === 'error' && msg.startsWith('somebody else has stopped'))
      .map(({ rainId }) => rainId);
  await eventually(() => expect(named().sort()).toEqual(['agreed', 'empty', 'lost']));
  const registry = openRegistry();
  registerEpochMetrics(registry, { ...epochs[0]!, restoring: () => countRestoring(context.redis) });
  expect(await registry.metrics()).toContain('rain_held_rains{reason="restoring"} 1');
});
