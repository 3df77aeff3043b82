import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorker, type WorkerProcess } from '../../src/bin/servers/worker.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { ENDED_RAINS_KEY, EPOCH_KEY, RAINS_VERSION_KEY, shardKeys, shardOf } from '../../src/store/keys.ts';
import { lend, newMoveId, noteArrived, receive } from '../../src/store/moves.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { createAnnouncer } from '../../src/relay/announce.ts';
import { advance } from '../../src/relay/position.ts';
import { createLeases } from '../../src/relay/lease.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { dial } from '../support/client.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { signer } from '../support/signer.ts';

/** Longer than any machine takes to come that far: the test lets the time pass itself. */
const TTL_MS = 600_000;
const SHARDS = 2;
const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);

let context: TestContext;
let gateway: Gateway;
let worker: WorkerProcess;
beforeAll(async () => {
  context = await openTestContext();
  gateway = await openGateway(context.redisUrl);
  worker = await startWorker(context.redisUrl, context.databaseUrl, createLog('worker', 'silent'), {
    signer,
    settling: { ttlMs: TTL_MS, tidyMs: 100 },
  });
});
afterAll(async () => {
  await gateway?.close();
  await worker?.close();
  await context?.stop();
});

/** Everything in Redis, by SCAN, with its time to live: ms, -1 never expires. */
async function keys(): Promise<Map<string, number>> {
  const found = new Set<string>();
  for (let cursor = '0'; ;) {
    const [next, page] = (await context.redis.call('SCAN', cursor, 'COUNT', '100')) as [string, string[]];
    for (const key of page) found.add(key);
    if (next === '0') break;
    cursor = next;
  }
  const ttls = await Promise.all([...found].map(async (key) => [key, await context.redis.pttl(key)] as const));
  return new Map(ttls.filter(([, ttl]) => ttl !== -2));
}

const ofRains = (all: Map<string, number>) => [...all].filter(([key]) => key.startsWith('rain:{'));
/** Keys of running processes, and of a failover's contested wins: they expire by themselves and may be missing. */
const isPassing = (key: string) => /:(lease|auditor|restored|rebuilt|told|winners)$/.test(key);
const isQueue = (key: string) => /^\{rain-queue\}:(credit|orders)/.test(key);

async function play(rainId: string): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id: rainId,
    plan: { budget: '40.00', packets: 40, split: { method: 'even' } },
    shards: SHARDS,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, rainId);
  // One element that is no packet, so that every kind of key is born.
  for (let shard = 0; shard < SHARDS; shard++) await context.redis.lset(shardKeys(rainId, shard).packets, -1, 'torn');
  const ann = await dial(gateway.url, users[0]!);
  ann.say({ type: 'join', rainId });
  ann.say({ type: 'grab', rainId });
  expect((await ann.next('result')).code).toBe('0');
  await ann.next('credited');
  await ann.leave();
  // One move that has arrived, and one that the settlement ends.
  const move = await lend(context.redis, rainId, newMoveId(0, 1), { wanted: 1, parts: 100 });
  await receive(context.redis, rainId, move!);
  await noteArrived(context.redis, rainId, move!);
  expect(await lend(context.redis, rainId, newMoveId(1, 0), { wanted: 1, parts: 100 })).toBeDefined();
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (const user of users) await engine.grab(rainId, shardOf(user, SHARDS), [user]);
  await eventually(async () => expect((await context.ledger.book(rainId))!.credited.count).toBe(users.length), {
    timeoutMs: 15_000,
  });
  await eventually(async () => {
    const counts = await Promise.all([0, 1].map((shard) => context.redis.scard(shardKeys(rainId, shard).credited)));
    expect(counts[0]! + counts[1]!).toBe(users.length);
  });
}

