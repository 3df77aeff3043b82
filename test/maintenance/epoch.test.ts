import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startEpoch, type Epoch } from '../../src/maintenance/epoch.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { suspect } from '../../src/operator/restore/behind.ts';
import { draftOf } from '../../src/operator/commitment.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { readEpoch } from '../../src/store/epoch.ts';
import { EPOCH_KEY, LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { draftRain } from '../../src/store/loadPackets.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog, type HeardLine } from '../support/log.ts';
import { backupRedis, forgetRain, grabAs, openRain, packetsLeft, rewriteLedger, winAndCredit } from './epochStage.ts';

let context: TestContext;
let heard: HeardLine[];
const epochs: Epoch[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
beforeEach(() => {
  heard = [];
});
afterEach(async () => {
  await Promise.all(epochs.splice(0).map((epoch) => epoch.close()));
  await context.redis.flushall();
});
afterAll(() => context.stop());

function start(owner = 'worker', momentMs = 200): Epoch {
  const spoken = listeningLog();
  heard = spoken.heard;
  const epoch = startEpoch({ context, log: spoken.log, owner, everyMs: 20, momentMs });
  epochs.push(epoch);
  return epoch;
}

const errors = () => heard.filter(({ level }) => level === 'error');
const heldFor = (id: string) => context.redis.hget(shardKeys(id, 0).state, 'held');
/** Rounds that began after this call are over. */
async function rounds(count = 3): Promise<void> {
  const { counter } = await context.ledger.epoch();
  await eventually(async () => (await context.ledger.epoch()).counter > counter + count);
}
/** Redis and ledger were compared in this run of Redis. */
async function compared(): Promise<void> {
  await eventually(async () => {
    const { runId, comparedRunId } = await readEpoch(context.redis);
    expect(comparedRunId).toBe(runId);
  });
}

test('of two counters the older one is found; a worker that died between its two writes is no older store', () => {
  const ledger = (counter: number) => ({ storeId: 'a', counter });
  const redis = (counter: number | undefined, more = {}) => ({
    storeId: 'a',
    counter,
    runId: 'r',
    comparedRunId: 'r',
    ...more,
  });
  expect([suspect(redis(7), ledger(8)), suspect(redis(7), ledger(9))]).toEqual([undefined, undefined]);
  expect([suspect(redis(8), ledger(8)), suspect(redis(900), ledger(8))]).toEqual(['ledger', 'ledger']);
  expect([suspect(redis(7), ledger(10)), suspect(redis(7), ledger(900))]).toEqual(['redis', 'redis']);
  expect(suspect(redis(7, { storeId: 'b' }), ledger(8))).toBe('foreign');
  // Restarted; never compared; a server that does not tell its run.
  expect([
    suspect(redis(7, { runId: 's' }), ledger(8)),
    suspect(redis(undefined, { storeId: undefined }), ledger(8)),
    suspect(redis(7, { runId: undefined }), ledger(8)),
  ]).toEqual(['compare', 'compare', undefined]);
});

describe('nothing differs', () => {
  test('rains are created, won, credited, topped up, closed and settled under three workers at once: no alarm, nothing is held', async () => {
    const all = ['a', 'b', 'c'].map((owner) => start(owner));
    const logs = heard;
    await openRain(context, 'calm', ['ann', 'bob']);
    await rounds();
    await topUpRain(context, 'calm', { id: 'more', budget: '2.00', packets: 2, split: { method: 'even' } });
    await rounds();
    await closeRain(context, 'calm');
    await settleRain(context, 'calm', (await findRain(context.redis, 'calm'))!);
    await rounds();
    expect(all.flatMap((epoch) => [...epoch.held()])).toEqual([]);
    expect(logs.filter(({ level }) => level !== 'info')).toEqual([]);
    expect((await context.ledger.rain('calm'))!.settledAt).toBeDefined();
  });

  test('after a restart of Redis the rains are compared, and the new run is adopted', async () => {
    await openRain(context, 'restarted', ['ann']);
    start();
    await compared();
    await context.redis.hset(EPOCH_KEY, 'runId', 'another');
    await compared();
    expect(heard).toEqual([]);
    expect(await heldFor('restarted')).toBe(null);
  });

  test('an older counter alone is reported, and then adopted', async () => {
    await openRain(context, 'whole', ['ann']);
    const epoch = start();
    await compared();
    await context.redis.hset(EPOCH_KEY, 'counter', (await context.ledger.epoch()).counter + 1_000);
    await eventually(() => expect(errors()).toMatchObject([{ behind: 'ledger' }]));
    await expect(epoch.ask()).rejects.toThrow('the database is an older state');
    await eventually(() => epoch.ask());
    await eventually(async () => {
      // A round that is under way may write the present counter over it.
      await context.redis.hset(EPOCH_KEY, 'counter', 1);
      expect(errors()).toMatchObject([{ behind: 'ledger' }, { behind: 'redis' }]);
    });
    await eventually(() => epoch.ask());
    expect(await heldFor('whole')).toBe(null);
  });
});

describe('the database is older', () => {
  test('[R8] a rain that it does not know is held, earlier winners keep their packet, and it goes on when the database knows it', async () => {
    const epoch = start();
    await openRain(context, 'unknown', ['ann']);
    const { topUps: _, createdAt: __, ...rain } = (await context.ledger.rain('unknown'))!;
    await forgetRain(context, 'unknown');
    await eventually(async () => expect(await heldFor('unknown')).toBe('unknown_to_ledger'));
    expect(await grabAs(context, 'unknown', ['ann', 'eve'])).toMatchObject([
      { code: '1', amount: '1.00' },
      { code: '-7' },
    ]);
    expect(errors()).toMatchObject([
      {
        rainId: 'unknown',
        reason: 'unknown_to_ledger',
        msg: expect.stringContaining('rain restore check unknown') as string,
      },
    ]);
    await expect(epoch.ask()).rejects.toThrow('1 held: unknown');
    await context.ledger.createRain(rain, 'test');
    await eventually(async () => expect(await heldFor('unknown')).toBe(null));
    expect(await grabAs(context, 'unknown', ['eve'])).toMatchObject([{ code: '0' }]);
    await eventually(() => epoch.ask());
  });

  test('[R8] a rain with packets of a lost top-up is held, and is not settled', async () => {
    start();
    await openRain(context, 'smaller');
    await topUpRain(context, 'smaller', { id: 'lost', budget: '2.00', packets: 2, split: { method: 'even' } });
    await rounds();
    await rewriteLedger(
      context,
      `DELETE FROM "Portion" WHERE "id" = 'lost'`,
      `DELETE FROM "Allocation" WHERE "rainId" = 'smaller' AND "ordinal" = 1`,
      `DELETE FROM "Transfer" WHERE "id" = 'fund:smaller/1'`,
      `UPDATE "Rain" SET "packets" = 10, "budgetCents" = 1000 WHERE "id" = 'smaller'`,
    );
    await eventually(async () => expect(await heldFor('smaller')).toBe('ledger_behind'));
    expect(await grabAs(context, 'smaller', ['eve'])).toMatchObject([{ code: '-7' }]);
    await closeRain(context, 'smaller');
    const live = (await findRain(context.redis, 'smaller'))!;
    expect(await settleRain(context, 'smaller', live)).toEqual({
      outcome: 'does_not_add_up',
      problems: [expect.stringContaining('rain restore check smaller')],
    });
  });

  test('[R8] a rain that Redis has settled and the database has not is settled again, at once', async () => {
    await openRain(context, 'twice', ['ann']);
    await closeRain(context, 'twice');
    expect(await settleRain(context, 'twice', (await findRain(context.redis, 'twice'))!)).toEqual({
      outcome: 'settled',
    });
    start();
    await compared();
    await rewriteLedger(
      context,
      `DELETE FROM "Transfer" WHERE "rainId" = 'twice' AND "kind" <> 'fund'`,
      `UPDATE "Rain" SET "settledAt" = NULL, "sealedAt" = NULL WHERE "id" = 'twice'`,
      `DELETE FROM "ReservedBudget" WHERE "rainId" = 'twice'`,
      'UPDATE "StoreEpoch" SET "counter" = 0',
    );
    await eventually(async () => expect(await context.redis.hexists(LIVE_RAINS_KEY, 'twice')).toBe(1));
    const live = (await findRain(context.redis, 'twice'))!;
    expect(await settleRain(context, 'twice', live)).toEqual({ outcome: 'waiting', pending: 1 });
    await context.ledger.credit(await claimLog(context, 'twice'));
    expect(await settleRain(context, 'twice', live)).toEqual({ outcome: 'settled' });
    expect((await auditRain(context, 'twice'))!.report).toMatchObject({
      credited: '1.00',
      recycled: '9.00',
      balanced: true,
    });
    expect(await context.redis.hexists(SETTLED_RAINS_KEY, 'twice')).toBe(1);
  });
});

describe('Redis is older', () => {
  test('[R1][R2] packets that the database has credited are taken off the list before anybody can grab', async () => {
    await openRain(context, 'earlier', ['ann']);
    const worker = start();
    await compared();
    await worker.close();
    const toBackup = await backupRedis(context.redis);
    await winAndCredit(context, 'earlier', ['bob', 'cat', 'dan']);
    for (let i = 0; i < 5; i++) await context.ledger.nextEpoch();
    await toBackup();
    start('after');
    await eventually(() =>
      expect(heard.filter(({ msg }) => msg.includes('had lost claims'))).toMatchObject([
        { rainId: 'earlier', putBack: 3, contested: 0 },
      ]),
    );
    await eventually(async () => expect(await heldFor('earlier')).toBe(null));
    expect(errors()).toMatchObject([{ behind: 'redis' }]);
    expect(await packetsLeft(context, shardKeys('earlier', 0).packets)).toEqual(
      [9, 8, 7, 6, 5, 4].map((index) => `earlier-${index}`),
    );
    expect(await grabAs(context, 'earlier', ['dan', 'eve'])).toMatchObject([
      { code: '1', redPacketId: 'earlier-3' },
      { code: '0', redPacketId: 'earlier-4' },
    ]);
    await winAndCredit(context, 'earlier', []);
    expect((await auditRain(context, 'earlier'))!).toMatchObject({
      report: { credited: '5.00', balanced: true },
      problems: [],
      toldTwice: [],
    });
  });

  test('[R7] a settled rain is not open again: it is closed at once, and settled as before', async () => {
    await openRain(context, 'over', ['ann']);
    const toBackup = await backupRedis(context.redis);
    await winAndCredit(context, 'over', ['bob']);
    await closeRain(context, 'over');
    await settleRain(context, 'over', (await findRain(context.redis, 'over'))!);
    await toBackup();
    start();
    await eventually(async () =>
      expect(await context.redis.hmget(shardKeys('over', 0).state, 'state', 'held')).toEqual(['closed', null]),
    );
    await eventually(async () => expect(await context.redis.llen(shardKeys('over', 0).claims)).toBe(2));
    await eventually(async () =>
      expect(await settleRain(context, 'over', (await findRain(context.redis, 'over'))!)).toEqual({
        outcome: 'settled',
      }),
    );
    expect((await auditRain(context, 'over'))!.report).toMatchObject({
      credited: '2.00',
      recycled: '8.00',
      balanced: true,
    });
  });

  test('[R7] a settled rain that somebody opens again in Redis is settled there within a round; one that is only said to be settled goes on', async () => {
    await openRain(context, 'done', ['ann']);
    await winAndCredit(context, 'done', ['bob']);
    await closeRain(context, 'done');
    await eventually(async () =>
      expect(await settleRain(context, 'done', (await findRain(context.redis, 'done'))!)).toEqual({
        outcome: 'settled',
      }),
    );
    await openRain(context, 'under-way', ['ann']);
    start();
    // Later the workers trust the index of settled rains for nothing but a first look.
    await compared();
    await context.redis.hset(SETTLED_RAINS_KEY, 'under-way', (await context.redis.hget(LIVE_RAINS_KEY, 'under-way'))!);
    await context.redis.hset(shardKeys('done', 0).state, 'state', 'loaded');
    await eventually(async () => expect(await context.redis.hget(shardKeys('done', 0).state, 'state')).toBe('settled'));
    await rounds();
    expect(await context.redis.hget(shardKeys('under-way', 0).state, 'state')).toBe('loaded');
    expect(await context.redis.ttl(shardKeys('under-way', 0).claims)).toBe(-1);
  });

  test('a rain of a wrong type in Redis is held, and keeps no other from being compared', async () => {
    await openRain(context, 'broken', ['ann']);
    await openRain(context, 'sound', ['ann']);
    await context.redis.set(shardKeys('broken', 0).claimed, 'not a hash');
    start();
    await compared();
    expect([await heldFor('broken'), await heldFor('sound')]).toEqual(['redis_behind', null]);
    expect(errors()).toMatchObject([
      { rainId: 'broken', msg: expect.stringContaining('cannot be compared') as string },
    ]);
  });
});

test('[R2] a rain that the database has credited and Redis has only drafted hands out none of those packets, however it is loaded', async () => {
  const now = await redisNow(context.redis);
  const made = await createRain(context, {
    id: 'drafted',
    plan: { budget: '5.00', packets: 5, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  expect(made.ok).toBe(true);
  await draftRain(context.redis, context.signer, await draftOf(context, (await context.ledger.rain('drafted'))!));
  const toBackup = await backupRedis(context.redis);
  await loadRain(context, 'drafted');
  await winAndCredit(context, 'drafted', ['ann', 'bob']);
  await toBackup();
  expect(await loadRain(context, 'drafted')).toMatchObject({ ok: true });
  expect(await grabAs(context, 'drafted', ['eve'])).toMatchObject([{ code: '-7' }]);
  start();
  await eventually(async () =>
    expect(await grabAs(context, 'drafted', ['eve', 'ann'])).toMatchObject([
      { code: '0', redPacketId: 'drafted-2' },
      { code: '1', redPacketId: 'drafted-0' },
    ]),
  );
  // Loaded as often as one likes: nothing is held that is in order.
  expect(await loadRain(context, 'drafted')).toMatchObject({ ok: true });
  expect(await grabAs(context, 'drafted', ['joe'])).toMatchObject([{ code: '0' }]);
});
