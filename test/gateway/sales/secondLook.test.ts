import { expect, onTestFinished, test } from 'vitest';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { heldBy, readSale } from '../../../src/store/sales.ts';
import { readToldReservations } from '../../../src/store/toldReservations.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { buy, enter, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();

/**
 * Takes the newest reservation out of Redis so that everything there adds up, as somebody with a shell beside it can.
 */
async function takeOut(saleId: string, userId: string): Promise<void> {
  const { state, stock, buyers, reservations } = saleKeys(saleId);
  await redis
    .multi()
    .lpop(reservations)
    .hdel(buyers, userId)
    .hincrby(stock, 'tee:booked', -1)
    .hincrby(state, 'made', -1)
    .exec();
}

test('[R14] a told reservation that somebody has taken out of Redis before its order was written is put back', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: 1_500 });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'taken', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  const told = await buy(ann, 'taken');
  expect(told).toMatchObject({ code: '0', reservationId: 'taken-1' });
  await takeOut('taken', 'ann');
  await eventually(async () =>
    expect(await readSale(redis, 'taken')).toMatchObject({ made: 1, logged: 1, items: [{ booked: 1 }] }),
  );
  expect(parseReservation((await redis.lindex(saleKeys('taken').reservations, 0))!)).toMatchObject({
    reservation: { reservationId: 'taken-1', userId: 'ann', payBy: String(told.payBy) },
  });
  expect((await heldBy(redis, 'taken', 'ann')).map(({ ordinal }) => ordinal)).toEqual([1]);
});

test('[R14] when another buyer has its number by then, it is written down, so that its buyer hears that it has failed', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: 1_500 });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'given', items: [tee(5)], perUserMax: 1 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  await buy(ann, 'given');
  await takeOut('given', 'ann');
  expect((await buy(bob, 'given')).reservationId).toBe('given-1');
  await eventually(async () =>
    expect(await readToldReservations(redis, signer, 'given')).toMatchObject([
      { reservationId: 'given-1', userId: 'ann' },
    ]),
  );
  expect((await heldBy(redis, 'given', 'bob')).map(({ ordinal }) => ordinal)).toEqual([1]);
});
