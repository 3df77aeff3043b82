import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { verifyRain, type Verification } from '../../src/operator/verify.ts';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { tamper } from '../support/servers/plain-sql.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

/** 20.00 in 20 packets; its keys are in an order that no database keeps. */
const PLAN = { split: { method: 'double-mean' }, packets: 20, budget: '20.00' };

async function openRain(id: string, more: Partial<CreateRequest> = {}): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, { id, plan: PLAN, opensAt: now - 1_000, closesAt: now + 600_000, ...more }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(context, id)).toMatchObject({ ok: true });
}

/** Eight users win, four of them late in the list; the rest is recycled. */
async function playedRain(id: string, shards = 1): Promise<void> {
  await openRain(id, { shards });
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (let i = 0; i < 8; i++) await engine.grab(id, shardOf(`user-${i}`, shards), [`user-${i}`]);
  await closeRain(context, id);
  for (let shard = 0; shard < shards; shard++) await context.ledger.credit(await claimLog(context, id, shard));
  expect(await settleRain(context, id, (await findRain(context.redis, id))!)).toEqual({ outcome: 'settled' });
}

/**
 * Back at the end of the test: no other rain of this user is settled while the user's account differs from its
 * transfers.
 */
async function exchangeCredit(id: string): Promise<void> {
  const change = (to: string) =>
    tamper(
      context.databaseUrl,
      'SET session_replication_role = replica',
      `UPDATE "Transfer" SET "amountCents" = ${to} WHERE id = 'credit:${id}-0'`,
    );
  const ofUser = `"creditAccountId" = 'user:user-0'`;
  onTestFinished(() =>
    change(
      `"amountCents" + (SELECT "balanceCents" FROM "Account" WHERE id = 'user:user-0') - (SELECT sum("amountCents") FROM "Transfer" WHERE ${ofUser})`,
    ),
  );
  await change('999');
}

async function verified(
  id: string,
  ...receipts: { rainId: string; redPacketId: string; amount: string }[]
): Promise<Verification> {
  const verification = await verifyRain(context, id, receipts);
  if (!verification.ok) throw new Error(JSON.stringify(verification.refusals));
  return verification;
}

describe('the commitment of a rain', () => {
  test('is returned at creation, recorded, shown, and returned again by a repeated creation', async () => {
    const now = await redisNow(context.redis);
    const request: CreateRequest = {
      id: 'told',
      plan: PLAN,
      opensAt: now + 60_000,
      closesAt: now + 120_000,
      shards: 2,
    };
    const created = await createRain(context, request);
    const rain = (await context.ledger.rain('told'))!;
    // The book has given the keys another order; the commitment is the same.
    expect(Object.keys(rain.split)).not.toEqual(Object.keys(PLAN));
    const commitment = commitmentOf({ rainId: 'told', seed: rain.seed, plan: PLAN, shards: 2 });
    expect(created).toMatchObject({ ok: true, commitment });
    expect((await context.ledger.actions('told'))[0]).toMatchObject({ verb: 'create', details: { commitment } });
    expect(await showRain(context, 'told')).toMatchObject({ commitment });
    expect(await showRain(context, 'told')).not.toHaveProperty('seed');
    expect(await createRain(context, request)).toEqual(created);
    for (const shard of [0, 1])
      expect(await context.redis.hget(shardKeys('told', shard).state, 'commitment')).toBe(commitment);
  });

  test('a rain that was cut before Redis gets its commitment there from the load', async () => {
    const now = await redisNow(context.redis);
    await context.ledger.createRain(
      {
        id: 'cut',
        title: 'cut',
        budgetCents: 2_000n,
        packets: 20,
        split: PLAN,
        seed: 'ab'.repeat(32),
        shards: 1,
        opensAt: now,
        closesAt: now + 60_000,
      },
      'test',
    );
    await loadRain(context, 'cut');
    expect(await context.redis.hget(shardKeys('cut', 0).state, 'commitment')).toBe(
      commitmentOf({ rainId: 'cut', seed: 'ab'.repeat(32), plan: PLAN, shards: 1 }),
    );
  });

  test('a rain whose recorded seed no longer matches its commitment is not loaded', async () => {
    const now = await redisNow(context.redis);
    await createRain(context, { id: 'exchanged', plan: PLAN, opensAt: now + 60_000, closesAt: now + 120_000 });
    await tamper(context.databaseUrl, `UPDATE "Rain" SET seed = '${'cd'.repeat(32)}' WHERE id = 'exchanged'`);
    expect(await loadRain(context, 'exchanged')).toMatchObject({
      ok: false,
      refusals: [{ field: 'id', reason: expect.stringContaining('commitment') as string }],
    });
    expect(await context.redis.llen(shardKeys('exchanged', 0).packets)).toBe(0);
  });
});

