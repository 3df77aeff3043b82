import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saleSample } from '../../../src/console/contract/sales.ts';
import { openOrderQueues } from '../../../src/orders/queue.ts';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { reserve, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { watchLive } from './watchLive.ts';

const SALES = '/api/console/sales';
let testConsole: TestConsole;
let vera: Visitor;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [vera, opal] = [await testConsole.signIn('vera'), await testConsole.signIn('opal')];
});
afterAll(() => testConsole?.stop());

/** Ten tees and five mugs, open since a second. */
async function request(id: string, more: object = {}): Promise<Record<string, unknown>> {
  const now = await redisNow(testConsole.redis);
  const items = [
    { sku: 'tee', name: 'A tee', units: 10, price: '19.90', listPrice: '29.90', picture: '/tee.png', perOrderMax: 2 },
    { sku: 'mug', units: 5, price: '9.90' },
  ];
  return {
    id,
    title: `Sale ${id}`,
    items,
    perUserMax: 3,
    holdMs: 60_000,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    ...more,
  };
}
async function make(id: string, more: object = {}): Promise<void> {
  expect(await opal.ask('POST', SALES, await request(id, more))).toMatchObject({ status: 201, body: { saleId: id } });
}
const act = (id: string, verb: string, body?: object) => opal.ask('POST', `${SALES}/${id}/${verb}`, body);
const show = async (id: string) => (await vera.ask('GET', `${SALES}/${id}`)).body;

