import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { campaignsApi } from '../../../src/console/contract/campaigns.ts';
import { rainsApi } from '../../../src/console/contract/rains.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { createLaterQueue } from '../../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { EXAMPLES } from '../../rain/split/examples.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { signer } from '../../support/signer.ts';
import { parsedAnswer } from './parsedAnswer.ts';

let testConsole: TestConsole;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  opal = await testConsole.signIn('opal');
});
afterAll(() => testConsole?.stop());

const PLAN = { budget: '10.00', packets: 20 };
const window = async (inMs = 60_000) => {
  const opensAt = (await redisNow(testConsole.redis)) + inMs;
  return { opensAt, closesAt: opensAt + 60_000 };
};
const verbs = async (rainId: string) =>
  (await testConsole.ledger.actions(rainId)).map(({ actor, verb }) => `${actor} ${verb}`);

describe('creating a rain', () => {
  test('writes it to the ledger and its packets to Redis, and records the operator', async () => {
    const times = await window();
    const created = parsedAnswer(
      rainsApi.create.answer,
      await opal.ask('POST', '/api/console/rains', { id: 'made', title: '年会', plan: PLAN, ...times }),
    );
    expect(created).toEqual({
      rainId: 'made',
      ...times,
      commitment: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      loaded: 20,
    });
    expect(await verbs('made')).toEqual(['console:opal create', 'console:opal load']);
    const shown = parsedAnswer(rainsApi.show.answer, await opal.ask('GET', '/api/console/rains/made'));
    expect(shown).toMatchObject({
      rainId: 'made',
      title: '年会',
      state: 'loaded',
      budget: '10.00',
      packets: 20,
      left: 20,
      loaded: 20,
      topUps: [],
      commitment: created.commitment,
    });
    expect(shown).not.toHaveProperty('seed');
    expect(parsedAnswer(rainsApi.list.answer, await opal.ask('GET', '/api/console/rains?limit=1')).rains).toMatchObject(
      [{ rainId: 'made' }],
    );
  });

  test('[R12] on a Redis that takes no writes is refused with its reason, and done when it takes them again', async () => {
    const asked = { id: 'later', plan: PLAN, ...(await window()) };
    await testConsole.redis.replicaof('127.0.0.1', '1');
    const { status, body } = await opal.ask('POST', '/api/console/rains', asked);
    await eventually(() => testConsole.redis.replicaof('NO', 'ONE'));
    expect({ status, body }).toMatchObject({
      status: 503,
      body: {
        code: 'unavailable',
        reason: expect.stringContaining('it is a replica, and takes no writes (READONLY)') as string,
      },
    });
    await eventually(async () =>
      expect((await opal.ask('POST', '/api/console/rains', asked)).body).toMatchObject({ rainId: 'later', loaded: 20 }),
    );
  });

  test('twice with the same id creates one rain; the same id with another plan is refused by field', async () => {
    const times = await window();
    const asked = { id: 'twice', plan: PLAN, ...times };
    const [first, second] = await Promise.all([
      opal.ask('POST', '/api/console/rains', asked),
      opal.ask('POST', '/api/console/rains', asked),
    ]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect((await testConsole.ledger.book('twice'))!.fundedCents).toBe(1_000n);
    expect(
      await opal.ask('POST', '/api/console/rains', { ...asked, plan: { ...PLAN, budget: '11.00' } }),
    ).toMatchObject({
      status: 422,
      body: {
        code: 'refused',
        reason: expect.stringContaining('exists already') as string,
        refusals: [{ field: 'id' }],
      },
    });
  });

  test('as a dry run writes nothing and returns the refusals', async () => {
    const before = [
      await testConsole.ledger.countRains(),
      await testConsole.redis.hgetall('rain:live'),
      await testConsole.ledger.latestActions({ limit: 1 }),
    ];
    expect(
      await opal.ask('POST', '/api/console/rains', { id: 'dry', plan: PLAN, ...(await window()), dryRun: true }),
    ).toMatchObject({ status: 201, body: { rainId: 'dry' } });
    expect(
      await opal.ask('POST', '/api/console/rains', {
        plan: { budget: '0.01', packets: 2 },
        ...(await window()),
        dryRun: true,
      }),
    ).toMatchObject({ status: 422, body: { refusals: [{ field: 'packets' }] } });
    expect([
      await testConsole.ledger.countRains(),
      await testConsole.redis.hgetall('rain:live'),
      await testConsole.ledger.latestActions({ limit: 1 }),
    ]).toEqual(before);
  });

  test('is refused with a reason for each wrong field [R12]', async () => {
    const { status, body } = await opal.ask('POST', '/api/console/rains', {
      id: 'a b',
      title: '',
      plan: { budget: 'x', packets: 0 },
      opensAt: 1.5,
      closesAt: 2,
      shards: 99,
    });
    expect(status).toBe(422);
    expect((body as { refusals: { field: string }[] }).refusals.map(({ field }) => field).sort()).toEqual([
      'budget',
      'id',
      'opensAt',
      'packets',
      'shards',
      'title',
    ]);
  });
});

describe('the preview', () => {
  const preview = async (plan: unknown, draws = 1) =>
    parsedAnswer(rainsApi.preview.answer, await opal.ask('POST', '/api/console/rains/preview', { plan, draws }));

  test.each([
    ...Object.values(EXAMPLES).map(({ split }): [string, { budget: string; packets: number; split: unknown }] => [
      split.method,
      { budget: '8888.00', packets: 1_000, split },
    ]),
    ['a rest of a cent', { budget: '10.00', packets: 3, split: { method: 'even' } }],
    ['one packet', { budget: '0.01', packets: 1 }],
    ['within bounds', { budget: '100.00', packets: 100, min: '0.50', max: '3.00' }],
  ])('of %s tells amounts that add up, each in one bin', async (_name, plan) => {
    const told = await preview(plan);
    if (!told.ok) throw new Error('refused');
    const cents = (text: string) => Number(text.replace('.', ''));
    expect(told.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(plan.packets);
    expect(told.histogram.length).toBeLessThanOrEqual(40);
    expect([cents(told.histogram[0]!.from), cents(told.histogram.at(-1)!.to)]).toEqual([
      cents(told.min),
      cents(told.max),
    ]);
    for (const [i, bin] of told.histogram.entries())
      expect(cents(bin.from)).toBe(i === 0 ? cents(told.min) : cents(told.histogram[i - 1]!.to) + 1);
    expect(told.luckiest).toBe(told.max);
    if (plan.packets <= 200)
      expect(told.sample.reduce((sum, amount) => sum + cents(amount), 0)).toBe(cents(plan.budget));
    expect(told.sample.every((amount) => cents(amount) >= cents(told.min) && cents(amount) <= cents(told.max))).toBe(
      true,
    );
    expect(cents(told.mean)).toBe(Math.floor(cents(plan.budget) / plan.packets));
  });

  test('of an impossible plan returns refusals with figures, as an answer and not as an error', async () => {
    expect(await preview({ budget: '0.01', packets: 2 })).toEqual({
      ok: false,
      refusals: [{ field: 'packets', reason: expect.stringContaining('more than the budget') as string }],
    });
    expect(await preview('everything')).toMatchObject({ ok: false, refusals: [{ field: 'plan' }] });
    expect(await preview({ budget: '99999.00', packets: 2_000_000 })).toMatchObject({
      ok: false,
      refusals: [{ field: 'packets' }],
    });
  });
});

describe('lifecycle verbs', () => {
  test('start, pause, resume, top up, end, settle: each is recorded once, and the equation holds', async () => {
    await opal.ask('POST', '/api/console/rains', { id: 'whole', plan: PLAN, ...(await window()) });
    const act = (verb: string, body?: unknown) => opal.ask('POST', `/api/console/rains/whole/${verb}`, body);
    expect(parsedAnswer(rainsApi.start.answer, await act('start')).state).toBe('open');
    expect(await act('pause')).toMatchObject({ status: 200, body: { state: 'paused' } });
    expect(await act('resume')).toMatchObject({ status: 200, body: { state: 'open' } });
    const more = { id: 'encore', budget: '5.00', packets: 5 };
    expect(parsedAnswer(rainsApi.topUp.answer, await act('top-up', { ...more, dryRun: true }))).toMatchObject({
      total: { budget: '15.00', packets: 25 },
      loaded: false,
    });
    const added = parsedAnswer(rainsApi.topUp.answer, await act('top-up', more));
    expect(added).toMatchObject({
      id: 'encore',
      packets: 5,
      budget: '5.00',
      total: { packets: 25, budget: '15.00' },
      loaded: true,
    });
    expect((await act('top-up', more)).body).toEqual(added);
    expect(await act('recycle')).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'state', reason: expect.stringContaining('end it first') as string }] },
    });
    expect(await act('close')).toMatchObject({ status: 200, body: { state: 'closed' } });
    expect(parsedAnswer(rainsApi.recycle.answer, await act('recycle'))).toEqual({ state: 'settled', amount: '15.00' });
    const audit = parsedAnswer(rainsApi.audit.answer, await opal.ask('GET', '/api/console/rains/whole/audit'));
    expect(audit).toMatchObject({
      budget: '15.00',
      recycled: '15.00',
      balanced: true,
      in_order: true,
      findings: [],
      counts: { budget: 25 },
    });
    const verdict = parsedAnswer(rainsApi.verify.answer, await opal.ask('GET', '/api/console/rains/whole/verify'));
    expect(verdict).toMatchObject({ fair: true, packets: 25, problems: [] });
    expect((await verbs('whole')).filter((verb) => !verb.startsWith('console:opal'))).toEqual([]);
    expect((await verbs('whole')).map((verb) => verb.slice('console:opal '.length))).toEqual(
      expect.arrayContaining(['create', 'load', 'start', 'pause', 'resume', 'close']),
    );
  });

  test('a rain that has not opened can be rescheduled, and an impossible verb is refused with a reason', async () => {
    await opal.ask('POST', '/api/console/rains', { id: 'later', plan: PLAN, ...(await window()) });
    const times = await window(3_600_000);
    expect(
      parsedAnswer(rainsApi.schedule.answer, await opal.ask('POST', '/api/console/rains/later/schedule', times)),
    ).toEqual({
      state: 'loaded',
      ...times,
    });
    expect(await opal.ask('POST', '/api/console/rains/whole/load')).toMatchObject({
      status: 422,
      body: { code: 'refused', refusals: [{ field: 'id', reason: expect.stringContaining('is settled') as string }] },
    });
    expect(await opal.ask('GET', '/api/console/rains/later/verify')).toMatchObject({
      status: 422,
      body: { refusals: [{ reason: expect.stringContaining('not settled') as string }] },
    });
  });
});

