import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { campaignKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createCampaign, type CampaignRequest } from '../../src/operator/campaign/create.ts';
import { listCampaigns, showCampaign } from '../../src/operator/campaign/show.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let engine: GrabEngine;
beforeAll(async () => {
  context = await openTestContext();
  engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
});
afterAll(() => context.stop());

async function begin(id: string, more: Partial<CampaignRequest> = {}): Promise<void> {
  expect(await createCampaign(context, { id, winsPerUserMax: 1, ...more })).toEqual({ ok: true, campaignId: id });
}

async function round(
  id: string,
  number: number,
  more: Partial<CreateRequest> & { excludeEarlierWinners?: boolean } = {},
) {
  const { excludeEarlierWinners, ...request } = more;
  const now = await redisNow(context.redis);
  return createRain(context, {
    campaign: { id, round: number },
    ...(excludeEarlierWinners !== undefined && { terms: { excludeEarlierWinners } }),
    plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    ...request,
  });
}

async function openRound(id: string, number: number, more: Parameters<typeof round>[2] = {}): Promise<void> {
  expect(await round(id, number, more)).toMatchObject({ ok: true, rainId: `${id}.${number}` });
  expect(await loadRain(context, `${id}.${number}`)).toMatchObject({ ok: true });
}

const shardsOf = async (rainId: string) => (await context.ledger.rain(rainId))!.shards;
async function codes(rainId: string, ...users: string[]): Promise<string[]> {
  const shards = await shardsOf(rainId);
  return Promise.all(users.map(async (user) => (await engine.grab(rainId, shardOf(user, shards), [user]))[0]!.code));
}

async function end(rainId: string): Promise<void> {
  await closeRain(context, rainId);
  for (let shard = 0; shard < (await shardsOf(rainId)); shard++)
    await context.ledger.credit(await claimLog(context, rainId, shard));
  expect(await settleRain(context, rainId, (await findRain(context.redis, rainId))!)).toEqual({ outcome: 'settled' });
}

