import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { createRain } from '../../src/operator/create.ts';
import { examineRains } from '../../src/operator/doctor/rains.ts';
import { loadRain } from '../../src/operator/load.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { compareRain } from '../../src/operator/restore/compare.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { recycleRain } from '../../src/operator/recycle.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { closeRain, pauseRain } from '../../src/operator/transitions.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { startAuditor } from '../../src/maintenance/auditor.ts';
import { startSettler } from '../../src/maintenance/settler.ts';
import { lend, newMoveId } from '../../src/store/moves.ts';
import { LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys, shardOf } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { dump } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const SHARDS = 2;
const OLDER = 'an older version has loaded the rain';

let context: TestQueueContext;
beforeAll(async () => {
  context = { ...(await openQueueContext()), signer };
});
afterAll(() => context.stop());

/** Shard 1 gets the label that it had, `1`. */
async function relabel(id: string): Promise<void> {
  for (const key of Object.values(shardKeys(id, 1))) {
    const older = key.replace(/\/[^}]+\}/, '/1}');
    expect(older).not.toBe(key);
    if (await context.redis.exists(key)) await context.redis.rename(key, older);
  }
}

/** Four packets in two shards, as such a version left them. */
async function loadedByOlder(
  id: string,
  { opensInMs = -60_000, campaign }: { opensInMs?: number; campaign?: { id: string; round: number } } = {},
): Promise<void> {
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  await createRain(context, {
    id,
    plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
    shards: SHARDS,
    opensAt,
    closesAt: opensAt + 600_000,
    ...(campaign && { campaign }),
  });
  expect(await loadRain(context, id)).toMatchObject({ ok: true });
  await relabel(id);
}

test("[R2] a rain whose shards an older version has labelled: nothing is rebuilt, loaded again or settled, also on the operator's word", async () => {
  await loadedByOlder('older');
  const before = (await context.redis.keys('rain:{older/*')).sort();
  expect((await compareRain(context, 'older'))!.counts).toEqual({ older_labels: 1 });
  for (const reason of [undefined, 'nobody knows where it is']) {
    expect(await applyRestore(context, 'older', { ...(reason && { reason }) })).toMatchObject({
      ok: false,
      refusals: [{ reason: expect.stringContaining(OLDER) }],
    });
  }
  for (const refused of [
    await loadRain(context, 'older'),
    await topUpRain(context, 'older', { budget: '1.00', packets: 1, split: { method: 'even' } }),
    await recycleRain(context, 'older'),
    await pauseRain(context, 'older'),
    await closeRain(context, 'older'),
    await writeOffRain(context, 'older', 'nobody knows where it is'),
  ])
    expect(refused).toMatchObject({ ok: false, refusals: [{ reason: expect.stringContaining(OLDER) }] });
  expect((await auditRain(context, 'older'))!.problems[0]).toContain(OLDER);
  expect(await settleRain(context, 'older', { shards: SHARDS, title: '' })).toEqual({
    outcome: 'lost',
    reason: expect.stringContaining(OLDER),
  });
  expect((await context.redis.keys('rain:{older/*')).sort()).toEqual(before);
});

test('[R2] before it opens its packets are not loaded a second time, nor those of a round', async () => {
  await createCampaign(context, { id: 'autumn', winsPerUserMax: 1, shards: SHARDS });
  await loadedByOlder('soon', { opensInMs: 60_000 });
  await loadedByOlder('autumn.1', { opensInMs: 60_000, campaign: { id: 'autumn', round: 1 } });
  for (const id of ['soon', 'autumn.1']) {
    expect(await loadRain(context, id)).toMatchObject({ ok: false });
    expect(await applyRestore(context, id)).toMatchObject({
      ok: false,
      refusals: [{ reason: expect.stringContaining(OLDER) }],
    });
    expect(await context.redis.exists(shardKeys(id, 1).state, shardKeys(id, 1).packets)).toBe(0);
  }
  // Its wins would not count against the limit of the campaign.
  const opensAt = (await redisNow(context.redis)) + 60_000;
  await createRain(context, {
    plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
    opensAt,
    closesAt: opensAt + 60_000,
    campaign: { id: 'autumn', round: 2 },
  });
  const next = () => loadRain(context, 'autumn.2');
  expect(await next()).toMatchObject({
    ok: false,
    refusals: [{ reason: expect.stringContaining(`${OLDER} autumn.1`) }],
  });
  await context.redis.hset('rain:{autumn/1}:1:state', 'state', 'settled');
  expect(await next()).toMatchObject({ ok: true });
});