describe('campaigns and rehearsals', () => {
  test('a campaign is created, gets rounds, and lists them', async () => {
    expect(
      await opal.ask('POST', '/api/console/campaigns', {
        id: 'autumn',
        title: 'Autumn',
        winsPerUserMax: 1,
        rollOver: true,
      }),
    ).toMatchObject({ status: 201, body: { campaignId: 'autumn' } });
    expect(await opal.ask('POST', '/api/console/campaigns', { id: 'autumn', winsPerUserMax: 2 })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'id' }] },
    });
    const round = { plan: PLAN, ...(await window()), campaign: { id: 'autumn', round: 1 } };
    expect(await opal.ask('POST', '/api/console/rains', round)).toMatchObject({
      status: 201,
      body: { rainId: 'autumn.1', loaded: 20 },
    });
    const shown = parsedAnswer(campaignsApi.show.answer, await opal.ask('GET', '/api/console/campaigns/autumn'));
    expect(shown).toMatchObject({
      title: 'Autumn',
      winsPerUserMax: 1,
      rollOver: true,
      rounds: [{ rainId: 'autumn.1', campaign: { id: 'autumn', round: 1 }, terms: { winsMax: 1 } }],
      winners: { users: 0 },
    });
    expect(
      parsedAnswer(campaignsApi.list.answer, await opal.ask('GET', '/api/console/campaigns')).campaigns,
    ).toMatchObject([{ campaignId: 'autumn', rounds: 1 }]);
    expect(parsedAnswer(rainsApi.show.answer, await opal.ask('GET', '/api/console/rains/autumn.1'))).toMatchObject({
      state: 'loaded',
    });
    expect(await opal.ask('GET', '/api/console/campaigns/winter')).toMatchObject({
      status: 404,
      body: { code: 'no_such_campaign' },
    });
    expect(
      await opal.ask('POST', '/api/console/rains', { ...round, campaign: { id: 'winter', round: 1 } }),
    ).toMatchObject({ status: 422, body: { refusals: [{ field: 'campaign' }] } });
  });

  test('a rehearsal is marked as one in every answer', async () => {
    expect(
      await opal.ask('POST', '/api/console/rains', {
        id: 'dress',
        plan: PLAN,
        ...(await window()),
        terms: { rehearsal: true },
      }),
    ).toMatchObject({ status: 201 });
    expect(parsedAnswer(rainsApi.show.answer, await opal.ask('GET', '/api/console/rains/dress'))).toMatchObject({
      terms: { rehearsal: true },
    });
  });
});

