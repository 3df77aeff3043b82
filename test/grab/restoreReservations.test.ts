import { expect, test } from 'vitest';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import { restoreReservations, type SentReservation } from '../../src/grab/restoreReservations.ts';
import { createReservationRestorer } from '../../src/gateway/durability/reservations.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { heldBy, readSale } from '../../src/store/sales.ts';
import { readToldReservations } from '../../src/store/toldReservations.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';
import { listeningLog } from '../support/log.ts';
import { openRedis } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { redis } = await openRedis();
const engine = createReserveEngine(redis, signer, (fault) => {
  throw fault;
});

function sent(saleId: string, n: number, userId: string, ref?: string): SentReservation {
  const at = Date.now();
  return {
    saleId,
    reservationId: `${saleId}-${n}`,
    userId,
    sku: 'tee',
    quantity: 1,
    price: '19.90',
    ...(ref !== undefined && { ref }),
    at,
    payBy: at + 60_000,
  };
}

test('a sale that cannot be checked does not delay the reservations of the others: put back, or written down and reported once', async () => {
  for (const saleId of ['broken', 'whole', 'full'])
    await stockSale(redis, { saleId, items: [tee(saleId === 'full' ? 1 : 5)], perUserMax: 2 });
  await engine.reserve('full', [{ userId: 'bob', sku: 'tee', quantity: 1 }]);
  await redis.rename(saleKeys('broken').stock, 'aside');
  await redis.set(saleKeys('broken').stock, 'of another type');
  const { log, heard } = listeningLog();
  const told = ['broken', 'whole', 'full'].map((saleId) => sent(saleId, 2, 'ann'));
  const restore = createReservationRestorer(redis, signer, log);
  for (const _ of ['first', 'repeated']) await expect(restore(told)).rejects.toThrow('in 1 sales');
  expect(await readSale(redis, 'whole')).toMatchObject({ made: 2, items: [{ booked: 1 }] });
  expect(await readToldReservations(redis, signer, 'full')).toMatchObject([{ reservationId: 'full-2', userId: 'ann' }]);
  expect(heard.map(({ level, saleId }) => [level, saleId])).toEqual([
    ['warn', 'whole'],
    ['error', 'full'],
  ]);
  await redis.del(saleKeys('broken').stock);
  await redis.rename('aside', saleKeys('broken').stock);
  await restore(told);
  expect(await readSale(redis, 'broken')).toMatchObject({ made: 2, items: [{ booked: 1 }] });
});

test('one purchase is not put back beside itself: its buyer has asked again with its ref after the loss', async () => {
  await stockSale(redis, { saleId: 'again', items: [tee(5)], perUserMax: 3 });
  await engine.reserve('again', [{ userId: 'ann', sku: 'tee', quantity: 1, ref: 'a' }]);
  const lost = sent('again', 7, 'ann', 'a');
  expect(await restoreReservations(redis, signer, [lost, sent('again', 8, 'ann', 'b')])).toEqual({
    restored: [{ saleId: 'again', putBack: 1, lost: [lost], changed: [] }],
    faults: [],
  });
  expect(await readSale(redis, 'again')).toMatchObject({ made: 8, items: [{ booked: 2 }] });
});

test('a deadline that somebody has changed in Redis is named', async () => {
  await stockSale(redis, { saleId: 'late', items: [tee(5)], perUserMax: 3 });
  await engine.reserve('late', [{ userId: 'ann', sku: 'tee', quantity: 1 }]);
  const told = { ...sent('late', 1, 'ann'), payBy: (await heldBy(redis, 'late', 'ann'))[0]!.payBy };
  expect((await restoreReservations(redis, signer, [told])).restored).toEqual([]);
  const { buyers } = saleKeys('late');
  await redis.hset(
    buyers,
    'ann',
    (await redis.hget(buyers, 'ann'))!.replace(String(told.payBy), String(told.payBy - 30_000)),
  );
  const { log, heard } = listeningLog();
  await createReservationRestorer(redis, signer, log)([told]);
  expect(heard).toMatchObject([
    { level: 'error', saleId: 'late', changed: 1, msg: expect.stringContaining('another deadline') as string },
  ]);
});
