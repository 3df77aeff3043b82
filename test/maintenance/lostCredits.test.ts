import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { putBackLostCredits } from '../../src/operator/restore/lostCredits.ts';
import { heldRains, release } from '../../src/store/holds.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { backupRedis, grabAs, openRain, packetsLeft, winAndCredit } from './epochStage.ts';

const SHARDS = 3;
const USERS = Array.from({ length: 1_200 }, (_, i) => `user-${(i * 7_919) % 10_007}`);

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

test('[R1][R2] hundreds of lost claims in three shards are put back with their packets, wherever it is cut and begun again, and by two at once', async () => {
  const now = await redisNow(context.redis);
  const made = await createRain(context, {
    id: 'many',
    shards: SHARDS,
    plan: { budget: '1500.00', packets: 1_500 },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  expect(made.ok).toBe(true);
  await loadRain(context, 'many');
  const toBackup = await backupRedis(context.redis);
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (let shard = 0; shard < SHARDS; shard++) {
    await engine.grab(
      'many',
      shard,
      USERS.filter((user) => shardOf(user, SHARDS) === shard),
    );
    await context.ledger.credit(await claimLog(context, 'many', shard));
  }
  await toBackup();
  const live = (await findRain(context.redis, 'many'))!;
  for (const steps of [1, 4, 6]) {
    const cut = putBackLostCredits(context, 'many', live);
    for (let i = 0; i < steps; i++) await cut.next();
    expect(await heldRains(context.redis)).toEqual(new Map([['many', 'redis_behind']]));
  }
  const toTheEnd = async () => {
    const run = putBackLostCredits(context, 'many', live);
    for (;;) {
      const step = await run.next();
      if (step.done) return step.value;
    }
  };
  const ends = await Promise.all([toTheEnd(), toTheEnd()]);
  expect(ends.map(({ contested }) => contested)).toEqual([0, 0]);
  expect(await toTheEnd()).toEqual({ putBack: 0, contested: 0, waitsForLoad: false });

  const credited = new Set(
    (await Promise.all([0, 1, 2].map((shard) => claimLog(context, 'many', shard))))
      .flat()
      .map(({ redPacketId }) => redPacketId),
  );
  expect(credited.size).toBe(USERS.length);
  const left = (
    await Promise.all([0, 1, 2].map((shard) => packetsLeft(context, shardKeys('many', shard).packets)))
  ).flat();
  expect([left.length, left.filter((packet) => credited.has(packet))]).toEqual([300, []]);
  await release(context.redis, 'many', SHARDS, 'redis_behind');
  // Claims in the log are not written to it again.
  const [first] = await claimLog(context, 'many', 0);
  const { claimed } = shardKeys('many', 0);
  const entry = (await context.redis.hget(claimed, first!.userId))!;
  await context.redis.hdel(claimed, first!.userId);
  expect(await toTheEnd()).toEqual({ putBack: 0, contested: 0, waitsForLoad: false });
  await context.redis.hset(claimed, first!.userId, entry);
  expect((await auditRain(context, 'many'))!).toMatchObject({
    report: { balanced: true },
    problems: [],
    lostFromLog: [],
    toldTwice: [],
  });
});

test('[R1] a user whose credited packet somebody else has won meanwhile wins no second one, and nobody is accused', async () => {
  await openRain(context, 'contested');
  const toBackup = await backupRedis(context.redis);
  await winAndCredit(context, 'contested', ['ann']);
  await toBackup();
  await grabAs(context, 'contested', ['bob']);
  const run = putBackLostCredits(context, 'contested', (await findRain(context.redis, 'contested'))!);
  for (let step = await run.next(); ; step = await run.next()) {
    if (!step.done) continue;
    expect(step.value).toEqual({ putBack: 0, contested: 1, waitsForLoad: false });
    break;
  }
  await release(context.redis, 'contested', 1, 'redis_behind');
  const [ann] = await grabAs(context, 'contested', ['ann']);
  expect(ann).toMatchObject({ code: '1' });
  expect((await auditRain(context, 'contested'))!).toMatchObject({
    tampering: [],
    toldTwice: [{ toldTo: 'bob', paid: { userId: 'ann' } }],
  });
});