test('[R4] a rain cannot be settled by hand right after a Redis reconnect: a gateway may still restore wins', async () => {
  const opensAt = (await redisNow(testConsole.redis)) - 1_000;
  parsedAnswer(
    rainsApi.create.answer,
    await opal.ask('POST', '/api/console/rains', { id: 'returned', plan: PLAN, opensAt, closesAt: opensAt + 60_000 }),
  );
  parsedAnswer(rainsApi.close.answer, await opal.ask('POST', '/api/console/rains/returned/close'));
  let since = 9_000;
  const later = createLaterQueue({
    connection: testConsole.redis,
    prefix: QUEUE_PREFIX,
    onError: () => {},
    visiting: true,
  });
  const other = await testConsole.another({
    backend: {
      redis: testConsole.redis,
      ledger: testConsole.ledger,
      signer,
      queues: { ...testConsole.queues, later },
      sendReservations: async () => {},
      sinceReconnect: () => since,
    },
  });
  try {
    const recycle = () =>
      ask(other.url, 'POST', '/api/console/rains/returned/recycle', undefined, {
        cookie: opal.cookie,
        'x-csrf-token': opal.csrf,
      });
    expect(await recycle()).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'state', reason: expect.stringContaining('being restored') as string }] },
    });
    expect((await testConsole.ledger.book('returned'))!.recycledCents).toBe(0n);
    since = 10_000;
    expect(await recycle()).toMatchObject({ status: 200, body: { state: 'settled', amount: '10.00' } });
    // A settled rain stays settled, even after another reconnect.
    since = 0;
    expect(await recycle()).toMatchObject({ status: 200, body: { state: 'settled', amount: '10.00' } });
  } finally {
    await other.close();
    await later.close();
  }
});
