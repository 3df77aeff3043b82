import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { shardKeys, type ShardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { resumeRain } from '../../src/operator/transitions.ts';
import { startAuditor, type AuditorOptions } from '../../src/maintenance/auditor.ts';
import { registerRainMetrics } from '../../src/maintenance/rainMetrics.ts';
import { openRegistry } from '../../src/platform/telemetry/metrics.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';

let context: TestContext;
let engine: GrabEngine;
beforeAll(async () => {
  context = await openTestContext();
  engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
});
afterAll(() => context?.stop());

/** Ten packets of 1.00, open; three are won and credited, and an auditor has seen it. */
async function watchRain(id: string, options: Partial<AuditorOptions> = {}, shards = 1) {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    shards,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, id);
  await engine.grab(id, 0, ['ann', 'bob', 'eve']);
  await context.ledger.credit(await claimLog(context, id));
  const { log, heard } = listeningLog();
  const auditor = startAuditor({ context, log, pauseMsMin: 10, pauseFactor: 1, quietMs: 600_000, ...options });
  onTestFinished(async () => {
    await auditor.close();
    await context.redis.flushall();
    await context.ledger.settle(id);
  });
  const seen = () => auditor.seen().get(id);
  await eventually(() => expect(seen()?.audit.report).toMatchObject({ balanced: true, credited: '3.00' }));
  const registry = openRegistry();
  registerRainMetrics(registry, {
    redis: context.redis,
    auditor,
    redisMonitor: { currentProblems: () => ({}) } as never,
  });
  return {
    keys: shardKeys(id, 0),
    heard,
    seen,
    registry,
    close: () => auditor.close(),
    state: () => context.redis.hget(shardKeys(id, 0).state, 'state'),
    pauses: async () =>
      (await context.ledger.actions(id)).filter(({ verb, actor }) => verb === 'pause' && actor === 'auditor'),
    /** Until it has been audited again, whole. */
    async auditedAgain() {
      const { at } = seen()!;
      await eventually(() => expect(seen()!.at).toBeGreaterThan(at));
    },
  };
}

async function logClaim(keys: ShardKeys, rainId: string, redPacketId: string, amount: string): Promise<void> {
  await context.redis.lpush(
    keys.claims,
    JSON.stringify({ rainId, redPacketId, amount, userId: 'thief', at: String(await redisNow(context.redis)) }),
  );
}

test('a lie is logged and counted at once, and the rain paused; once resumed, it is paused again only for another lie', async () => {
  const { keys, heard, seen, state, pauses, auditedAgain, registry } = await watchRain('stop');
  await logClaim(keys, 'stop', 'gift', '50.00');
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  expect(await state()).toBe('paused');
  expect((await pauses())[0]!.details).toMatchObject({
    reason: expect.stringMatching(/^gift was won as 50\.00 by thief and is not a packet/) as string,
  });
  await eventually(() =>
    expect(heard.filter(({ level }) => level === 'error').map(({ msg }) => msg)).toEqual([
      expect.stringContaining('IS NOT BALANCED'),
      expect.stringContaining('TAMPERED WITH'),
      expect.stringContaining('paused'),
    ]),
  );
  expect(heard.find(({ msg }) => String(msg).includes('TAMPERED'))).toMatchObject({
    rainId: 'stop',
    kinds: { false_claim: 1 },
    first: [expect.stringContaining('gift') as string],
  });
  expect(await registry.metrics()).toContain('rain_tampering{rain="stop",kind="false_claim"} 1');
  await resumeRain(context, 'stop');
  await auditedAgain();
  await auditedAgain();
  expect(await state()).toBe('loaded');
  expect(heard.filter(({ msg }) => String(msg).includes('TAMPERED'))).toHaveLength(1);
  await context.redis.rpush(keys.packets, packetElement(context.signer, 'stop', 'stop-0', '1.00'));
  await eventually(async () => expect(await pauses()).toHaveLength(2));
  expect((await pauses())[1]!.details).toMatchObject({
    reason: expect.stringMatching(/^stop-0 is in the claim log for ann, and still in the list/) as string,
  });
  expect(await state()).toBe('paused');
  expect(seen()!.audit.tampering).toHaveLength(2);
});

