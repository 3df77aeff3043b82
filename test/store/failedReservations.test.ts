import { expect, test } from 'vitest';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import { recordFailed } from '../../src/store/failedReservations.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { heldBy, readSale } from '../../src/store/sales.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';
import { dump, openRedis } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { redis } = await openRedis();
const engine = createReserveEngine(redis, signer, (fault) => {
  throw fault;
});

const failed = (saleId: string, n: number) => {
  const at = Date.now();
  return {
    saleId,
    reservationId: `${saleId}-${n}`,
    userId: 'ann',
    sku: 'tee',
    quantity: 1,
    price: '19.90',
    ref: 'a',
    at: String(at),
    payBy: String(at + 60_000),
  };
};

test('a failed reservation is written down once, as its gateway has signed it; it holds nothing, and its number is not given again', async () => {
  await stockSale(redis, { saleId: 'open', items: [tee(5)], perUserMax: 1 });
  for (let i = 0; i < 2; i++) await recordFailed(redis, signer, 'open', [failed('open', 3)]);
  const held = await heldBy(redis, 'open', 'ann');
  expect(held).toMatchObject([{ ordinal: 3, status: 'failed', ref: 'a' }]);
  expect(signer.isReservation(held[0]!.mac, { saleId: 'open', userId: 'ann', ...held[0]! })).toBe(true);
  expect(await readSale(redis, 'open')).toMatchObject({ made: 3, logged: 0, items: [{ booked: 0 }] });
  expect(await engine.reserve('open', [{ userId: 'ann', sku: 'tee', quantity: 1, ref: 'b' }])).toMatchObject([
    { code: '0', reservationId: 'open-4' },
  ]);
  const before = await dump(redis);
  await recordFailed(redis, signer, 'open', [{ ...failed('open', 4), ref: 'b' }]);
  expect(await dump(redis), 'what the buyer has stays').toEqual(before);
});

test('with a settled sale it expires, and of a sale that Redis does not have nothing is written', async () => {
  await stockSale(redis, { saleId: 'settled', items: [tee(5)] });
  const { state, buyers } = saleKeys('settled');
  await redis.pexpire(state, 60_000);
  await recordFailed(redis, signer, 'settled', [failed('settled', 1)]);
  expect(await redis.pttl(buyers)).toBeGreaterThan(0);
  await recordFailed(redis, signer, 'gone', [failed('gone', 1)]);
  expect(await redis.keys('*gone*')).toEqual([]);
});
