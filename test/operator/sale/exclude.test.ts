import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import { refusalOf } from '../../../src/ledger/refusal.ts';
import { createCampaign } from '../../../src/operator/campaign/create.ts';
import { excludeBuyers, excludeListed, excludeWinners, readmit } from '../../../src/operator/campaign/exclude.ts';
import { createRain } from '../../../src/operator/create.ts';
import { loadRain } from '../../../src/operator/load.ts';
import { importParticipants } from '../../../src/operator/participants.ts';
import { eraseUser } from '../../../src/operator/personalData.ts';
import { createComparison, type Done } from '../../../src/operator/restore/comparison.ts';
import { createSale } from '../../../src/operator/sale/create.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;

const campaign = async (id: string, winsPerUserMax = 2) =>
  expect(await createCampaign(context, { id, winsPerUserMax })).toMatchObject({ ok: true });
const list = (id: string, text: string) => excludeListed(context, id, Readable.from([Buffer.from(text)]));
const codes = async (id: string, ...users: string[]) =>
  (await stage.buy(id, ...users.map((userId) => ({ userId, ref: 'again' })))).map(({ code }) => code);
const bought = (id: string) => context.redis.hgetall(saleKeys(id).bought);

async function draftRound(id: string, round: number): Promise<string> {
  const { id: _, ...request } = await stage.request('', { campaign: { id, round } });
  expect(await createSale(context, request)).toMatchObject({ ok: true });
  return `${id}.${round}`;
}

async function openRound(id: string, round: number): Promise<string> {
  const saleId = await draftRound(id, round);
  expect(await openSale(context, saleId)).toMatchObject({ ok: true });
  return saleId;
}

/** A settled sale in which these users have bought. */
async function soldTo(id: string, ...users: string[]): Promise<void> {
  await stage.open(id);
  expect(await codes(id, ...users)).toEqual(users.map(() => '0'));
  await stage.write(id);
  for (const [i] of users.entries()) await stage.step(id, i + 1, 'paid');
  await context.ledger.sealSale(id);
  await context.ledger.settleSale(id);
}

/**
 * As if the operator had excluded them ten minutes ago: until a minute after an exclusion the ledger takes what Redis
 * has reserved.
 */
const longAgo = (id: string) =>
  stage.database
    .$executeRaw`UPDATE "CampaignExclusion" SET "excludedAt" = "excludedAt" - interval '10 minutes' WHERE "campaignId" = ${id}`;

test('buyers of an earlier sale neither buy in the sales of a campaign nor win in its rains, also after Redis was emptied; all others do', async () => {
  await soldTo('spring-sale', 'ann', 'bob');
  await campaign('party');
  expect(await excludeBuyers(context, 'party', 'spring-sale')).toEqual({ ok: true, excluded: 2, total: 2 });
  expect(await excludeBuyers(context, 'party', 'spring-sale'), 'once more').toEqual({
    ok: true,
    excluded: 0,
    total: 2,
  });
  expect(await codes(await openRound('party', 1), 'ann', 'bob', 'cem')).toEqual(['-11', '-11', '0']);
  await stage.write('party.1');
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      campaign: { id: 'party', round: 2 },
    }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(context, 'party.2')).toMatchObject({ ok: true });
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  expect((await engine.grab('party.2', 0, ['ann', 'cem'])).map(({ code }) => code)).toEqual(['-11', '0']);
  await context.redis.flushall();
  expect(await codes(await openRound('party', 3), 'ann', 'bob', 'cem')).toEqual(['-11', '-11', '0']);
  expect(await bought('party.3')).toEqual({ ann: '1000000', bob: '1000000', cem: '2' });
});

test('a sale that is on hears of it at once; what was bought before stays, is told again, and counts as before when it is given back', async () => {
  await campaign('now');
  const saleId = await openRound('now', 1);
  expect(await codes(saleId, 'eve')).toEqual(['0']);
  expect(await list('now', 'user\neve\nfay\n')).toMatchObject({ ok: true, excluded: 2, total: 2 });
  expect(await codes(saleId, 'eve', 'fay', 'gus')).toEqual(['1', '-11', '0']);
  expect((await stage.buy(saleId, { userId: 'eve', ref: 'another' }))[0]!.code).toBe('-11');
  await stage.write(saleId);
  await stage.step(saleId, 1, 'cancelled');
  expect((await stage.buy(saleId, { userId: 'eve', ref: 'another' }))[0]!.code).toBe('-11');
  expect(await bought(saleId)).toEqual({ eve: '1000000', fay: '1000000', gus: '1' });
});

test('winners of an earlier rain do not buy either', async () => {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id: 'last',
      plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    }),
  ).toMatchObject({ ok: true });
  await context.ledger.credit([
    { rainId: 'last', redPacketId: 'last-0', userId: 'hal', amount: '1.00', at: String(now) },
  ]);
  await context.ledger.seal('last');
  await stage.database.$executeRaw`UPDATE "Rain" SET "settledAt" = now() WHERE "id" = 'last'`;
  await campaign('winners');
  expect(await excludeWinners(context, 'winners', 'last')).toMatchObject({ ok: true, excluded: 1 });
  expect(await codes(await openRound('winners', 1), 'hal', 'ida')).toEqual(['-11', '0']);
});

