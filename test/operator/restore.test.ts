import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { LIVE_RAINS_KEY, shardKeys, shardOf } from '../../src/store/keys.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { findRain, readRain, redisNow } from '../../src/store/rains.ts';
import { settle } from '../../src/store/transitions.ts';
import { createSigner } from '../../src/store/signer.ts';
import { recordTold } from '../../src/store/told.ts';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { listDeadLetters } from '../../src/operator/deadLetters/letters.ts';
import { openReplay } from '../../src/operator/replay.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { compareAll, compareRain } from '../../src/operator/restore/compare.ts';
import { closeRain, resumeRain } from '../../src/operator/transitions.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';
import { Cut, cutContext } from './cut.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = { ...(await openQueueContext()), signer };
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const grab = (id: string, users: string[]) =>
  createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(id, 0, users);
const counts = async (id: string) => (await compareRain(context, id))!.counts;
const apply = (id: string, reason?: string) =>
  applyRestore(context, id, { ...(reason !== undefined && { reason }), waitMs: 5_000 });
const balanced = async (id: string) => (await auditRain(context, id))!;
const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const read: T[] = [];
  for await (const one of source) read.push(one);
  return read;
};
const keys = (id: string) => shardKeys(id, 0);

/** Ten packets of 1.00, three won, the first two credited. */
async function creditedTwo(id: string): Promise<void> {
  await context.wonRain(id, 3);
  await context.ledger.credit((await claimLog(context, id)).slice(0, 2));
}

/** Users who have won hear it again, and nobody a second time: then the seven others win the rest. */
async function winsTheRest(id: string, earlier: string[], others: number): Promise<void> {
  const users = Array.from({ length: others }, (_, i) => `late-${i}`);
  const answers = await grab(id, [...earlier, ...users]);
  expect(answers.map(({ code }) => code)).toEqual([...earlier.map(() => '1'), ...users.map(() => '0')]);
  expect(await grab(id, ['too-late'])).toMatchObject([{ code: '-1' }]);
  await context.credit();
  expect((await balanced(id)).problems).toEqual([]);
  expect((await balanced(id)).report).toMatchObject({ balanced: true, credited: '10.00', told_twice: 0 });
}

test("Redis is flushed: the rain is listed, rebuilt on the operator's word only, and no credited packet is handed out again", async () => {
  await creditedTwo('flushed');
  await context.redis.flushall();
  expect(await counts('flushed')).toEqual({ missing: 1 });
  expect(await apply('flushed')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await findRain(context.redis, 'flushed')).toBeUndefined();
  expect(await apply('flushed', 'flushed by mistake')).toMatchObject({ ok: true, left: { counts: {} } });
  expect(await grab('flushed', ['late'])).toMatchObject([{ code: '-4' }]);
  expect(await resumeRain(context, 'flushed')).toMatchObject({ ok: true });
  await winsTheRest('flushed', ['user-0', 'user-1'], 8);
});

test("the state is deleted, the log is intact: it is read, and the rain comes back paused without the operator's word", async () => {
  await creditedTwo('stateless');
  await context.redis.del(keys('stateless').state);
  const replay = await openReplay(context, 'stateless');
  expect(replay.ok && (await all(replay.entries))).toHaveLength(3);
  expect(await counts('stateless')).toMatchObject({ state_missing: 1 });
  expect(await apply('stateless')).toMatchObject({ ok: true, left: { counts: {} } });
  expect(await readRain(context.redis, 'stateless', { shards: 1, title: '' })).toMatchObject({
    state: 'paused',
    packets: 10,
    loaded: 10,
    left: 7,
    claims: 3,
  });
  await resumeRain(context, 'stateless');
  await winsTheRest('stateless', ['user-0', 'user-1', 'user-2'], 7);
});