test('a draft of an older version has neither wins nor packets, and is loaded as usual', async () => {
  const opensAt = (await redisNow(context.redis)) + 60_000;
  await createRain(context, {
    id: 'draft',
    plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
    shards: SHARDS,
    opensAt,
    closesAt: opensAt + 60_000,
  });
  await relabel('draft');
  expect(await loadRain(context, 'draft')).toEqual({ ok: true, packets: 4 });
  expect(await Promise.all([0, 1].map((shard) => context.redis.llen(shardKeys('draft', shard).packets)))).toEqual([
    2, 2,
  ]);
  expect((await compareRain(context, 'draft'))!.counts).toEqual({});
});

test('[R13] workers leave it alone, also packets that are on their way in it, and log what to do', async () => {
  await loadedByOlder('moving');
  expect(await lend(context.redis, 'moving', newMoveId(0, 1), { wanted: 1, parts: 1 })).toBeDefined();
  await context.wonRain('whole', 1);
  const { auditor: lease } = shardKeys('moving', 0);
  const rest = async () => ({ ...(await dump(context.redis, 'rain:{moving/*')), [lease]: undefined });
  const before = await rest();
  const { log, heard } = listeningLog();
  const auditor = startAuditor({ context, log, pauseMsMin: 10, pauseFactor: 1 });
  onTestFinished(() => auditor.close());
  const settler = startSettler({ context, log, everyMs: 10 });
  onTestFinished(() => settler.close());
  // Once it has come to a rain a second time, it has been through all of them.
  const { at } = await eventually(() => {
    const seen = auditor.seen().get('whole');
    expect(seen).toBeDefined();
    return seen!;
  });
  await eventually(() => expect(auditor.seen().get('whole')!.at).toBeGreaterThan(at));
  await eventually(() =>
    expect(heard).toContainEqual(
      expect.objectContaining({ level: 'error', rainId: 'moving', msg: expect.stringContaining(OLDER) }),
    ),
  );
  expect(await rest()).toEqual(before);
});

test('its users hear "busy", and not that it does not exist, until the older version has settled it', async () => {
  await loadedByOlder('busy');
  const gateway = await openGateway(context.redisUrl);
  onTestFinished(() => gateway.close());
  const client = await dial(gateway.url, 'user-0');
  onTestFinished(() => client.leave());
  // The first shard has the same label in both versions, and nothing may be granted there either.
  const other = await dial(
    gateway.url,
    Array.from({ length: 20 }, (_, i) => `user-${i}`).find((user) => shardOf(user, SHARDS) === 0)!,
  );
  onTestFinished(() => other.leave());
  other.say({ type: 'grab', rainId: 'busy' });
  expect(await other.next('result')).toMatchObject({ rainId: 'busy', code: '-7' });
  for (const type of ['grab', 'join'] as const) {
    client.say({ type, rainId: 'busy' });
    expect(await client.next('result')).toMatchObject({ rainId: 'busy', code: '-7' });
  }
  // As that version settles it, from index to index.
  for (const state of ['rain:{busy/1}:state', shardKeys('busy', 0).state])
    await context.redis.hset(state, 'state', 'settled');
  await context.redis.hset(SETTLED_RAINS_KEY, 'busy', (await context.redis.hget(LIVE_RAINS_KEY, 'busy'))!);
  await context.redis.hdel(LIVE_RAINS_KEY, 'busy');
  client.say({ type: 'grab', rainId: 'busy' });
  expect(await client.next('result')).toMatchObject({ rainId: 'busy', code: '-8' });
});

test('the doctor names it apart from what Redis has lost', async () => {
  await loadedByOlder('named');
  await loadedByOlder('gone');
  await context.redis.del(...(await context.redis.keys('rain:{gone/*')));
  const wrong = (await examineRains(context)).filter(({ verdict }) => verdict === 'wrong');
  expect(wrong.find(({ name }) => name === 'rains of an older version')?.found).toContain('named');
  const missing = wrong.find(({ name }) => name === 'rains')?.found;
  expect(missing).toContain('gone');
  expect(missing).not.toContain('named');
});