describe('verifying a rain', () => {
  test.each([1, 3])(
    "that was not tampered with finds no problem, over %i shard(s), and its winners' receipts hold",
    async (shards) => {
      const id = `honest-${shards}`;
      await playedRain(id, shards);
      const receipts = (
        await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(context, id, shard)))
      ).flat();
      const rain = (await context.ledger.rain(id))!;
      expect(await verified(id, ...receipts)).toEqual({
        ok: true,
        fair: true,
        rainId: id,
        commitment: commitmentOf({ rainId: id, seed: rain.seed, plan: PLAN, shards }),
        seed: rain.seed,
        plan: PLAN,
        shards,
        packets: 20,
        checked: {
          left: 20 - receipts.length,
          claims: receipts.length,
          credits: receipts.length,
          receipts: receipts.length,
        },
        outOfTurn: 0,
        moved: 0,
        problems: [],
      });
      expect(await showRain(context, id)).toMatchObject({ state: 'settled', seed: rain.seed });
      // When Redis has forgotten the rain, the book is enough.
      for (let shard = 0; shard < shards; shard++) await context.redis.del(...Object.values(shardKeys(id, shard)));
      expect(await verified(id, ...receipts)).toMatchObject({
        fair: true,
        checked: { left: 0, claims: 0, credits: receipts.length, receipts: receipts.length },
      });
    },
  );

  test('is refused before it is settled, without showing the seed', async () => {
    await openRain('early', { seed: 'ef'.repeat(32) });
    for (const step of [async () => {}, () => closeRain(context, 'early')]) {
      await step();
      const refused = await verifyRain(context, 'early', []);
      expect(refused).toMatchObject({
        ok: false,
        refusals: [{ field: 'id', reason: expect.stringContaining('not settled') as string }],
      });
      expect(JSON.stringify([refused, await showRain(context, 'early')])).not.toContain('ef'.repeat(32));
    }
    expect(await verifyRain(context, 'nowhere', [])).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
  });

  test('a rain from before there were commitments cannot be verified', async () => {
    const now = await redisNow(context.redis);
    await tamper(
      context.databaseUrl,
      `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt", "settledAt")
      VALUES ('old', 'old', 500, 5, '{"budget":"5.00","packets":5}', '${'ab'.repeat(32)}', to_timestamp(${now / 1000 - 60}), to_timestamp(${now / 1000 - 30}), now())`,
    );
    expect(await verifyRain(context, 'old', [])).toMatchObject({
      ok: false,
      refusals: [{ field: 'id', reason: expect.stringContaining('without a commitment') as string }],
    });
  });

  test.each<[string, (id: string) => Promise<unknown>, RegExp]>([
    [
      'an amount in the list',
      (id) => context.redis.lset(shardKeys(id, 0).packets, -1, `{"redPacketId":"${id}-8","amount":"9.99"}`),
      /-8 is in the list as 9\.99 and was promised as \d+\.\d\d/,
    ],
    [
      'a packet in the list that was never promised',
      (id) => context.redis.rpush(shardKeys(id, 0).packets, `{"redPacketId":"${id}-20","amount":"0.01"}`),
      /-20 is in the list and was never promised/,
    ],
    [
      'an amount in the claim log',
      (id) =>
        context.redis.lset(
          shardKeys(id, 0).claims,
          -1,
          `{"rainId":"${id}","redPacketId":"${id}-0","amount":"9.99","userId":"user-0","at":"1700000000000"}`,
        ),
      /-0 was won as 9\.99 and was promised as/,
    ],
    [
      'a claim that is none',
      (id) => context.redis.lset(shardKeys(id, 0).claims, -1, 'no claim'),
      /an entry of the claim log is not a claim: not JSON/,
    ],
    ['an amount in the book', exchangeCredit, /-0 was credited as 9\.99 and was promised as/],
    [
      'the seed in the book',
      (id) => tamper(context.databaseUrl, `UPDATE "Rain" SET seed = '${'cd'.repeat(32)}' WHERE id = '${id}'`),
      /commitment of [0-9a-f]{64}.* the ledger .* hash to [0-9a-f]{64}/,
    ],
    [
      'the plan in the book',
      (id) =>
        tamper(
          context.databaseUrl,
          `UPDATE "Rain" SET split = '{"budget":"20.00","packets":20,"split":{"method":"even"}}' WHERE id = '${id}'`,
        ),
      /hash to/,
    ],
    [
      'a plan in the book that is none',
      (id) =>
        tamper(context.databaseUrl, `UPDATE "Rain" SET split = '{"budget":"0.00","packets":20}' WHERE id = '${id}'`),
      /plan in the ledger cannot be executed: budget: /,
    ],
    [
      'the commitment that players saw',
      (id) => context.redis.hset(shardKeys(id, 0).state, 'commitment', '0'.repeat(64)),
      /players were shown the commitment 0{64}/,
    ],
    [
      'the seed that players see',
      (id) => context.redis.hset(shardKeys(id, 0).state, 'seed', 'cd'.repeat(32)),
      /players are shown another seed or plan/,
    ],
    [
      'the plan that players see',
      (id) => context.redis.hset(shardKeys(id, 0).state, 'plan', '{"budget":"20.00","packets":20}'),
      /players are shown another seed or plan/,
    ],
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

  test('restored wins are in another order: that is reported, but does not make the rain unfair', async () => {
    await playedRain('turns');
    const log = shardKeys('turns', 0).claims;
    expect(await verified('turns')).toMatchObject({ fair: true, outOfTurn: 0 });
    await context.redis.rpush(log, (await context.redis.lpop(log))!); // The last win before all others.
    expect(await verified('turns')).toMatchObject({ fair: true, outOfTurn: 7, problems: [] });
  });

  test('an entry that the operator has discarded is explained', async () => {
    await playedRain('resting');
    const log = shardKeys('resting', 0).claims;
    await context.redis.lpush(log, 'torn');
    expect((await verified('resting')).fair).toBe(false);
    const letterId = deadLetterId({ rainId: 'resting', shard: 0, index: 8, entry: 'torn' });
    await context.ledger.discard({
      letterId,
      rainId: 'resting',
      entry: 'torn',
      deadReason: 'malformed',
      reason: 'torn',
      actor: 'test',
    });
    expect(await verified('resting')).toMatchObject({ fair: true, problems: [] });
  });

  test('invalid receipts are listed, each with its reason', async () => {
    await playedRain('receipts');
    const { redPacketId, amount } = (await claimLog(context, 'receipts'))[0]!;
    const { fair, problems } = await verified(
      'receipts',
      { rainId: 'receipts', redPacketId, amount },
      { rainId: 'receipts', redPacketId, amount: '77.77' },
      { rainId: 'receipts', redPacketId: 'receipts-20', amount: '1.00' },
      { rainId: 'other', redPacketId: 'other-0', amount: '1.00' },
    );
    expect(fair).toBe(false);
    expect(problems).toEqual([
      `the receipt for ${redPacketId} says 77.77, promised was ${amount}`,
      'the receipt for receipts-20 names a packet that was never promised',
      'the receipt for other-0 is of another rain, other',
    ]);
  });
});
