import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/grab/keys.ts';
import { findRain, redisNow } from '../../src/grab/reading.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/steer.ts';
import { verifyRain, type Verification } from '../../src/operator/verify.ts';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog, openTestDesk, type TestDesk } from '../support/desk.ts';
import { tamper } from '../support/plain-sql.ts';

let desk: TestDesk;
beforeAll(async () => { desk = await openTestDesk(); });
afterAll(() => desk.stop());

/** 20.00 in 20 packets, asked for with its keys in an order that no database keeps. */
const PLAN = { split: { method: 'double-mean' }, packets: 20, budget: '20.00' };

async function openRain(id: string, more: Partial<CreateRequest> = {}): Promise<void> {
  const now = await redisNow(desk.redis);
  expect(await createRain(desk, { id, plan: PLAN, opensAt: now - 1_000, closesAt: now + 600_000, ...more })).toMatchObject({ ok: true });
  expect(await loadRain(desk, id)).toMatchObject({ ok: true });
}

/** Eight users win, four of them late in the list; the rest is recycled. */
async function playedRain(id: string, shards = 1): Promise<void> {
  await openRain(id, { shards });
  const engine = createGrabEngine(desk.redis, (fault) => { throw fault; });
  for (let i = 0; i < 8; i++) await engine.grab(id, shardOf(`user-${i}`, shards), [`user-${i}`]);
  await closeRain(desk, id);
  for (let shard = 0; shard < shards; shard++) await desk.ledger.credit(await claimLog(desk, id, shard));
  expect(await settleRain(desk, id, (await findRain(desk.redis, id))!)).toEqual({ outcome: 'settled' });
}

async function verified(id: string, ...receipts: { rainId: string; redPacketId: string; amount: string }[]): Promise<Verification> {
  const verification = await verifyRain(desk, id, receipts);
  if (!verification.ok) throw new Error(JSON.stringify(verification.refusals));
  return verification;
}

describe('the commitment of a rain', () => {
  test('is told at its creation, recorded with it, shown, and told again when it is created again', async () => {
    const now = await redisNow(desk.redis);
    const request: CreateRequest = { id: 'told', plan: PLAN, opensAt: now + 60_000, closesAt: now + 120_000, shards: 2 };
    const created = await createRain(desk, request);
    const rain = (await desk.ledger.rain('told'))!;
    // The book has given the keys another order; the commitment is the same.
    expect(Object.keys(rain.split)).not.toEqual(Object.keys(PLAN));
    const commitment = commitmentOf({ rainId: 'told', seed: rain.seed, plan: PLAN, shards: 2 });
    expect(created).toMatchObject({ ok: true, commitment });
    expect((await desk.ledger.actions('told'))[0]).toMatchObject({ verb: 'create', details: { commitment } });
    expect(await showRain(desk, 'told')).toMatchObject({ commitment });
    expect(await showRain(desk, 'told')).not.toHaveProperty('seed');
    expect(await createRain(desk, request)).toEqual(created);
    for (const shard of [0, 1]) expect(await desk.redis.hget(shardKeys('told', shard).state, 'commitment')).toBe(commitment);
  });

  test('a rain cut before Redis heard of it gets its commitment there from the load', async () => {
    const now = await redisNow(desk.redis);
    await desk.ledger.createRain({ id: 'cut', title: 'cut', budgetCents: 2_000n, packets: 20, split: PLAN, seed: 'ab'.repeat(32), shards: 1, opensAt: now, closesAt: now + 60_000 }, 'test');
    await loadRain(desk, 'cut');
    expect(await desk.redis.hget(shardKeys('cut', 0).state, 'commitment')).toBe(commitmentOf({ rainId: 'cut', seed: 'ab'.repeat(32), plan: PLAN, shards: 1 }));
  });

  test('a rain whose recorded seed is no longer the one that was committed to is not loaded', async () => {
    const now = await redisNow(desk.redis);
    await createRain(desk, { id: 'exchanged', plan: PLAN, opensAt: now + 60_000, closesAt: now + 120_000 });
    await tamper(desk.databaseUrl, `UPDATE "Rain" SET seed = '${'cd'.repeat(32)}' WHERE id = 'exchanged'`);
    expect(await loadRain(desk, 'exchanged')).toMatchObject({ ok: false, refusals: [{ field: 'id', reason: expect.stringContaining('committed') as string }] });
    expect(await desk.redis.llen(shardKeys('exchanged', 0).packets)).toBe(0);
  });
});

