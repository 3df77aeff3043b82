import { expect, test } from 'vitest';
import { createSale, type CreateSaleRequest } from '../../../src/operator/sale/create.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import { showSale } from '../../../src/operator/sale/show.ts';
import { topUpSale } from '../../../src/operator/sale/topUp.ts';
import { endDryRun, endSale, pauseSale, resumeSale, startSale } from '../../../src/operator/sale/transitions.ts';
import type { Refused } from '../../../src/operator/context.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { Cut, cutContext } from '../cut.ts';
import { ITEMS, openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
const why = (done: { ok: true } | Refused) =>
  done.ok ? [] : done.refusals.map(({ field, reason }) => `${field}: ${reason}`);
const codes = async (...args: Parameters<typeof stage.buy>) => (await stage.buy(...args)).map(({ code }) => code);
const soon = async () => ({
  opensAt: (await redisNow(context.redis)) + 600_000,
  closesAt: (await redisNow(context.redis)) + 660_000,
});

test('a sale is created closed, and sells once it is opened; both can be repeated', async () => {
  const request = await stage.request('spring');
  expect(await createSale(context, request, { dryRun: true })).toMatchObject({
    ok: true,
    saleId: 'spring',
    stocked: true,
  });
  expect(await context.ledger.sale('spring')).toBeUndefined();
  for (let twice = 0; twice < 2; twice++)
    expect(await createSale(context, request)).toEqual({
      ok: true,
      saleId: 'spring',
      opensAt: request.opensAt,
      closesAt: request.closesAt,
    });
  expect(await createSale(context, request, { dryRun: true })).toMatchObject({ ok: true, stocked: false });
  expect(await codes('spring', { userId: 'ann' })).toEqual(['-2']);
  expect(await showSale(context, 'spring')).toMatchObject({ state: 'draft', items: [{ left: 10 }, { left: 5 }] });
  for (let twice = 0; twice < 2; twice++)
    expect(await openSale(context, 'spring')).toEqual({ ok: true, state: 'loaded', units: 15 });
  expect(await codes('spring', { userId: 'ann', quantity: 3 }, { userId: 'bob', quantity: 4 })).toEqual(['0', '-13']);
  expect(await showSale(context, 'spring')).toMatchObject({
    state: 'open',
    items: [{ sku: 'tee', units: 10, booked: 3, left: 7 }, { left: 5 }],
    reservations: 1,
    orders: 0,
  });
  expect(why(await createSale(context, { ...request, title: 'Other', holdMs: 5_000 }))).toEqual([
    'id: a sale spring exists already, with another title, holdMs',
  ]);
});

test('of an item the limits are shown that hold, also those of its sale', async () => {
  await stage.open('limits', {
    perUserMax: 3,
    items: [
      { sku: 'tee', units: 9, price: '1.00', perUserMax: 2 },
      { sku: 'mug', units: 9, price: '1.00', perOrderMax: 1 },
    ],
  });
  expect((await showSale(context, 'limits'))!.items).toMatchObject([
    { perOrderMax: 2, perUserMax: 2 },
    { perOrderMax: 1, perUserMax: 3 },
  ]);
});

test('without a limit, a user may buy one', async () => {
  const { perUserMax: _, ...request } = await stage.request('drop', {
    items: [{ sku: 'seat', units: 500, price: '0.00' }],
  });
  await createSale(context, request);
  await openSale(context, 'drop');
  expect(
    await codes('drop', { userId: 'ann', sku: 'seat', ref: 'a' }, { userId: 'ann', sku: 'seat', ref: 'b' }),
  ).toEqual(['0', '-13']);
});

test.each<[string, Record<string, unknown>, string | RegExp]>([
  ['no items', { items: [] }, 'items: expected 1 to 50 items'],
  ['an item twice', { items: [...ITEMS, ITEMS[0]] }, 'items: expected each SKU once'],
  [
    'no units',
    { items: [{ sku: 'tee', units: 0, price: '1.00' }] },
    'items.0.units: expected a whole number from 1 to 1,000,000,000',
  ],
  [
    'units below nothing',
    { items: [{ sku: 'tee', units: -50, price: '1.00' }] },
    'items.0.units: expected a whole number from 1 to 1,000,000,000',
  ],
  [
    'half a unit',
    { items: [{ sku: 'tee', units: 1.5, price: '1.00' }] },
    'items.0.units: expected a whole number from 1 to 1,000,000,000',
  ],
  [
    'units as a word',
    { items: [{ sku: 'tee', units: '2', price: '1.00' }] },
    'items.0.units: expected a whole number from 1 to 1,000,000,000',
  ],
  [
    'a price as a number',
    { items: [{ sku: 'tee', units: 1, price: 1 }] },
    /^items\.0\.price: expected an amount from 0\.00 to 90071992547409\.91 with two decimals, such as 19\.90$/,
  ],
  [
    'an empty price',
    { items: [{ sku: 'tee', units: 1, price: '' }] },
    /^items\.0\.price: empty, expected an amount such as 19\.90/,
  ],
  [
    'a list price that is the price',
    { items: [{ sku: 'tee', units: 1, price: '19.90', listPrice: '19.90' }] },
    /^items\.0\.listPrice: expected more than the price, 19\.90$/,
  ],
  ['a SKU with a colon', { items: [{ sku: 'a:b', units: 1, price: '1.00' }] }, /^items\.0\.sku: expected a SKU/],
  ['a field that there is not', { colour: 'red' }, /^sale: Unrecognized key/],
  ['a limit of nothing', { perUserMax: 0 }, 'perUserMax: expected a whole number from 1 to 1000'],
  ['no time to pay', { holdMs: 0 }, 'holdMs: expected 1s to 7d, in whole milliseconds'],
  ['an end before the start', { closesAt: 1 }, /^closesAt: 1970-01-01T00:00:00\.001Z is not after the start/],
  [
    'a start so early that the end has passed',
    { opensAt: 1, closesAt: 2 },
    /^opensAt: 1970-01-01T00:00:00\.001Z has passed already, and so has the end, 1970-\S+$/,
  ],
  ['a week and more', { closesAt: Date.now() + 8 * 86_400_000 }, 'closesAt: a sale lasts a week at most'],
  ['the id of a round', { id: 'a.1' }, /^id: a dot is reserved for rounds/],
  [
    'an unknown campaign',
    { id: undefined, campaign: { id: 'nowhere', round: 1 } },
    'campaign: there is no campaign nowhere',
  ],
  ['a service that there is not', { orderService: 'fax' }, 'orderService: expected builtin or webhook'],
  ['rehearsal as a word', { rehearsal: 'yes' }, 'rehearsal: expected true or false'],
])('[R12] a sale with %s is refused by name, and nothing is booked', async (_, more, refusal) => {
  const done = await createSale(context, await stage.request('bad', more as Partial<CreateSaleRequest>));
  expect(why(done)).toEqual([typeof refusal === 'string' ? refusal : expect.stringMatching(refusal)]);
  expect(await context.ledger.sale('bad')).toBeUndefined();
});

test('a sale whose keys are taken in Redis is refused, and nothing is booked', async () => {
  await context.redis.lpush(saleKeys('taken').reservations, 'rest');
  expect(why(await createSale(context, await stage.request('taken')))).toEqual([
    'id: Redis still holds another sale taken',
  ]);
  expect(await context.ledger.sale('taken')).toBeUndefined();
});

test('a round of a campaign has its id and its limit over all sales', async () => {
  await context.ledger.createCampaign(
    { id: 'autumn', title: 'Autumn', winsPerUserMax: 2, shards: 1, rollOver: false },
    'test',
  );
  for (const round of [1, 2]) {
    const { id: _, ...request } = await stage.request('x');
    expect(await createSale(context, { ...request, campaign: { id: 'autumn', round } })).toMatchObject({
      ok: true,
      saleId: `autumn.${round}`,
    });
    expect(await openSale(context, `autumn.${round}`)).toMatchObject({ ok: true });
  }
  expect([
    await codes('autumn.1', { userId: 'ann', quantity: 2 }),
    await codes('autumn.2', { userId: 'ann' }),
    await codes('autumn.2', { userId: 'bob' }),
  ]).toEqual([['0'], ['-11'], ['0']]);
  for (const id of ['autumn.1', 'autumn.2'])
    expect(await stage.audit(id)).toMatchObject({ problems: [], notices: [], report: { balanced: true } });
});

test('pause, resume, start and end do what they say, in the states in which they can', async () => {
  await createSale(context, await stage.request('steer', await soon()));
  expect(why(await startSale(context, 'steer'))).toEqual([
    'state: only a loaded sale can be started, steer is draft; load it first',
  ]);
  expect(why(await pauseSale(context, 'steer'))).toEqual(['state: only a loaded sale can be paused, steer is draft']);
  await openSale(context, 'steer');
  expect(await codes('steer', { userId: 'ann' })).toEqual(['-2']);
  const started = await startSale(context, 'steer');
  expect(started).toMatchObject({ ok: true, state: 'open' });
  expect(await startSale(context, 'steer')).toEqual(started);
  expect(await codes('steer', { userId: 'ann' })).toEqual(['0']);
  expect(await pauseSale(context, 'steer')).toMatchObject({ ok: true, state: 'paused' });
  expect(await codes('steer', { userId: 'bob' })).toEqual(['-4']);
  expect(await openSale(context, 'steer')).toMatchObject({ ok: true, state: 'paused' });
  expect(await resumeSale(context, 'steer')).toMatchObject({ ok: true, state: 'open' });
  expect(why(await resumeSale(context, 'steer'))).toEqual([]);
  expect(await endDryRun(context, 'steer')).toEqual({ ok: true, left: 14, waiting: 1 });
  expect(await endSale(context, 'steer')).toMatchObject({ ok: true, state: 'closed' });
  expect(await endSale(context, 'steer')).toMatchObject({ ok: true, state: 'closed' });
  expect(await codes('steer', { userId: 'cem' })).toEqual(['-3']);
  expect([
    why(await resumeSale(context, 'steer')),
    why(await pauseSale(context, 'steer')),
    why(await openSale(context, 'steer')),
    why(await startSale(context, 'steer')),
  ]).toEqual([
    ['state: only a paused sale can be resumed, steer is closed'],
    ['state: only a loaded sale can be paused, steer is closed'],
    ['id: the sale steer was ended'],
    ['state: only a loaded sale can be started, steer is closed'],
  ]);
  expect((await context.ledger.overdueSales(await redisNow(context.redis))).map(({ id }) => id)).toContain('steer');
  expect(await stage.audit('steer')).toMatchObject({ problems: [], notices: [], report: { balanced: true } });
  for (const verb of [openSale, startSale, pauseSale, resumeSale, endSale, endDryRun])
    expect(why(await verb(context, 'nowhere'))).toEqual(['id: there is no sale nowhere']);
});

test('a start that was cut between ledger and Redis is told, and its repetition finishes it', async () => {
  await createSale(context, await stage.request('half', await soon()));
  await openSale(context, 'half');
  const { opensAt, closesAt } = (await context.ledger.sale('half'))!;
  const now = await redisNow(context.redis);
  expect(
    await context.ledger.rescheduleSale(
      'half',
      { opensAt: now, closesAt: now + 60_000 },
      { actor: 'test', verb: 'start' },
      { opensAt, closesAt },
    ),
  ).toBe(true);
  expect(
    await context.ledger.rescheduleSale(
      'half',
      { opensAt: 1, closesAt: 2 },
      { actor: 'test', verb: 'start' },
      { opensAt, closesAt },
    ),
  ).toBe(false);
  // The creator knows the planned window, and the record of the creation has it.
  expect(await stage.audit('half')).toMatchObject({
    problems: [],
    notices: [expect.stringContaining('repeat it with rain sale start half')],
    report: { balanced: true },
  });
  expect(await startSale(context, 'half')).toMatchObject({ ok: true, state: 'open', opensAt: now });
  expect(await stage.audit('half')).toMatchObject({ problems: [], notices: [] });
});

test('[R8] a top-up that is cut at any step is finished by a repetition, and added once', async () => {
  for (const when of ['before', 'after'] as const)
    for (let at = 1, isCut = true; isCut; at++) {
      const id = `top-${when}-${at}`;
      await stage.open(id);
      const cut = cutContext(context, at, when);
      isCut = await topUpSale(cut, id, { id: `${id}/a`, sku: 'mug', units: 7 }).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Cut)) throw error;
          return true;
        },
      );
      expect(await topUpSale(context, id, { id: `${id}/a`, sku: 'mug', units: 7 })).toEqual({
        ok: true,
        saleId: id,
        id: `${id}/a`,
        sku: 'mug',
        units: 7,
        total: 12,
        loaded: true,
      });
      expect(await stage.audit(id)).toMatchObject({
        problems: [],
        notices: [],
        report: {
          balanced: true,
          items: [
            { units: 10, left: 10 },
            { units: 12, left: 12 },
          ],
        },
      });
      expect(await showSale(context, id)).toMatchObject({
        items: [{}, { units: 12, left: 12 }],
        topUps: [{ ordinal: 1, sku: 'mug', units: 7 }],
      });
    }
});