test('the thief who takes himself off the list in Redis is given nothing by the ledger; Redis is put right when the next sale opens', async () => {
  await campaign('stolen');
  await list('stolen', 'user\nthief\n');
  await longAgo('stolen');
  const saleId = await openRound('stolen', 1);
  expect(await codes(saleId, 'thief')).toEqual(['-11']);
  await context.redis.hdel(saleKeys(saleId).bought, 'thief');
  expect(await codes(saleId, 'thief', 'jan')).toEqual(['0', '0']);
  await expect(stage.write(saleId)).rejects.toSatisfy((error) => refusalOf(error)?.code === '23R01');
  await context.redis.hset(saleKeys(saleId).bought, 'thief', '-1000000');
  expect((await stage.buy(saleId, { userId: 'thief', ref: 'more' }))[0]!.code).toBe('0');
  await expect(stage.write(saleId)).rejects.toSatisfy((error) => refusalOf(error)?.code === '23R01');
  expect(await context.ledger.orders({ userId: 'thief' })).toEqual([]);
  await openRound('stolen', 2);
  expect((await stage.buy(saleId, { userId: 'thief', ref: 'most' }))[0]!.code).toBe('-11');
});

test.each([
  ['another', 'there is no sale or campaign with sales another'],
  ['refusing', 'expected a sale or another campaign'],
  ['open-sale', 'open-sale is not settled yet, so not all of its buyers are known'],
  ['practice', 'practice was a rehearsal, in which nobody has bought anything'],
])('[R12] the buyers of %s are refused', async (from, reason) => {
  await campaign('refusing');
  if (from === 'open-sale') await stage.open(from);
  if (from === 'practice') {
    await stage.open(from, { rehearsal: true });
    await context.ledger.settleSale(from);
  }
  expect(await excludeBuyers(context, 'refusing', from)).toMatchObject({
    ok: false,
    refusals: [{ field: 'buyersOf', reason: expect.stringContaining(reason) as string }],
  });
  expect(await excludeBuyers(context, 'nothing', from)).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: 'there is no campaign nothing' }],
  });
});

test('exclusions are taken back as long as no sale is loaded', async () => {
  await campaign('back');
  const saleId = await draftRound('back', 1);
  await list('back', 'user\nkim\n');
  expect(await readmit(context, 'back')).toEqual({ ok: true, readmitted: 1 });
  await list('back', 'user\nlou\n');
  expect(await openSale(context, saleId)).toMatchObject({ ok: true });
  expect(await codes(saleId, 'kim', 'lou')).toEqual(['0', '-11']);
  expect(await readmit(context, 'back')).toEqual({
    ok: false,
    refusals: [
      { field: 'id', reason: 'back.1 was loaded, and does not forget who is excluded; create another campaign' },
    ],
  });
  expect(await codes(saleId, 'lou')).toEqual(['-11']);
});

test('a Redis that is older than the exclusions is told of them when the two stores are compared; one campaign that cannot be told delays no other', async () => {
  for (const id of ['older', 'wrong']) {
    await campaign(id);
    await openRound(id, 1);
    await list(id, 'user\npia\n');
    await context.redis.del(saleKeys(`${id}.1`).bought);
  }
  await context.redis.set(saleKeys('wrong.1').bought, 'x');
  const told: Done[] = [];
  await createComparison(context, (done) => told.push(done)).look(true);
  expect(await codes('older.1', 'pia', 'qi')).toEqual(['-11', '0']);
  expect(told.filter(({ done }) => done === 'not_excluded')).toMatchObject([{ campaignId: 'wrong' }]);
  await context.redis.del(saleKeys('wrong.1').bought);
});

test('a participant whose name is corrected before coming in stays excluded in a sale that is on', async () => {
  const people = (text: string) => importParticipants(context, Readable.from([Buffer.from(`number,name\n${text}`)]));
  await people('N1,Kim Lo\n');
  await campaign('corrected');
  await list('corrected', 'number\nN1\n');
  const saleId = await openRound('corrected', 1);
  await people('N1,Kim Low\n');
  expect(await codes(saleId, 'participant-N1/Kim Low', 'participant-N1/Kim')).toEqual(['-11', '0']);
});

test('an exclusion is forgotten by an erasure, also by Redis, but not while a sale goes on', async () => {
  await campaign('kept');
  await list('kept', 'user\nmia\n');
  const saleId = await openRound('kept', 1);
  expect(await eraseUser(context, 'mia')).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: expect.stringContaining('kept.1') as string }],
  });
  await context.ledger.sealSale(saleId);
  await context.ledger.settleSale(saleId);
  expect(await eraseUser(context, 'mia')).toEqual({ ok: true, rows: 1 });
  expect([await context.ledger.countExclusions('kept'), await bought(saleId)]).toEqual([0, {}]);
});