test("a log that the relay's cursor is ahead of has lost wins: the operator must give a reason", async () => {
  await creditedTwo('short');
  await context.credit();
  await context.redis.del(keys('short').state, keys('short').claims, keys('short').claimed, keys('short').packets);
  expect(await apply('short')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
});

test('an older Redis: credited packets lie in the list again; they are taken off before anybody can grab', async () => {
  await creditedTwo('older');
  const claims = await claimLog(context, 'older');
  await context.redis.del(keys('older').claims, keys('older').claimed);
  for (const { redPacketId, amount } of claims.toReversed())
    await context.redis.rpush(keys('older').packets, packetElement(context.signer, 'older', redPacketId, amount));
  expect(await counts('older')).toEqual({ credit_not_in_log: 2, credited_packet_in_list: 2 });
  expect(await applyRestore(context, 'older', { dryRun: true })).toMatchObject({
    ok: true,
    did: [expect.stringContaining('paused'), expect.any(String), expect.any(String)],
  });
  expect(await counts('older')).toEqual({ credit_not_in_log: 2, credited_packet_in_list: 2 });
  expect(await apply('older')).toMatchObject({
    ok: true,
    did: expect.arrayContaining([
      expect.stringContaining('paused'),
      'wrote 2 credits of the ledger back into Redis',
    ]) as string[],
    left: { counts: {} },
  });
  await resumeRain(context, 'older');
  await winsTheRest('older', ['user-0', 'user-1'], 8);
});

test("an older Redis has the rain as a draft: it is rebuilt from the ledger, on the operator's word", async () => {
  await creditedTwo('draft');
  await context.redis.del(keys('draft').claims, keys('draft').claimed, keys('draft').packets);
  await context.redis.hset(keys('draft').state, 'state', 'draft', 'loaded', 0);
  expect(await counts('draft')).toEqual({ not_loaded: 1, credit_not_in_log: 2 });
  expect(await apply('draft')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await apply('draft', 'the backup was made before the load')).toMatchObject({ ok: true, left: { counts: {} } });
  await resumeRain(context, 'draft');
  await winsTheRest('draft', ['user-0', 'user-1'], 8);
});

test("told wins that both stores have lost: genuine ones are paid on the operator's word, others never", async () => {
  await creditedTwo('told');
  const third = (await claimLog(context, 'told'))[2]!;
  await context.redis.flushall();
  const record = (userId: string, redPacketId = third.redPacketId, amount = '1.00') => ({
    shard: 0,
    userId,
    redPacketId,
    amount,
    at: Number(third.at),
  });
  await recordTold(context.redis, signer, 'told', [
    record('user-2'),
    record('raised', 'told-6', '9.00'),
    record('other', 'told-0'),
    record('user-0', 'told-0'),
  ]);
  await recordTold(context.redis, createSigner('the secret of a thief, as long as ours is'), 'told', [
    record('thief', 'told-5'),
  ]);
  expect(await counts('told')).toEqual({ missing: 1, told: 1, told_unverified: 1, told_contested: 1 });
  expect(await apply('told', 'paid as told')).toMatchObject({
    ok: true,
    left: { counts: { told_unverified: 1, told_contested: 1 } },
  });
  await resumeRain(context, 'told');
  await winsTheRest('told', ['user-0', 'user-1', 'user-2'], 7);
  expect((await context.ledger.actions('told')).find(({ verb }) => verb === 'restore')).toMatchObject({
    details: { reason: 'paid as told' },
  });
});

test('a rain that the ledger does not know is listed by name and paused', async () => {
  await stockRain(context.redis, { rainId: 'unknown', amounts: ['1.00', '1.00'] });
  await grab('unknown', ['ann']);
  const found = (await all(compareAll(context))).find(({ rainId }) => rainId === 'unknown');
  expect(found).toMatchObject({
    counts: { not_in_book: 1, claim_not_in_book: 1 },
    differences: [
      { sentence: expect.stringContaining('open, 1 won, 1 left') as string },
      { userId: 'ann', redPacketId: 'unknown-0', amount: '1.00' },
    ],
  });
  expect(await apply('unknown')).toMatchObject({
    ok: true,
    did: [expect.stringContaining('paused')],
    left: { counts: { not_in_book: 1, claim_not_in_book: 1 } },
  });
  expect(await grab('unknown', ['bob'])).toMatchObject([{ code: '-4' }]);
});

test('settled in the ledger and open again in an older Redis: closed, settled, and told wins become dead letters', async () => {
  await context.wonRain('again', 2);
  await closeRain(context, 'again');
  await context.credit();
  expect(await settleRain(context, 'again', (await findRain(context.redis, 'again'))!)).toEqual({ outcome: 'settled' });
  await context.redis.hset(keys('again').state, 'state', 'loaded');
  await context.redis.hset(LIVE_RAINS_KEY, 'again', JSON.stringify({ shards: 1, title: 'again' }));
  await context.redis.hdel(keys('again').state, 'frozen');
  expect(await grab('again', ['told'])).toMatchObject([{ code: '0' }]);
  expect(await counts('again')).toEqual({ settled_in_book: 1 });
  // The money is gone: the operator compensates the user, and discards the claim.
  expect(await apply('again')).toMatchObject({
    ok: true,
    did: expect.arrayContaining([
      'closed it: the ledger has settled it',
      expect.stringContaining('sent 1 claims again'),
      'marked it as settled',
    ]) as string[],
    left: { counts: { claim_dead: 1 } },
  });
  expect(await grab('again', ['late'])).toMatchObject([{ code: '-3' }]);
  const {
    letters: [letter],
  } = await listDeadLetters(context, { rainId: 'again', skip: 0, limit: 1 });
  expect(await discardDeadLetter(context, letter!.letter, 'compensated')).toMatchObject({ ok: true });
  expect(await counts('again')).toEqual({});
  expect(await context.ledger.sumOfBalances()).toBe(0n);
});

test('settled in Redis, and the ledger is older: its claims are sent again, and it can be settled again', async () => {
  await context.wonRain('forgot', 2);
  await closeRain(context, 'forgot');
  await settle(context.redis, 'forgot', { shards: 1, title: 'Rain forgot' }, { ttlMs: 60_000 });
  expect(await counts('forgot')).toEqual({ settled_in_redis: 1, claim_not_in_book: 2 });
  expect(await apply('forgot')).toMatchObject({ ok: true, left: { counts: { settled_in_redis: 1 } } });
  // Never: it is not settled yet.
  expect(await context.redis.pttl(keys('forgot').claims)).toBe(-1);
  expect(await settleRain(context, 'forgot', (await findRain(context.redis, 'forgot'))!)).toEqual({
    outcome: 'settled',
  });
  expect(await context.redis.pttl(keys('forgot').claims)).toBeGreaterThan(0);
  expect(await counts('forgot')).toEqual({});
  expect((await balanced('forgot')).report).toMatchObject({ balanced: true, credited: '2.00', recycled: '8.00' });
});

test('one of two shards lost its state, and a close met that: the other one is closed, and so is the one that comes back', async () => {
  const now = await redisNow(context.redis);
  const users = ['ann', 'bob', 'eve', 'joe'];
  await createRain(context, {
    id: 'half',
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    shards: 2,
  });
  await loadRain(context, 'half');
  for (const user of users)
    await createGrabEngine(context.redis, (fault) => {
      throw fault;
    }).grab('half', shardOf(user, 2), [user]);
  await context.redis.del(shardKeys('half', 1).state);
  expect(await closeRain(context, 'half')).toMatchObject({ ok: false });
  expect(await apply('half')).toMatchObject({ ok: true, left: { counts: {} } });
  expect(await readRain(context.redis, 'half', { shards: 2, title: '' })).toMatchObject({
    state: 'closed',
    left: 6,
    claims: 4,
    loaded: 10,
  });
  await context.credit();
  expect(await settleRain(context, 'half', (await findRain(context.redis, 'half'))!)).toEqual({ outcome: 'settled' });
  expect((await balanced('half')).report).toMatchObject({ balanced: true, credited: '4.00', recycled: '6.00' });
});

test('[R1] a round that is rebuilt knows who has won in the others', async () => {
  const now = await redisNow(context.redis);
  await createCampaign(context, { id: 'series', title: 'series', winsPerUserMax: 1 });
  for (const round of [1, 2]) {
    await createRain(context, {
      plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      campaign: { id: 'series', round },
    });
    await loadRain(context, `series.${round}`);
  }
  await grab('series.1', ['ann']);
  await context.ledger.credit(await claimLog(context, 'series.1'));
  await context.redis.flushall();
  expect(await apply('series.2', 'flushed')).toMatchObject({ ok: true, left: { counts: {} } });
  await resumeRain(context, 'series.2');
  expect(await grab('series.2', ['ann', 'bob'])).toMatchObject([{ code: '-11' }, { code: '0' }]);
});

test('missing only in the index: found and put there', async () => {
  await creditedTwo('index');
  await context.redis.hdel(LIVE_RAINS_KEY, 'index');
  expect(await counts('index')).toMatchObject({ not_in_index: 1 });
  await apply('index');
  expect(await findRain(context.redis, 'index')).toEqual({ shards: 1, title: 'Rain index' });
});

test('two operators who restore at once, and one who is cut anywhere and repeats it, end with the same rain', async () => {
  const restored = async (id: string) => {
    const { redis } = context;
    return {
      list: (await redis.lrange(keys(id).packets, 0, -1)).map((element) =>
        element.replaceAll(id, '').replace(/,"mac":"[^"]*"/, ''),
      ),
      users: (await redis.hkeys(keys(id).claimed)).sort(),
      log: (await claimLog(context, id)).map(({ userId }) => userId),
      state: await redis.hget(keys(id).state, 'state'),
      left: await counts(id),
    };
  };
  const lose = async (id: string) => {
    await creditedTwo(id);
    await context.redis.del(keys(id).state, keys(id).claims, keys(id).packets);
  };
  await lose('both');
  await Promise.all([apply('both', 'first'), apply('both', 'second')]);
  const expected = await restored('both');
  expect(expected).toMatchObject({ users: ['user-0', 'user-1', 'user-2'], state: 'paused', left: {} });
  expect([...expected.log].sort()).toEqual(expected.users);
  for (let at = 1, done = false; !done; at += 11) {
    const [id, when] = [`cut-${at}`, at % 2 === 1 ? ('before' as const) : ('after' as const)];
    await lose(id);
    const cut = { ...context, ...cutContext(context, at, when), queues: context.queues };
    done = await applyRestore(cut, id, { reason: 'cut', waitMs: 0 }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Cut) return false;
        throw error;
      },
    );
    await apply(id, 'repeated');
    expect(await restored(id), id).toEqual(expected);
  }
}, 60_000);

test('a win of a rain that neither store knows stands on the list once its user has shown the receipt', async () => {
  await recordTold(context.redis, signer, 'nowhere', [
    { shard: 0, userId: 'ann', redPacketId: 'nowhere-3', amount: '2.50', at: 1_700_000_000_000 },
  ]);
  const found = (await all(compareAll(context))).find(({ rainId }) => rainId === 'nowhere');
  expect(found).toMatchObject({
    counts: { told_of_lost_rain: 1 },
    differences: [{ userId: 'ann', redPacketId: 'nowhere-3', amount: '2.50' }],
  });
});