test('opening a sale that is cut at any step is finished by a repetition, with a top-up that came before', async () => {
  for (const when of ['before', 'after'] as const)
    for (let at = 1, isCut = true; isCut; at++) {
      const id = `open-${when}-${at}`;
      await context.ledger.createSale(
        { ...(await stage.request(id)), id, title: id, orderService: 'builtin', items: ITEMS },
        'test',
      );
      expect(await topUpSale(context, id, { id: `${id}/a`, sku: 'tee', units: 1 })).toMatchObject({
        ok: true,
        loaded: false,
        total: 11,
      });
      isCut = await openSale(cutContext(context, at, when), id).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Cut)) throw error;
          return true;
        },
      );
      expect(await openSale(context, id)).toEqual({ ok: true, state: 'loaded', units: 16 });
      expect(await stage.audit(id)).toMatchObject({
        problems: [],
        notices: [],
        report: { balanced: true, items: [{ units: 11, left: 11 }, { left: 5 }] },
      });
    }
});

test('[R12] a top-up that cannot be is refused by name, and nothing is added', async () => {
  await stage.open('full');
  const tops = (request: object) => topUpSale(context, 'full', request as Parameters<typeof topUpSale>[2]).then(why);
  expect(await tops({ sku: 'hat', units: 1 })).toEqual(['sku: the sale full has no item hat; expected tee or mug']);
  for (const units of [0, -10, 1.5, 1e16, '2'])
    expect(await tops({ sku: 'tee', units })).toEqual(['units: expected a whole number from 1 to 1,000,000,000']);
  expect(await tops({ sku: 'tee', units: 1_000_000_000 })).toEqual([
    expect.stringMatching(/^units: an item has at most 1,000,000,000 units/),
  ]);
  expect(why(await topUpSale(context, 'nowhere', { sku: 'tee', units: 1 }))).toEqual([
    'sale: there is no sale nowhere',
  ]);
  expect(await topUpSale(context, 'full', { id: 'full/a', sku: 'tee', units: 3, dryRun: true })).toMatchObject({
    ok: true,
    total: 13,
  });
  expect((await context.ledger.sale('full'))!.topUps).toEqual([]);
  await topUpSale(context, 'full', { id: 'full/a', sku: 'tee', units: 3 });
  expect(await tops({ id: 'full/a', sku: 'mug', units: 3 })).toEqual([
    'id: a top-up full/a exists already, with another sku',
  ]);
  await endSale(context, 'full');
  expect(await tops({ sku: 'tee', units: 1 })).toEqual(['sale: the sale full was ended']);
  expect(await tops({ id: 'full/a', sku: 'tee', units: 3 })).toEqual([
    expect.stringMatching(
      /^sale: the sale full was ended; the 3 tee of this top-up are in the ledger, and go back to the shop/,
    ),
  ]);
});

test('a sale that Redis has lost is not written there again: its units may have been reserved', async () => {
  const keys = await stage.open('lost');
  await stage.buy('lost', { userId: 'ann' });
  await context.redis.del(keys.state, keys.stock, keys.buyers, keys.reservations);
  for (const verb of [openSale, pauseSale, endSale, endDryRun])
    expect(why(await verb(context, 'lost'))).toEqual([expect.stringMatching(/^id: Redis has lost the sale lost/)]);
  expect(why(await createSale(context, await stage.request('lost')))).toEqual([
    expect.stringMatching(/^id: Redis has lost the sale lost/),
  ]);
  expect(why(await topUpSale(context, 'lost', { sku: 'tee', units: 1 }))).toEqual([
    expect.stringMatching(/^sale: Redis has lost the sale lost/),
  ]);
  expect(await showSale(context, 'lost')).toMatchObject({ state: 'lost' });
  expect(await context.redis.exists(keys.state, keys.stock)).toBe(0);
});