describe('verifying a rain', () => {
  test.each([1, 3])('that was played honestly finds nothing, over %i shard(s), and its winners\' receipts hold', async (shards) => {
    const id = `honest-${shards}`;
    await playedRain(id, shards);
    const receipts = (await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(desk, id, shard)))).flat();
    const rain = (await desk.ledger.rain(id))!;
    expect(await verified(id, ...receipts)).toEqual({
      ok: true, fair: true, rainId: id, commitment: commitmentOf({ rainId: id, seed: rain.seed, plan: PLAN, shards }), seed: rain.seed, plan: PLAN, shards,
      packets: 20, checked: { left: 20 - receipts.length, claims: receipts.length, credits: receipts.length, receipts: receipts.length }, outOfTurn: 0, problems: [],
    });
    expect(await showRain(desk, id)).toMatchObject({ state: 'settled', seed: rain.seed });
    // When Redis has forgotten the rain, the book is enough.
    for (let shard = 0; shard < shards; shard++) await desk.redis.del(...Object.values(shardKeys(id, shard)));
    expect(await verified(id, ...receipts)).toMatchObject({ fair: true, checked: { left: 0, claims: 0, credits: receipts.length, receipts: receipts.length } });
  });

  test('is refused before it is settled, without a word of the seed', async () => {
    await openRain('early', { seed: 'ef'.repeat(32) });
    for (const step of [async () => {}, () => closeRain(desk, 'early')]) {
      await step();
      const refused = await verifyRain(desk, 'early', []);
      expect(refused).toMatchObject({ ok: false, refusals: [{ field: 'id', reason: expect.stringContaining('not settled') as string }] });
      expect(JSON.stringify([refused, await showRain(desk, 'early')])).not.toContain('ef'.repeat(32));
    }
    expect(await verifyRain(desk, 'nowhere', [])).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
  });

  test('a rain from before there were commitments cannot be verified', async () => {
    const now = await redisNow(desk.redis);
    await tamper(desk.databaseUrl, `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt", "settledAt")
      VALUES ('old', 'old', 500, 5, '{"budget":"5.00","packets":5}', '${'ab'.repeat(32)}', to_timestamp(${now / 1000 - 60}), to_timestamp(${now / 1000 - 30}), now())`);
    expect(await verifyRain(desk, 'old', [])).toMatchObject({ ok: false, refusals: [{ field: 'id', reason: expect.stringContaining('without a commitment') as string }] });
  });

  test.each<[string, (id: string) => Promise<unknown>, RegExp]>([
    ['an amount in the list', (id) => desk.redis.lset(shardKeys(id, 0).packets, -1, `{"redPacketId":"${id}-8","amount":"9.99"}`), /-8 lies in the list as 9\.99 and was promised as \d+\.\d\d/],
    ['a packet in the list that was never promised', (id) => desk.redis.rpush(shardKeys(id, 0).packets, `{"redPacketId":"${id}-20","amount":"0.01"}`), /-20 lies in the list and was never promised/],
    ['an amount in the claim log', (id) => desk.redis.lset(shardKeys(id, 0).claims, -1, `{"rainId":"${id}","redPacketId":"${id}-0","amount":"9.99","userId":"user-0","at":"1700000000000"}`), /-0 was won as 9\.99 and was promised as/],
    ['a claim that is none', (id) => desk.redis.lset(shardKeys(id, 0).claims, -1, 'no claim'), /an entry of the claim log is no claim: not JSON/],
    ['an amount in the book', (id) => tamper(desk.databaseUrl, 'ALTER TABLE "Transfer" DISABLE TRIGGER USER',
      `UPDATE "Transfer" SET "amountCents" = 999 WHERE id = 'credit:${id}-0'`, 'ALTER TABLE "Transfer" ENABLE TRIGGER USER'), /-0 was credited as 9\.99 and was promised as/],
    ['the seed in the book', (id) => tamper(desk.databaseUrl, `UPDATE "Rain" SET seed = '${'cd'.repeat(32)}' WHERE id = '${id}'`), /commitment of [0-9a-f]{64}.* the book .* hash to [0-9a-f]{64}/],
    ['the plan in the book', (id) => tamper(desk.databaseUrl, `UPDATE "Rain" SET split = '{"budget":"20.00","packets":20,"split":{"method":"even"}}' WHERE id = '${id}'`), /hash to/],
    ['a plan in the book that is none', (id) => tamper(desk.databaseUrl, `UPDATE "Rain" SET split = '{"budget":"0.00","packets":20}' WHERE id = '${id}'`), /plan in the book cannot be carried out: budget: /],
    ['the commitment that players saw', (id) => desk.redis.hset(shardKeys(id, 0).state, 'commitment', '0'.repeat(64)), /players were shown the commitment 0{64}/],
    ['the seed that players see', (id) => desk.redis.hset(shardKeys(id, 0).state, 'seed', 'cd'.repeat(32)), /players are shown another seed or plan/],
    ['the plan that players see', (id) => desk.redis.hset(shardKeys(id, 0).state, 'plan', '{"budget":"20.00","packets":20}'), /players are shown another seed or plan/],
  ])('%s, exchanged afterwards, is found', async (what, harm, problem) => {
    const id = `harm-${what.replace(/\W+/g, '-').slice(0, 40)}-${what.length}`;
    await playedRain(id);
    expect((await verified(id)).fair).toBe(true);
    await harm(id);
    const { fair, problems } = await verified(id);
    expect(fair).toBe(false);
    expect(problems.at(-1)).toMatch(problem);
    // Nothing else is complained of, but that players see what the book no longer says.
    expect(problems.slice(0, -1).filter((other) => !other.startsWith('players are shown another'))).toEqual([]);
  });

  test('wins that were put back stand in another order: that is told, and no reason to call the rain unfair', async () => {
    await playedRain('turns');
    const log = shardKeys('turns', 0).claims;
    expect(await verified('turns')).toMatchObject({ fair: true, outOfTurn: 0 });
    await desk.redis.rpush(log, (await desk.redis.lpop(log))!); // The last win before all others.
    expect(await verified('turns')).toMatchObject({ fair: true, outOfTurn: 7, problems: [] });
  });

  test('an entry that the operator has laid to rest is explained', async () => {
    await playedRain('resting');
    const log = shardKeys('resting', 0).claims;
    await desk.redis.lpush(log, 'torn');
    expect((await verified('resting')).fair).toBe(false);
    const letterId = deadLetterId({ rainId: 'resting', shard: 0, index: 8, entry: 'torn' });
    await desk.ledger.discard({ letterId, rainId: 'resting', entry: 'torn', deadReason: 'malformed', reason: 'torn', actor: 'test' });
    expect(await verified('resting')).toMatchObject({ fair: true, problems: [] });
  });

  test('receipts that do not hold are told, each with its reason', async () => {
    await playedRain('receipts');
    const { redPacketId, amount } = (await claimLog(desk, 'receipts'))[0]!;
    const { fair, problems } = await verified('receipts',
      { rainId: 'receipts', redPacketId, amount }, { rainId: 'receipts', redPacketId, amount: '77.77' },
      { rainId: 'receipts', redPacketId: 'receipts-20', amount: '1.00' }, { rainId: 'other', redPacketId: 'other-0', amount: '1.00' });
    expect(fair).toBe(false);
    expect(problems).toEqual([
      `the receipt for ${redPacketId} says 77.77, promised was ${amount}`, 'the receipt for receipts-20 names a packet that was never promised', 'the receipt for other-0 is of another rain, other',
    ]);
  });
});
