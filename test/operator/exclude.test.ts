import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { excludeListed, excludeWinners, readmit } from '../../src/operator/campaign/exclude.ts';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { showCampaign } from '../../src/operator/campaign/show.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { importParticipants, removeParticipants } from '../../src/operator/participants.ts';
import { eraseUser, exportUser } from '../../src/operator/personalData.ts';
import { createComparison } from '../../src/operator/restore/comparison.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { campaignKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { eventually } from '../support/eventually.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let engine: GrabEngine;
beforeAll(async () => {
  context = await openTestContext();
  engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
});
afterAll(() => context?.stop());

async function open(request: Partial<CreateRequest>, packets = 4): Promise<string> {
  const now = await redisNow(context.redis);
  const created = await createRain(context, {
    plan: { budget: `${packets}.00`, packets, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    ...request,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  expect(await loadRain(context, created.rainId)).toMatchObject({ ok: true });
  return created.rainId;
}

async function codes(rainId: string, ...users: string[]): Promise<string[]> {
  const { shards } = (await context.ledger.rain(rainId))!;
  return Promise.all(users.map(async (user) => (await engine.grab(rainId, shardOf(user, shards), [user]))[0]!.code));
}

async function end(rainId: string): Promise<void> {
  await closeRain(context, rainId);
  for (let shard = 0; shard < (await context.ledger.rain(rainId))!.shards; shard++)
    await context.ledger.credit(await claimLog(context, rainId, shard));
  expect(await settleRain(context, rainId, (await findRain(context.redis, rainId))!)).toEqual({ outcome: 'settled' });
}

/** A settled rain that these users have won. */
async function wonBy(id: string, ...users: string[]): Promise<void> {
  await open({ id });
  expect(await codes(id, ...users)).toEqual(users.map(() => '0'));
  await end(id);
}

const campaign = async (id: string, more: { winsPerUserMax?: number; shards?: number } = {}) =>
  expect(await createCampaign(context, { id, winsPerUserMax: 1, ...more })).toMatchObject({ ok: true });
const list = (id: string, text: string) => excludeListed(context, id, Readable.from([Buffer.from(text)]));

test.each([1, 3])(
  'winners of an earlier rain win nothing in any round, also after Redis was emptied; all others do; %i shard(s)',
  async (shards) => {
    const [last, id] = [`last-${shards}`, `party-${shards}`];
    await wonBy(last, 'ann', 'bob');
    await campaign(id, { shards, winsPerUserMax: 2 });
    expect(await excludeWinners(context, id, last)).toEqual({ ok: true, excluded: 2, total: 2 });
    expect(await excludeWinners(context, id, last), 'once more').toEqual({ ok: true, excluded: 0, total: 2 });
    const round = (number: number) => open({ campaign: { id, round: number } }, 12);
    expect(await codes(await round(1), 'ann', 'bob', 'cat')).toEqual(['-11', '-11', '0']);
    await end(`${id}.1`);
    await context.redis.flushall();
    expect(await codes(await round(2), 'ann', 'bob', 'cat')).toEqual(['-11', '-11', '0']);
    expect(await codes(await round(3), 'cat', 'dan')).toEqual(['-11', '0']);
    for (const number of [2, 3]) await end(`${id}.${number}`);
    expect(await showCampaign(context, id)).toMatchObject({
      excluded: { users: 2, credits: 0 },
      winners: { users: 2, wins: 3, beyond: 0 },
    });
    expect(
      (await context.ledger.latestActions({ limit: 200 })).filter(
        ({ verb, details }) => verb === 'exclude' && details?.['campaignId'] === id,
      ),
    ).toMatchObject([{ details: { winnersOf: last, excluded: 2 } }]);
  },
);

test('a round that is on hears of it at once; what was won before stays, and is told to the operator', async () => {
  await wonBy('early', 'eve', 'fay', 'erased-bob');
  await campaign('now');
  await open({ campaign: { id: 'now', round: 1 } });
  expect(await codes('now.1', 'eve')).toEqual(['0']);
  expect(await excludeWinners(context, 'now', 'early')).toMatchObject({ ok: true, excluded: 3 });
  expect(await codes('now.1', 'eve', 'fay', 'gus')).toEqual(['1', '-11', '0']);
  await end('now.1');
  expect(await showCampaign(context, 'now')).toMatchObject({
    excluded: { users: 3, credits: 1 },
    winners: { users: 2, beyond: 0 },
  });
});

test('all winners of another campaign, but not of one that is not over', async () => {
  await campaign('spring');
  for (const number of [1, 2]) await open({ campaign: { id: 'spring', round: number } });
  await codes('spring.1', 'hal');
  await codes('spring.2', 'ida');
  await campaign('autumn');
  await end('spring.1');
  expect(await excludeWinners(context, 'autumn', 'spring')).toEqual({
    ok: false,
    refusals: [{ field: 'winnersOf', reason: 'spring.2 is not settled yet, so not all of its winners are known' }],
  });
  await end('spring.2');
  expect(await excludeWinners(context, 'autumn', 'spring')).toEqual({ ok: true, excluded: 2, total: 2 });
});

test.each([
  ['another', 'winnersOf', 'there is no rain or campaign with rounds another'],
  ['refusing', 'winnersOf', 'expected another campaign or rain'],
  ['practice', 'winnersOf', 'practice was a rehearsal'],
])('[R12] the winners of %s are refused', async (from, field, reason) => {
  await campaign('refusing');
  if (from === 'practice') {
    await open({ id: from, terms: { rehearsal: true } });
    await end(from);
  }
  expect(await excludeWinners(context, 'refusing', from)).toMatchObject({
    ok: false,
    refusals: [{ field, reason: expect.stringContaining(reason) as string }],
  });
  expect(await excludeWinners(context, 'nothing', from)).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: 'there is no campaign nothing' }],
  });
});