test('another process that takes over does not pause again what the operator has resumed', async () => {
  const { keys, state, pauses, close } = await watchRain('over');
  await logClaim(keys, 'over', 'gift', '50.00');
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  await close();
  await resumeRain(context, 'over');
  const { log } = listeningLog();
  const other = startAuditor({ context, log, pauseMsMin: 10, pauseFactor: 1, owner: 'other' });
  onTestFinished(() => other.close());
  await eventually(() => expect(other.seen().get('over')?.audit.tampering).toHaveLength(1));
  const { at } = other.seen().get('over')!;
  await eventually(() => expect(other.seen().get('over')!.at).toBeGreaterThan(at));
  expect([await state(), (await pauses()).length]).toEqual(['loaded', 1]);
});

test('whoever holds the lease of the audit for ever does not prevent it', async () => {
  const { keys, pauses } = await watchRain('lease', { leasedMs: 200 });
  await context.redis.set(keys.auditor, 'thief');
  await logClaim(keys, 'lease', 'gift', '50.00');
  await eventually(async () => expect(await pauses()).toHaveLength(1));
});

test('with ON_TAMPERING=report the rain goes on, and everybody else is told', async () => {
  const { keys, heard, state, pauses, auditedAgain, registry } = await watchRain('report', { onTampering: 'report' });
  await context.redis.hset(keys.state, 'opensAt', (await redisNow(context.redis)) - 300_000);
  await eventually(() => expect(heard.some(({ msg }) => String(msg).includes('TAMPERED'))).toBe(true));
  await auditedAgain();
  expect([await state(), await pauses()]).toEqual(['loaded', []]);
  expect(await registry.metrics()).toContain('rain_tampering{rain="report",kind="window"} 1');
});

test('a user whose entry of the dedupe hash is deleted gets it back from the claim log, and is never told a second packet', async () => {
  const { keys, heard, seen, pauses, registry } = await watchRain('heal');
  const before = await context.redis.hget(keys.claimed, 'bob');
  await context.redis.hdel(keys.claimed, 'bob');
  await eventually(async () => expect(await context.redis.hget(keys.claimed, 'bob')).toBe(before));
  await eventually(() => expect(seen()!.audit.report.balanced).toBe(true));
  expect(heard).toContainEqual({
    level: 'warn',
    rainId: 'heal',
    users: 1,
    msg: expect.stringContaining('put back') as string,
  });
  expect(await pauses()).toHaveLength(1);
  // Found between two scrapes, it is still told.
  expect(await registry.metrics()).toContain('rain_tampering{rain="heal",kind="claimed_missing"} 1');
  await resumeRain(context, 'heal');
  expect(await engine.grab('heal', 0, ['bob'])).toMatchObject([{ code: '1', redPacketId: 'heal-1' }]);
});

test('a claim whose packet still lies in the list, or that is not in the plan, is not put back', async () => {
  const { keys, pauses } = await watchRain('keep');
  await logClaim(keys, 'keep', 'keep-5', '1.00');
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  await logClaim(keys, 'keep', 'keep-6', '9.00');
  await eventually(async () => expect(await pauses()).toHaveLength(2));
  expect(await context.redis.hexists(keys.claimed, 'thief')).toBe(0);
});

test('a shard without its state grants nothing, and the other shard is paused', async () => {
  const { keys, pauses } = await watchRain('half', {}, 2);
  await context.redis.del(keys.state);
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  expect(await context.redis.hget(shardKeys('half', 1).state, 'state')).toBe('paused');
});

test('a rain of which Redis has only the state lost is reported as tampered with; one that Redis has lost whole is not', async () => {
  const { keys, heard, seen } = await watchRain('gone');
  await context.redis.del(keys.state);
  await eventually(() => expect(seen()!.audit.tampering).toMatchObject([{ kind: 'state_gone' }]));
  await context.redis.del(keys.packets, keys.claimed, keys.claims, keys.spoiled, keys.relayed, keys.credited);
  await eventually(() => expect(seen()).toBeUndefined());
  expect(heard.filter(({ msg }) => String(msg).includes('TAMPERED'))).toHaveLength(1);
});
