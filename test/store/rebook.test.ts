import { expect, test } from 'vitest';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import { closeSale, freezeSale } from '../../src/store/saleEnd.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { rebook } from '../../src/store/rebook.ts';
import { readSale } from '../../src/store/sales.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';
import { dump, openRedis } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { redis } = await openRedis();

async function buy(saleId: string, users: number): Promise<void> {
  const engine = createReserveEngine(redis, signer, (fault) => {
    throw fault;
  });
  for (let at = 0; at < users; at += 500) {
    const purchases = Array.from({ length: Math.min(500, users - at) }, (_, i) => ({
      userId: `u${at + i}`,
      sku: 'tee',
      quantity: 1,
    }));
    expect(new Set((await engine.reserve(saleId, purchases)).map(({ code }) => code))).toEqual(new Set(['0']));
  }
}

/** Puts these numbers back for ann. */
const putBack = (saleId: string, ...numbers: number[]) =>
  rebook(
    redis,
    signer,
    saleId,
    numbers.map((number) => ({
      saleId,
      reservationId: `${saleId}-${number}`,
      userId: 'ann',
      sku: 'tee',
      quantity: 1,
      price: '19.90',
      at: '1800000000000',
      payBy: '1800000060000',
    })),
  );

test('[R2] a number that was drawn again is not booked twice, however many entries came after it', async () => {
  await stockSale(redis, { saleId: 'long', items: [tee(9_000)] });
  await buy('long', 3);
  // Numbers 4 to 300 were lost, and nobody has put them back.
  await redis.hset(saleKeys('long').state, 'made', 300);
  for (let n = 0; n < 3; n++) await redis.hdel(saleKeys('long').buyers, `u${n}`);
  await buy('long', 5_700);
  expect(await putBack('long', 2, 100, 305, 600, 5_999)).toEqual(['taken', 'put_back', 'taken', 'taken', 'taken']);
  expect(await readSale(redis, 'long')).toMatchObject({ made: 6_000, logged: 5_704, items: [{ booked: 5_704 }] });
  expect(await putBack('long', 2, 100)).toEqual(['taken', 'there']);
});

test('nothing is put back into a sale that is frozen for its settlement', async () => {
  await stockSale(redis, { saleId: 'frozen', items: [tee(5)] });
  await closeSale(redis, 'frozen', 'early');
  expect(await freezeSale(redis, 'frozen', 0)).toBe(true);
  expect(await putBack('frozen', 1)).toEqual(['taken']);
  expect(await readSale(redis, 'frozen')).toMatchObject({ made: 0, logged: 0, items: [{ booked: 0 }] });
});

test.each([
  ['booked', 'one.1', saleKeys('one.1').stock, 'tee:booked'],
  ['bought', 'two.1', saleKeys('two.1').bought, 'ann'],
] as const)(
  'a count "%s" that is no whole number: nothing is put back by half, and it is put back when the count is right',
  async (_, saleId, key, field) => {
    await stockSale(redis, { saleId, items: [tee(5)], perUserMax: 1, boughtMax: 2 });
    const at = Date.now();
    const lost = [
      {
        saleId,
        reservationId: `${saleId}-3`,
        userId: 'ann',
        sku: 'tee',
        quantity: 1,
        price: '19.90',
        at: String(at),
        payBy: String(at + 60_000),
      },
    ];
    await redis.hset(key, field, '0.5');
    const before = await dump(redis);
    await expect(rebook(redis, signer, saleId, lost)).rejects.toThrow(/tee.* ann.* no whole number/);
    expect(await dump(redis)).toEqual(before);
    await redis.hset(key, field, '0');
    expect(await rebook(redis, signer, saleId, lost)).toEqual(['put_back']);
    expect(await rebook(redis, signer, saleId, lost)).toEqual(['there']);
    expect(await readSale(redis, saleId)).toMatchObject({ made: 3, logged: 1, items: [{ booked: 1 }] });
    expect(await redis.hget(saleKeys(saleId).bought, 'ann')).toBe('1');
  },
);
