import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookProviders } from '../../src/credit/webhookProvider.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { campaignKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { SECRET, startWallet } from '../credit/wallet.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

const SHARDS = 3;
const plan = (packets: number) => ({ budget: `${packets}.00`, packets, split: { method: 'even' } });
const crowd = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

async function round(id: string, number: number, packets: number, { load = true } = {}): Promise<string> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      campaign: { id, round: number },
      plan: plan(packets),
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    }),
  ).toMatchObject({ ok: true });
  if (load) expect(await loadRain(context, `${id}.${number}`)).toMatchObject({ ok: true });
  return `${id}.${number}`;
}

/** Each user grabs in the user's own shard. @returns the code of each user */
async function grab(rainId: string, users: readonly string[]): Promise<Record<string, string[]>> {
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  const told: Record<string, string[]> = {};
  for (const user of users) {
    const [answer] = await engine.grab(rainId, shardOf(user, SHARDS), [user]);
    (told[answer!.code] ??= []).push(user);
  }
  return told;
}

async function post(
  rainId: string,
  credit = (claims: Awaited<ReturnType<typeof claimLog>>) => context.ledger.credit(claims) as Promise<unknown>,
): Promise<void> {
  for (let shard = 0; shard < SHARDS; shard++) {
    const claims = await claimLog(context, rainId, shard);
    if (claims.length > 0) await credit(claims);
  }
}

async function end(rainId: string): Promise<void> {
  await closeRain(context, rainId);
  expect(await settleRain(context, rainId, (await findRain(context.redis, rainId))!)).toEqual({ outcome: 'settled' });
}

async function expectInOrder(...rainIds: string[]): Promise<void> {
  for (const rainId of rainIds)
    expect((await auditRain(context, rainId))!, rainId).toMatchObject({
      report: { balanced: true, told_twice: 0 },
      problems: [],
    });
  expect(await context.ledger.sumOfBalances()).toBe(0n);
}

test('[R1][R8] over shards, the win limit holds for rolled over and topped up packets, also when Redis has lost all wins between the rounds', async () => {
  await createCampaign(context, { id: 'caps', winsPerUserMax: 1, rollOver: true, shards: SHARDS });
  const one = await round('caps', 1, 30);
  const early = crowd('early', 12);
  expect(Object.keys(await grab(one, early))).toEqual(['0']);
  await round('caps', 2, 9, { load: false });
  await post(one);
  await end(one);
  for (let shard = 0; shard < SHARDS; shard++) {
    const { wins, rounds } = campaignKeys(one, shard);
    expect(await context.redis.pttl(wins)).toBeGreaterThan(0);
    await context.redis.del(wins, rounds);
  }
  expect(await loadRain(context, 'caps.2')).toEqual({ ok: true, packets: 9 + 18 });
  expect(await topUpRain(context, 'caps.2', { id: 'by-hand', budget: '12.00', packets: 12 })).toMatchObject({
    ok: true,
    total: { packets: 39, budget: '39.00' },
  });
  for (let shard = 0; shard < SHARDS; shard++) expect(await context.redis.pttl(campaignKeys(one, shard).wins)).toBe(-1);
  expect(await grab('caps.2', early)).toEqual({ '-11': early });
  const late = crowd('late', 120);
  const told = await grab('caps.2', late);
  expect(told['0']).toHaveLength(39);
  expect(told['-1']).toHaveLength(81);
  // The winner of the last packet of a top-up has reached the win limit too, and gets the own win first.
  expect(Object.keys(await grab('caps.2', told['0']!))).toEqual(['1']);
  await post('caps.2');
  await end('caps.2');
  await expectInOrder('caps.1', 'caps.2');
  expect(await context.ledger.campaignWinners({ id: 'caps', winsPerUserMax: 1 })).toEqual({
    users: 51,
    wins: 51,
    beyond: 0,
  });
});

test('[R2][R8] an external wallet pays rolled over and topped up money once, though it was asked for the whole first budget before', async () => {
  const wallet = await startWallet();
  try {
    const balance = webhookProviders(context.ledger, {
      url: wallet.url,
      secret: SECRET,
      receipts: 'required',
      timeoutMs: 2_000,
      batchMax: 5,
    }).webhook_v2;
    await createCampaign(context, { id: 'paid', winsPerUserMax: 9, rollOver: true, shards: SHARDS });
    const [one, two] = [await round('paid', 1, 12), await round('paid', 2, 6)];
    const posted = (rainId: string) =>
      post(rainId, async (claims) => {
        for (const { outcome } of await balance.post(rainId, claims)) expect(outcome).toBe('commit');
      });
    // Until the second round has nothing left, so that all of its budget is reserved.
    const first = (await grab(two, crowd('first', 40)))['0']!;
    expect(first).toHaveLength(6);
    await posted(two);
    await grab(one, crowd('some', 3));
    await posted(one);
    await end(one);
    expect(await topUpRain(context, two, { id: 'paid-more', budget: '3.00', packets: 3 })).toMatchObject({
      ok: true,
      total: { packets: 18, budget: '18.00' },
    });
    expect((await grab(two, crowd('second', 80)))['0']).toHaveLength(12);
    await Promise.all([posted(two), posted(two)]);
    await end(two);
    await expectInOrder(one, two);
    expect(wallet.paid.size).toBe(3 + 18);
    expect(wallet.seen).toMatchObject({ rivals: 0, unsigned: 0 });
    expect((await auditRain(context, two))!.report).toMatchObject({ credited: '18.00', recycled: '0.00' });
  } finally {
    await wallet.stop();
  }
});

test('[R8] a round that is lost is written off with its top-ups, and what was credited in it still counts in the next', async () => {
  await createCampaign(context, { id: 'lost', winsPerUserMax: 1, rollOver: true, shards: SHARDS });
  const one = await round('lost', 1, 9);
  expect(await topUpRain(context, one, { id: 'lost-more', budget: '9.00', packets: 9 })).toMatchObject({ ok: true });
  const winners = crowd('won', 5);
  await grab(one, winners);
  await post(one);
  await context.redis.flushall();
  expect(await writeOffRain(context, one, 'the disk burned')).toEqual({ ok: true, amount: '13.00' });
  expect(await context.ledger.sumOfBalances()).toBe(0n);
  const two = await round('lost', 2, 9);
  expect(await grab(two, winners)).toEqual({ '-11': winners });
  // Nothing of the round that was written off keeps the wins from expiring.
  await end(two);
  for (let shard = 0; shard < SHARDS; shard++) {
    const { wins } = campaignKeys(two, shard);
    expect(await context.redis.pttl(wins)).not.toBe(-1);
  }
});