describe('a sale', () => {
  test('is tried first, then created once, loaded, moved, topped up and ended, and every step is in the audit log', async () => {
    const wanted = await request('spring', { load: false });
    expect(await opal.ask('POST', SALES, { ...wanted, dryRun: true })).toMatchObject({
      status: 201,
      body: { saleId: 'spring', stocked: true },
    });
    expect(await vera.ask('GET', `${SALES}/spring`)).toMatchObject({ status: 404, body: { code: 'no_such_sale' } });
    for (const look of ['first', 'again'])
      expect(await opal.ask('POST', SALES, wanted), look).toMatchObject({ status: 201, body: { saleId: 'spring' } });
    expect(await show('spring')).toMatchObject({
      saleId: 'spring',
      title: 'Sale spring',
      state: 'draft',
      perUserMax: 3,
      holdMs: 60_000,
      orderService: 'builtin',
      reservations: 0,
      orders: 0,
      items: [
        {
          sku: 'tee',
          name: 'A tee',
          picture: '/tee.png',
          price: '19.90',
          listPrice: '29.90',
          units: 10,
          left: 10,
          perOrderMax: 2,
        },
        { sku: 'mug', units: 5 },
      ],
    });
    expect(await act('spring', 'load')).toMatchObject({ status: 200, body: { state: 'loaded', units: 15 } });
    expect(await act('spring', 'pause')).toMatchObject({ status: 200, body: { state: 'paused' } });
    expect(await act('spring', 'pause')).toMatchObject({ status: 200 });
    expect(await act('spring', 'resume')).toMatchObject({ status: 200, body: { state: 'open' } });
    expect(await act('spring', 'top-up', { id: 'pallet', sku: 'mug', units: 4, dryRun: true })).toMatchObject({
      status: 200,
      body: { total: 9 },
    });
    for (const look of ['first', 'again'])
      expect(await act('spring', 'top-up', { id: 'pallet', sku: 'mug', units: 4 }), look).toMatchObject({
        status: 200,
        body: { total: 9, loaded: true },
      });
    expect(await act('spring', 'tickets', { tickets: 'always' })).toMatchObject({
      status: 200,
      body: { tickets: 'always', proofOfWork: 'off' },
    });
    expect(await show('spring')).toMatchObject({ ticketRules: { tickets: 'always' } });
    expect(await act('spring', 'tickets', { tickets: 'off' })).toMatchObject({ status: 200 });
    await reserveTees(testConsole, 'spring', 2);
    expect(await act('spring', 'end', { dryRun: true })).toMatchObject({ status: 200, body: { left: 17, waiting: 2 } });
    expect(await show('spring')).toMatchObject({ state: 'open' });
    expect(await act('spring', 'end')).toMatchObject({ status: 200, body: { state: 'closed' } });
    expect((await vera.ask('GET', SALES)).body).toMatchObject({ sales: [{ saleId: 'spring', state: 'closed' }] });
    const { actions } = (await vera.ask('GET', '/api/console/actions?rainId=spring')).body as {
      actions: { verb: string; actor: string; isSale?: boolean }[];
    };
    expect(actions.map(({ verb }) => verb).toReversed()).toEqual([
      'create-sale',
      'load',
      'pause',
      'pause',
      'resume',
      'top-up-sale',
      'tickets',
      'tickets',
      'end-sale',
    ]);
    expect(actions.every(({ actor, isSale }) => actor === 'console:opal' && isSale)).toBe(true);
  });

  test('is put on sale at once unless told otherwise, and starts before its time when asked to', async () => {
    const now = await redisNow(testConsole.redis);
    expect(await opal.ask('POST', SALES, await request('soon', { opensAt: now + 300_000 }))).toMatchObject({
      status: 201,
      body: { state: 'loaded' },
    });
    expect(await act('soon', 'start')).toMatchObject({ status: 200, body: { state: 'open' } });
    await make('later', { load: false });
    expect(await act('later', 'pause')).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'state', reason: 'only a loaded sale can be paused, later is draft' }] },
    });
    expect(await act('later', 'start')).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'state', reason: expect.stringContaining('load it first') as string }] },
    });
  });

  test('of a campaign shows how many units a user may hold in all its sales; the campaign lists it, and the next round counts rains and sales', async () => {
    expect(
      await opal.ask('POST', '/api/console/campaigns', { id: 'season', title: 'Season', winsPerUserMax: 2 }),
    ).toMatchObject({ status: 201 });
    expect(
      await opal.ask('POST', SALES, { ...(await request('season.3')), campaign: { id: 'season', round: 3 } }),
    ).toMatchObject({ status: 201, body: { saleId: 'season.3' } });
    expect(await show('season.3')).toMatchObject({ campaign: { id: 'season', round: 3 }, boughtMax: 2 });
    expect((await vera.ask('GET', '/api/console/campaigns/season')).body).toMatchObject({
      rounds: [],
      sales: [{ saleId: 'season.3' }],
      buyers: { users: 0, units: 0, beyond: 0 },
      nextRound: 4,
    });
    expect((await vera.ask('GET', '/api/console/campaigns')).body).toMatchObject({
      campaigns: [{ campaignId: 'season', rounds: 1 }],
    });
  });

  test.each<[string, object, string, string]>([
    ['no items', { items: [] }, 'items', 'expected 1 to 50 items'],
    ['an item without a price', { items: [{ sku: 'tee', units: 1 }] }, 'items.0.price', 'expected an amount from 0.00'],
    [
      'no units',
      { items: [{ sku: 'tee', units: 0, price: '1.00' }] },
      'items.0.units',
      'expected a whole number from 1',
    ],
    [
      'units below nothing',
      { items: [{ sku: 'tee', units: -10, price: '1.00' }] },
      'items.0.units',
      'expected a whole number from 1',
    ],
    [
      'half a unit',
      { items: [{ sku: 'tee', units: 1.5, price: '1.00' }] },
      'items.0.units',
      'expected a whole number from 1',
    ],
    [
      'units as text',
      { items: [{ sku: 'tee', units: '2', price: '1.00' }] },
      'items.0.units',
      'expected a whole number from 1',
    ],
    ['a SKU in words', { items: [{ sku: 'a tee', units: 1, price: '1.00' }] }, 'items.0.sku', 'expected a SKU'],
    [
      'a SKU twice',
      {
        items: [
          { sku: 'tee', units: 1, price: '1.00' },
          { sku: 'tee', units: 1, price: '1.00' },
        ],
      },
      'items',
      'expected each SKU once',
    ],
    [
      'a price below nothing',
      { items: [{ sku: 'tee', units: 1, price: '-1.00' }] },
      'items.0.price',
      'expected an amount',
    ],
    [
      'a picture that is a script',
      { items: [{ sku: 'tee', units: 1, price: '1.00', picture: 'javascript:alert(1)' }] },
      'items.0.picture',
      'expected an address that begins with https:// or /',
    ],
    [
      'an order limit of nothing',
      { items: [{ sku: 'tee', units: 1, price: '1.00', perOrderMax: 0 }] },
      'items.0.perOrderMax',
      'expected a whole number from 1 to 1000',
    ],
    [
      'an item with more in it',
      { items: [{ sku: 'tee', units: 1, price: '1.00', colour: 'red' }] },
      'items.0',
      'Unrecognized key: "colour"',
    ],
    ['nothing per user', { perUserMax: 0 }, 'perUserMax', 'expected a whole number from 1 to 1000'],
    ['a hold of half a second', { holdMs: 500 }, 'holdMs', 'expected 1s to 7d'],
    ['an end before its start', { closesAt: 1 }, 'closesAt', 'is not after the start'],
    ['no title', { title: ' ' }, 'title', 'expected a title'],
    ['an id that cannot be', { id: 'a/b' }, 'id', 'expected 1 to 64 letters'],
    [
      'a campaign that there is not',
      { campaign: { id: 'x', round: 1 }, id: undefined },
      'campaign',
      'there is no campaign x',
    ],
  ])('[R12] with %s is refused by the name of the field, and nothing is booked', async (_what, more, field, reason) => {
    const before = (await vera.ask('GET', SALES)).body;
    for (const dryRun of [true, false]) {
      expect(await opal.ask('POST', SALES, { ...(await request('wrong')), ...more, dryRun })).toMatchObject({
        status: 422,
        body: { code: 'refused', refusals: [{ field, reason: expect.stringContaining(reason) as string }] },
      });
    }
    expect((await vera.ask('GET', SALES)).body).toEqual(before);
  });

  test.each<[string, string, object, string]>([
    ['a sale without items', '', {}, 'items'],
    ['a hold in words', '', { items: [], opensAt: 1, closesAt: 2, holdMs: 'long' }, 'holdMs'],
    ['a start in words', '', { items: [], opensAt: 'noon', closesAt: 2, holdMs: 1 }, 'opensAt'],
    [
      'a service that there is not',
      '',
      { items: [], opensAt: 1, closesAt: 2, holdMs: 1, orderService: 'fax' },
      'orderService',
    ],
    ['a top-up of no item', '/wrong/top-up', { units: 1 }, 'sku'],
    ['a top-up in words', '/wrong/top-up', { sku: 'tee', units: 'many' }, 'units'],
    ['an end of another kind', '/wrong/end', { dryRun: 'yes' }, 'dryRun'],
  ])('[R12] %s is malformed, and the field is named', async (_what, path, body, field) => {
    const answer = await opal.ask('POST', `${SALES}${path}`, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect((answer.body as { refusals: { field: string }[] }).refusals.map((one) => one.field)).toContain(field);
  });

  test('[R12] a top-up of an item or a number that cannot be is refused, and so is one after the end', async () => {
    await make('short');
    for (const [body, field] of [
      [{ sku: 'hat', units: 1 }, 'sku'],
      [{ sku: 'tee', units: 0 }, 'units'],
      [{ sku: 'tee', units: 1.5 }, 'units'],
      [{ sku: 'tee', units: 1, id: '' }, 'id'],
    ] as const) {
      expect(await act('short', 'top-up', body)).toMatchObject({ status: 422, body: { refusals: [{ field }] } });
    }
    await act('short', 'end');
    expect(await act('short', 'top-up', { sku: 'tee', units: 1 })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'sale', reason: 'the sale short was ended' }] },
    });
  });
});

