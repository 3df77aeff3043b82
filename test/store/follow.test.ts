import { expect, test } from 'vitest';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { follow, heldBy, type StatusToFollow } from '../../src/store/sales.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';
import { openRedis } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { redis } = await openRedis();
const engine = createReserveEngine(redis, signer, (fault) => {
  throw fault;
});

/** Ann and bob have a tee each, in a sale of a campaign. */
async function open(saleId: string) {
  await stockSale(redis, { saleId, items: [tee(5)], perUserMax: 1, boughtMax: 2 });
  await engine.reserve(
    saleId,
    ['ann', 'bob'].map((userId) => ({ userId, sku: 'tee', quantity: 1 })),
  );
  return saleKeys(saleId);
}

const become = (userId: string, ordinal: number, status: StatusToFollow['status']): StatusToFollow => ({
  userId,
  ordinal,
  status,
  toStock: false,
});

test('a count that somebody has damaged does not hold up the orders of a sale, and a repetition changes no other count again', async () => {
  const { stock, bought } = await open('damaged.1');
  await redis.hset(bought, 'ann', 'many');
  const steps = [become('ann', 1, 'cancelled'), become('bob', 2, 'cancelled')];
  expect(await follow(redis, 'damaged.1', steps)).toEqual(['changed', 'changed']);
  expect(await follow(redis, 'damaged.1', steps)).toEqual(['was', 'was']);
  expect(await redis.hmget(stock, 'tee:booked', 'tee:returned')).toEqual(['0', '2']);
  expect(await redis.hgetall(bought), 'left to the audit').toEqual({ ann: 'many', bob: '0' });
});

test('counts of a campaign of another type do not hold up its sales', async () => {
  const { stock, bought } = await open('foreign.1');
  await redis.set(bought, 'of another type');
  expect(await follow(redis, 'foreign.1', [become('ann', 1, 'timed_out')])).toEqual(['changed']);
  expect(await follow(redis, 'foreign.1', [become('ann', 1, 'timed_out')])).toEqual(['was']);
  expect(await redis.hget(stock, 'tee:booked')).toBe('1');
});

test('a status that is none is no reservation, and holds up no other', async () => {
  const { buyers } = await open('letter.1');
  await redis.hset(buyers, 'ann', (await redis.hget(buyers, 'ann'))!.replace(':r:', ':z:'));
  expect(await follow(redis, 'letter.1', [become('ann', 1, 'paid'), become('bob', 2, 'paid')])).toEqual([
    'unknown',
    'changed',
  ]);
  expect((await heldBy(redis, 'letter.1', 'bob')).map(({ status }) => status)).toEqual(['paid']);
});