test('[R12] a list names users, or numbers of participants; with one that is wrong, nobody of it is excluded', async () => {
  await campaign('listed');
  await importParticipants(context, Readable.from([Buffer.from('number,name\nE1,Anna Li\n')]));
  expect(await list('listed', 'user\nu1\n"u,2"\nu1\n')).toMatchObject({ ok: true, excluded: 2, total: 2 });
  expect(await list('listed', '工号,备注\nE1,x\n')).toMatchObject({ ok: true, excluded: 1, total: 3 });
  await open({ campaign: { id: 'listed', round: 1 } });
  expect(await codes('listed.1', 'u1', 'u,2', 'participant-E1/Anna Li', 'u3')).toEqual(['-11', '-11', '-11', '0']);
  for (const [text, field, reason] of [
    ['number\nE1\nE2\n', 'line 3, column number', 'nobody on the list of participants has the number E2'],
    ['name\nx\n', 'line 2', 'expected a header line'],
    ['user,number,name\nu9,,\n,,Ann\n', 'line 3', 'expected a header line'],
    ['user\n1.38E+10\n', 'line 2, column user', 'a shortened number'],
    ['user\n', 'list', 'expected at least one user'],
    [`user\n${'x'.repeat(129)}\n`, 'line 2, column user', 'expected 1 to 128'],
  ] as const)
    expect(await list('listed', text), text.slice(0, 20)).toMatchObject({
      ok: false,
      refusals: [{ field, reason: expect.stringContaining(reason) as string }],
    });
  expect(await showCampaign(context, 'listed')).toMatchObject({ excluded: { users: 3 } });
});

test('exclusions are taken back as long as no round is loaded', async () => {
  await campaign('back');
  await list('back', 'user\nkim\n');
  expect(await readmit(context, 'back')).toEqual({ ok: true, readmitted: 1 });
  await list('back', 'user\nlou\n');
  await open({ campaign: { id: 'back', round: 1 } });
  expect(await codes('back.1', 'kim', 'lou')).toEqual(['0', '-11']);
  expect(await readmit(context, 'back')).toEqual({
    ok: false,
    refusals: [
      { field: 'id', reason: 'back.1 was loaded, and does not forget who is excluded; create another campaign' },
    ],
  });
  expect(await codes('back.1', 'lou')).toEqual(['-11']);
  await end('back.1');
  expect(await readmit(context, 'back'), 'Redis keeps the wins of a campaign when its rounds are over').toMatchObject({
    ok: false,
  });
});

test('[R8] users who are excluded a hundredfold are written in calls of bounded size, and an exclusion is not a win', async () => {
  await campaign('large', { winsPerUserMax: 100 });
  await list('large', `user\n${Array.from({ length: 30 }, (_, i) => `many-${i}`).join('\n')}\n`);
  await open({ campaign: { id: 'large', round: 1 } });
  expect(await codes('large.1', 'many-0', 'many-29', 'one')).toEqual(['-11', '-11', '0']);
  expect((await context.redis.hget(campaignKeys('large.1', 0).wins, 'many-0'))!.match(/\d+/g)).toHaveLength(100);
  await end('large.1');
  expect(await showCampaign(context, 'large')).toMatchObject({ winners: { users: 1, wins: 1 } });
});

test('an exclusion is part of what is kept about a user, and is forgotten by an erasure, but not while a round may be played', async () => {
  await campaign('kept');
  await list('kept', 'user\nmia\n');
  await open({ campaign: { id: 'kept', round: 1 } });
  expect(await exportUser(context, 'mia')).toMatchObject({ ok: true, data: { exclusions: [{ campaignId: 'kept' }] } });
  expect(await eraseUser(context, 'mia')).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: expect.stringContaining('kept.1') as string }],
  });
  await end('kept.1');
  expect(await eraseUser(context, 'mia')).toEqual({ ok: true, rows: 2 });
  expect(await context.ledger.countExclusions('kept')).toBe(0);
});

test('a participant whose name is corrected before coming in stays excluded, also in a round that is on; the number given to somebody else is not', async () => {
  const people = (text: string) => importParticipants(context, Readable.from([Buffer.from(`number,name\n${text}`)]));
  await people('N1,Kim Lo\nN2,Max\n');
  await campaign('corrected');
  await list('corrected', 'number\nN1\nN2\n');
  await open({ campaign: { id: 'corrected', round: 1 } });
  await people('N1,Kim Low\n');
  await removeParticipants(context, ['N2']);
  await people('N2,Somebody else\n');
  expect(
    await codes('corrected.1', 'participant-N1/Kim Low', 'participant-N2/Max', 'participant-N2/Somebody else'),
  ).toEqual(['-11', '-11', '0']);
  // An import that was cut between the ledger and Redis is finished by the next one.
  await context.redis.del(campaignKeys('corrected.1', 0).wins);
  await people('N1,Kim Low\n');
  expect(await codes('corrected.1', 'participant-N1/Kim Low')).toEqual(['-11']);
});

test('a Redis that is older than the exclusions is told of them when the two stores are compared', async () => {
  await campaign('older');
  await open({ campaign: { id: 'older', round: 1 } });
  await list('older', 'user\npia\n');
  await context.redis.del(campaignKeys('older.1', 0).wins);
  const comparison = createComparison(context, () => {});
  await comparison.look(true);
  await eventually(() => comparison.proceed(1_000));
  expect(await codes('older.1', 'pia', 'qi')).toEqual(['-11', '0']);
});