describe('the audit of a sale', () => {
  test('says in words what does not add up; a repair is tried first, then sends what has no order and puts counts right', async () => {
    await make('mended');
    await reserve(testConsole, 'mended', [
      { userId: 'ann', sku: 'tee', quantity: 1 },
      { userId: 'bob', sku: 'tee', quantity: 1 },
    ]);
    expect((await vera.ask('GET', `${SALES}/mended/audit`)).body).toMatchObject({
      balanced: true,
      problems: [],
      waiting: 2,
      wrongCounts: 0,
      items: [
        { sku: 'tee', pending: 2, left: 8 },
        { sku: 'mug', left: 5 },
      ],
    });
    await testConsole.redis.hincrby(saleKeys('mended').stock, 'tee:booked', 3);
    expect((await vera.ask('GET', `${SALES}/mended/audit`)).body).toMatchObject({
      balanced: false,
      wrongCounts: 1,
      problems: ['Redis counts 5 tee as booked; by the log and the ledger they are 2'],
    });
    const counts = [{ field: 'tee:booked', found: '5', right: 2 }];
    expect(await act('mended', 'repair', { dryRun: true })).toMatchObject({
      status: 200,
      body: { reservations: 2, counts, complete: true },
    });
    expect(await testConsole.redis.hget(saleKeys('mended').stock, 'tee:booked')).toBe('5');
    expect(await act('mended', 'repair')).toMatchObject({ status: 200, body: { reservations: 2, jobs: 1, counts } });
    const connection = connectRedis(testConsole.redisUrl, { purpose: 'queue', onError: () => {} });
    await untilReady(connection);
    const queues = openOrderQueues({ connection, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
    expect((await queues.orders.getWaiting()).map(({ data }) => data)).toMatchObject([
      { saleId: 'mended', from: 0, entries: [expect.any(String), expect.any(String)] },
    ]);
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
    connection.disconnect();
    await writeLog(testConsole, 'mended');
    expect((await vera.ask('GET', `${SALES}/mended/audit`)).body).toMatchObject({
      balanced: true,
      problems: [],
      waiting: 0,
      orders: 2,
      buyers: 2,
    });
  });
});

describe('the write-off of a sale', () => {
  const writeOff = (body: object) => act('gone', 'write-off', body);

  test('says first what it would do, needs a reason, and leaves alone what adds up', async () => {
    await make('gone');
    await reserveTees(testConsole, 'gone', 3);
    await writeLog(testConsole, 'gone');
    await testConsole.ledger.stepOrder('gone-1', 'paid');
    expect(await writeOff({ reason: 'a mistake', dryRun: true })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'id', reason: expect.stringContaining('the sale gone adds up') as string }] },
    });
    await testConsole.redis.del(Object.values(saleKeys('gone')));
    expect(await show('gone')).toMatchObject({ state: 'lost' });
    expect(await writeOff({})).toMatchObject({
      status: 400,
      body: { refusals: [{ field: 'reason', reason: 'expected a reason' }] },
    });
    expect(await writeOff({ reason: ' ' })).toMatchObject({ status: 422, body: { refusals: [{ field: 'reason' }] } });
    expect(await writeOff({ reason: 'Redis was flushed', dryRun: true })).toMatchObject({
      status: 200,
      body: {
        state: 'closed',
        waiting: 2,
        returned: 12,
        problems: [expect.stringContaining('Redis has lost the sale gone') as string],
      },
    });
    expect(await testConsole.ledger.sale('gone')).not.toHaveProperty('sealedAt');
    expect(await writeOff({ reason: 'Redis was flushed' })).toMatchObject({
      status: 200,
      body: { state: 'closed', waiting: 2, returned: 12 },
    });
    expect(await testConsole.ledger.sale('gone')).toHaveProperty('sealedAt');
    expect((await vera.ask('GET', '/api/console/actions?rainId=gone')).body).toMatchObject({
      actions: [{ verb: 'write-off', actor: 'console:opal', details: { reason: 'Redis was flushed' } }, {}, {}],
    });
  });
});

