import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisNow } from '../../../src/store/rains.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { saleRequest } from './saleRequest.ts';
import { reserveTees, writeLog } from '../../orders/saleStage.ts';
const SALES = '/api/console/sales';
let testConsole: TestConsole;
let vera: Visitor;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [vera, opal] = [await testConsole.signIn('vera'), await testConsole.signIn('opal')];
});
afterAll(() => testConsole?.stop());

async function make(id: string, more: object = {}): Promise<void> {
  expect(await opal.ask('POST', SALES, await saleRequest(testConsole.redis, id, more))).toMatchObject({
    status: 201,
    body: { saleId: id },
  });
}
const act = (id: string, verb: string, body?: object) => opal.ask('POST', `${SALES}/${id}/${verb}`, body);
const show = async (id: string) => (await vera.ask('GET', `${SALES}/${id}`)).body;

describe('a sale', () => {
  test('is tried first, then created once, loaded, moved, topped up and ended, and every step is in the audit log', async () => {
    const wanted = await saleRequest(testConsole.redis, 'spring', { load: false });
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
    expect(
      await opal.ask('POST', SALES, await saleRequest(testConsole.redis, 'soon', { opensAt: now + 300_000 })),
    ).toMatchObject({
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
      await opal.ask('POST', SALES, {
        ...(await saleRequest(testConsole.redis, 'season.3')),
        campaign: { id: 'season', round: 3 },
      }),
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
      expect(
        await opal.ask('POST', SALES, { ...(await saleRequest(testConsole.redis, 'wrong')), ...more, dryRun }),
      ).toMatchObject({
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