describe('a campaign', () => {
  test.each([1, 3])(
    '[R8] is played round by round: each balances, is proved fair, and nobody wins twice, with %i shard(s)',
    async (shards) => {
      const id = `party-${shards}`;
      await begin(id, { shards, title: 'Party' });
      await openRound(id, 1);
      expect(await showRain(context, `${id}.1`)).toMatchObject({ shards, campaign: { id, round: 1 } });
      const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);
      const first = users.filter((_, i) => i < 12);
      const won = first.filter((_, i) => i >= 0).map((user) => user);
      const answers = await codes(`${id}.1`, ...won);
      const winners = won.filter((_, i) => answers[i] === '0');
      expect(winners).toHaveLength(4);
      await end(`${id}.1`);
      await openRound(id, 2);
      expect(await codes(`${id}.2`, ...winners)).toEqual(winners.map(() => '-11'));
      await codes(`${id}.2`, ...users);
      await end(`${id}.2`);
      for (const rainId of [`${id}.1`, `${id}.2`]) {
        expect((await auditRain(context, rainId))!.report).toMatchObject({ balanced: true, pending: '0.00' });
        expect(await verifyRain(context, rainId, [])).toMatchObject({ ok: true, fair: true });
      }
      expect(await showCampaign(context, id)).toMatchObject({
        title: 'Party',
        winsPerUserMax: 1,
        rounds: [{ rainId: `${id}.1`, state: 'settled' }, { rainId: `${id}.2` }],
        winners: { users: 8, wins: 8, beyond: 0 },
      });
      expect((await listCampaigns(context))[0]).toMatchObject({ campaignId: id, rounds: 2 });
      expect(await context.ledger.sumOfBalances()).toBe(0n);
    },
  );

  test('counts wins from before Redis was emptied: from the ledger, when the next round is loaded', async () => {
    await begin('flushed', { winsPerUserMax: 2, shards: 2 });
    for (const number of [1, 2]) {
      await openRound('flushed', number);
      await codes(`flushed.${number}`, 'ann');
      await end(`flushed.${number}`);
    }
    await context.redis.flushall();
    await openRound('flushed', 3);
    await openRound('flushed', 4, { excludeEarlierWinners: true });
    expect(await codes('flushed.3', 'ann', 'bob')).toEqual(['-11', '0']);
    expect(await codes('flushed.4', 'bob', 'cat')).toEqual(['-11', '0']);
  });

  test('counts claims in the logs that are not in the ledger yet, also when only the win counts were lost', async () => {
    await begin('mid');
    await openRound('mid', 1);
    expect(await codes('mid.1', 'ann')).toEqual(['0']);
    await context.redis.del(campaignKeys('mid.1', 0).wins);
    await openRound('mid', 2);
    expect(await codes('mid.2', 'ann', 'bob')).toEqual(['-11', '0']);
    // Loaded once more, nothing becomes more than it is.
    await loadRain(context, 'mid.2');
    expect(await context.redis.hgetall(campaignKeys('mid.2', 0).wins)).toEqual({ ann: ',1,', bob: ',2,' });
    // And the round that has lost its place keeps the wins from expiring again.
    await loadRain(context, 'mid.1');
    await end('mid.2');
    expect(await context.redis.pttl(campaignKeys('mid.1', 0).wins)).toBe(-1);
    await end('mid.1');
    expect(await context.redis.pttl(campaignKeys('mid.1', 0).wins)).toBeGreaterThan(0);
  });

  test('created again is the same one; another one with its id is refused, and so is another round', async () => {
    await begin('same', { winsPerUserMax: 3 });
    await begin('same', { winsPerUserMax: 3 });
    expect(await createCampaign(context, { id: 'same', winsPerUserMax: 4 })).toEqual({
      ok: false,
      refusals: [{ field: 'id', reason: 'a campaign same exists already, with another winsPerUserMax' }],
    });
    const request = { opensAt: 1_900_000_000_000, closesAt: 1_900_000_060_000, seed: 'ab'.repeat(32) };
    const now = await redisNow(context.redis);
    const times = { ...request, opensAt: now + 60_000, closesAt: now + 120_000 };
    expect(await round('same', 1, times)).toMatchObject({ ok: true });
    expect(await round('same', 1, times)).toMatchObject({ ok: true });
    expect(await round('same', 1, { ...times, excludeEarlierWinners: true })).toEqual({
      ok: false,
      refusals: [{ field: 'id', reason: 'a rain same.1 exists already, with another excludeEarlierWinners' }],
    });
  });

  test.each<[string, Parameters<typeof round>[2] & { campaign?: CreateRequest['campaign'] }, string]>([
    ['of a campaign that is not there', { campaign: { id: 'nowhere', round: 1 } }, 'campaign'],
    ['with an id of its own', { id: 'mine' }, 'id'],
    ['with other shards', { shards: 2 }, 'shards'],
    ['that is a rehearsal', { terms: { rehearsal: true } }, 'terms.rehearsal'],
    ['without a number', { campaign: { id: 'strict', round: 0 } }, 'campaign.round'],
    ['of a campaign with a dot', { campaign: { id: 'a.1', round: 1 } }, 'campaign.id'],
    ['that names no campaign', { id: 'strict.1', campaign: undefined }, 'id'],
  ])('[R12] a round %s is refused by its field, and nothing is written', async (_, more, field) => {
    if (!(await context.ledger.campaign('strict'))) await begin('strict');
    const [rains, keys] = [await context.ledger.countRains(), await context.redis.dbsize()];
    const refused = await round('strict', 1, more);
    expect(refused).toMatchObject({ ok: false, refusals: [{ field }] });
    expect([await context.ledger.countRains(), await context.redis.dbsize()]).toEqual([rains, keys]);
  });

  test.each<[string, CampaignRequest, string]>([
    ['without wins', { winsPerUserMax: 0 }, 'winsPerUserMax'],
    ['with an id that names a round', { id: 'a.1', winsPerUserMax: 1 }, 'id'],
    ['without a title', { title: ' ', winsPerUserMax: 1 }, 'title'],
  ])('[R12] one %s is refused by its field', async (_, request, field) => {
    expect(await createCampaign(context, request)).toMatchObject({ ok: false, refusals: [{ field }] });
  });

  test('is enforced by the database too: it never changes, and a round matches its id', async () => {
    const { connectDatabase } = await import('../../src/ledger/database.ts');
    await begin('stone', { shards: 2 });
    await openRound('stone', 1);
    const database = connectDatabase(context.databaseUrl);
    try {
      for (const [sql, code] of [
        [`UPDATE "Campaign" SET "winsPerUserMax" = 9`, '23001'],
        [`DELETE FROM "Campaign"`, '23001'],
        [`UPDATE "Rain" SET "round" = 2 WHERE "id" = 'stone.1'`, '23001'],
        [`UPDATE "Rain" SET "campaignId" = NULL WHERE "id" = 'stone.1'`, '23001'],
        [`UPDATE "Rain" SET "terms" = '{"excludeEarlierWinners": true}' WHERE "id" = 'stone.1'`, '23001'],
        ...[
          `'x', NULL, NULL, '{"excludeEarlierWinners": true}'`,
          `'x', NULL, NULL, '{"rehearsal": true}'`,
          `'x', NULL, NULL, '[]'`,
          `'stone.3', 'stone', 3, '{"winsMax": 9}'`,
        ].map((rest) => [
          `INSERT INTO "Rain" ("title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt", "shards", "id", "campaignId", "round", "terms") VALUES ('t', 1, 1, '{}', 's', now(), now() + interval '1 s', 2, ${rest})`,
          '23514',
        ]),
        ...[
          ['stone.2', `'stone', 3, 2`],
          ['stone.2', `'stone', 2, 1`],
          ['stone.2', 'NULL, NULL, 2'],
          ['other.2', `'stone', 2, 2`],
          ['stone.2', `'none', 2, 2`],
        ].map(([id, rest]) => [
          `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt", "campaignId", "round", "shards") VALUES ('${id}', 't', 1, 1, '{}', 's', now(), now() + interval '1 s', ${rest})`,
          '2350|23514',
        ]),
      ] as [string, string][]) {
        await database.$executeRawUnsafe(sql).then(
          () => expect.unreachable(sql),
          (error: unknown) => expect(String(error)).toMatch(new RegExp(code)),
        );
      }
    } finally {
      await database.$disconnect();
    }
  });
});