describe('the live board', () => {
  test('has every item each second, and what is reserved, paid and timed out; and it adds up', async () => {
    await make('live');
    const { answer, samples, latest, leave } = await watchLive(
      `${testConsole.url}${SALES}/live/live`,
      vera.cookie,
      saleSample,
    );
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await latest(({ items }) => items[0]?.left === 10);
    await reserveTees(testConsole, 'live', 4);
    expect(await latest(({ items }) => items[0]?.reserved === 4)).toMatchObject({
      state: 'open',
      reservations: 4,
      items: [
        { sku: 'tee', name: 'A tee', units: 10, left: 6, paid: 0, timedOut: 0, returned: 0 },
        { sku: 'mug', left: 5 },
      ],
    });
    await eventually(() => samples.some(({ items }) => items[0]!.reservedPerSecond > 0));
    await writeLog(testConsole, 'live');
    await testConsole.ledger.stepOrder('live-1', 'paid');
    await testConsole.ledger.stepOrder('live-2', 'timed_out');
    const stepped = await latest(
      ({ items, audit }) => items[0]?.paid === 1 && items[0].timedOut === 1 && audit?.items[0]?.sold === 1,
    );
    expect(stepped).toMatchObject({ orders: 4, audit: { problems: [] } });
    await eventually(() => samples.some(({ items }) => items[0]!.paidPerSecond > 0));
    await latest(({ audit }) => audit?.balanced === true && audit.orders === 4);
    await leave();
  });
});

test('the buyers of a settled sale are excluded from a campaign', async () => {
  const body = { buyersOf: 'last-year' };
  await make('last-year');
  await reserveTees(testConsole, 'last-year', 2);
  await writeLog(testConsole, 'last-year');
  await testConsole.ledger.stepOrder('last-year-1', 'paid');
  await testConsole.ledger.stepOrder('last-year-2', 'cancelled');
  expect(await opal.ask('POST', '/api/console/campaigns', { id: 'after', winsPerUserMax: 2 })).toMatchObject({
    status: 201,
  });
  const exclude = (asked: object) => opal.ask('POST', '/api/console/campaigns/after/exclude-buyers', asked);
  expect(await exclude(body)).toMatchObject({
    status: 422,
    body: {
      refusals: [{ field: 'buyersOf', reason: 'last-year is not settled yet, so not all of its buyers are known' }],
    },
  });
  await testConsole.ledger.settleSale('last-year');
  expect(await exclude(body)).toMatchObject({ status: 200, body: { excluded: 1, total: 1 } });
  expect(await exclude({})).toMatchObject({ status: 400, body: { refusals: [{ field: 'buyersOf' }] } });
  expect((await vera.ask('GET', '/api/console/campaigns/after')).body).toMatchObject({
    excluded: { users: 1, credits: 0 },
  });
});
