import { expect, test } from 'vitest';
import { repairSale } from '../../../src/operator/sale/repair.ts';
import { endSale, pauseSale, resumeSale, startSale } from '../../../src/operator/sale/transitions.ts';
import { createSale } from '../../../src/operator/sale/create.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
const stateOf = (id: string) => context.redis.hget(saleKeys(id).state, 'state');
const make = (id: string, state: string) => context.redis.hset(saleKeys(id).state, 'state', state);
const repair = (id: string) => repairSale(context, id, async () => {});

test.each(['draft', 'paused', 'closed', 'settled'])(
  'a sale that a hand has made %s is no sale that adds up; the repair, resume, start and end bring it back',
  async (state) => {
    const id = `hand-${state}`;
    await stage.open(id);
    await stage.buy(id, { userId: 'ann' });
    await make(id, state);
    expect(await stage.audit(id)).toMatchObject({
      report: { balanced: false },
      problems: [
        `the sale is ${state} in Redis, and nobody has brought it there: by the record it is loaded; put it right with: rain sale audit ${id} --repair`,
      ],
      tampering: state === 'closed' || state === 'settled' ? [{ kind: 'state' }] : [],
      isStateOnly: true,
    });
    expect(await repair(id)).toMatchObject({ ok: true, counts: [{ field: 'state', found: state, right: 'loaded' }] });
    expect((await stage.buy(id, { userId: 'bob' }))[0]!.code).toBe('0');
    expect((await stage.audit(id)).problems).toEqual([]);
    await make(id, state);
    expect(await resumeSale(context, id)).toMatchObject({ ok: true, state: 'open' });
    await make(id, state);
    expect(await pauseSale(context, id)).toMatchObject({ ok: true, state: 'paused' });
    await make(id, state);
    expect(await endSale(context, id)).toMatchObject({ ok: true, state: 'closed' });
    expect([await stateOf(id), (await stage.audit(id)).problems]).toEqual(['closed', []]);
  },
);

test('a sale that a hand has put on sale again, while it is paused or was never loaded, is paused or a draft again', async () => {
  await stage.open('unpaused');
  await pauseSale(context, 'unpaused');
  await make('unpaused', 'loaded');
  expect((await stage.audit('unpaused')).problems).toEqual([
    expect.stringContaining('is loaded in Redis, and nobody has brought it there: by the record it is paused'),
  ]);
  await repair('unpaused');
  expect(await createSale(context, await stage.request('unloaded'))).toMatchObject({ ok: true });
  await make('unloaded', 'loaded');
  expect((await stage.audit('unloaded')).problems).toEqual([expect.stringContaining('by the record it is draft')]);
  await repair('unloaded');
  expect([await stateOf('unpaused'), await stateOf('unloaded')]).toEqual(['paused', 'draft']);
});

test('a sale is started although a hand has closed it', async () => {
  const now = await redisNow(context.redis);
  await stage.open('early', { opensAt: now + 600_000, closesAt: now + 660_000 });
  await make('early', 'closed');
  expect(await startSale(context, 'early')).toMatchObject({ ok: true, state: 'open' });
  expect((await stage.audit('early')).problems).toEqual([]);
});

test('limits, prices, the window and the items that a hand has changed are put right by the repair', async () => {
  const keys = await stage.open('fields');
  await stage.buy('fields', { userId: 'ann' });
  const before = await Promise.all([context.redis.hgetall(keys.state), context.redis.hgetall(keys.stock)]);
  await context.redis.hset(keys.state, { closesAt: 9_999_999_999_999, holdMs: 1, items: '[]' });
  await context.redis.hdel(keys.state, 'perUserMax');
  await context.redis.hset(keys.stock, { tee: '0.01:1000:1000', 'mug:units': 500, 'tee:booked': 0 });
  expect((await stage.audit('fields')).wrongFields).toHaveLength(6);
  await repair('fields');
  expect(await Promise.all([context.redis.hgetall(keys.state), context.redis.hgetall(keys.stock)])).toEqual(before);
  expect((await stage.audit('fields')).problems).toEqual([]);
});