test('no key of a rain expires before it is settled, all expire afterwards, late ones too, and none comes back', async () => {
  await play('r1');
  const born = ofRains(await keys());
  const lasting = Object.values(shardKeys('r1', 0))
    .filter((key) => !isPassing(key))
    .map((key) => key.split(':').at(-1));
  expect(
    new Set(born.filter(([key]) => !isPassing(key)).map(([key]) => key.split(':').at(-1))),
    'every kind of key was born',
  ).toEqual(new Set(lasting));
  for (const [key, ttl] of born) {
    if (isPassing(key)) expect(ttl, key).toBeGreaterThanOrEqual(0);
    else expect(ttl, `${key} must not expire before it is settled`).toBe(-1);
  }

  await closeRain(context, 'r1');
  const isSettled = () =>
    Promise.all(
      [0, 1].map(async (shard) => (await context.redis.hget(shardKeys('r1', shard).state, 'state')) === 'settled'),
    );
  await eventually(async () => expect(await isSettled()).toEqual([true, true]), { timeoutMs: 15_000 });
  // Late: the cursor and the set are lost and born again, a winner asks and joins once more.
  const [first, second] = [shardKeys('r1', 0), shardKeys('r1', 1)];
  const log = await claimLog(context, 'r1', 0);
  await context.redis.del(first.relayed, first.credited);
  await createAnnouncer({ redis: context.redis, signer })('r1', 0, log);
  // The worker's own lease of it may still run; the test does not wait until it ends.
  await context.redis.del(first.lease);
  expect(await createLeases(context.redis, 'late').hold(shardKeys('r1', 0).lease, ['carry', ''])).toBe(true);
  const late = { owner: 'late', from: '0', to: log.length };
  expect(await advance(context.redis, shardKeys('r1', 0), late)).toBe('moved');
  const ann = await dial(gateway.url, users[0]!);
  ann.say({ type: 'grab', rainId: 'r1' });
  expect((await ann.next('result')).code).toBe('1');
  const settled = ofRains(await keys());
  expect(settled.map(([key]) => key)).toEqual(
    expect.arrayContaining([first.state, first.relayed, first.credited, second.state, second.claims]),
  );
  for (const [key, ttl] of settled) {
    expect(ttl, `${key} must expire`).toBeGreaterThanOrEqual(0);
    expect(ttl, key).toBeLessThanOrEqual(isPassing(key) ? 600_000 : TTL_MS);
  }

  for (const [key] of settled) await context.redis.pexpire(key, 1);
  const kept: readonly string[] = [EPOCH_KEY, ENDED_RAINS_KEY, RAINS_VERSION_KEY];
  const onlyTheQueue = async () =>
    expect([...(await keys()).keys()].filter((key) => !isQueue(key) && !isPassing(key) && !kept.includes(key))).toEqual(
      [],
    );
  await eventually(onlyTheQueue, { timeoutMs: 30_000 });
  const jobs = [...(await keys()).keys()];
  expect(jobs.length, `the queue's bookkeeping is bounded: ${jobs.join(' ')}`).toBeLessThan(60);

  // Late users leave no trace [R11]. For some seconds a gateway answers a join from its cache.
  await eventually(
    async () => {
      const latecomer = await dial(gateway.url, users[0]!);
      latecomer.say({ type: 'join', rainId: 'r1' });
      const told = await Promise.race(
        [latecomer.next('result'), latecomer.next('rain')].map((next) => next.catch((error: Error) => error)),
      );
      await latecomer.leave();
      expect(told).toMatchObject({ type: 'result', code: '-8' });
    },
    { everyMs: 300 },
  );
  ann.say({ type: 'grab', rainId: 'r1' });
  expect((await ann.next('result')).code).toBe('-8');
  await createAnnouncer({ redis: context.redis, signer })('r1', 0, log);
  expect(await settleRain(context, 'r1', { shards: SHARDS, title: '' })).toEqual({ outcome: 'settled' });
  expect(await loadRain(context, 'r1')).toMatchObject({ ok: false });
  expect(await closeRain(context, 'r1')).toMatchObject({ ok: false });
  await onlyTheQueue();
  // A relay that was asleep while all expired writes nothing.
  expect(await advance(context.redis, shardKeys('r1', 0), late)).toBe('shard_gone');
  await onlyTheQueue();
  await ann.leave();
});
