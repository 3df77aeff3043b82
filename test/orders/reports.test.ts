import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeReports } from '../../src/orders/reports.ts';
import { recordToldReservations } from '../../src/store/toldReservations.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { heldBy } from '../../src/store/sales.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';
import { forgetSale } from '../maintenance/epochStage.ts';
import { openedSale, reservationLog, reserveTees, writeLog } from './saleStage.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

test('a report does not take away from the follower what happens to its order meanwhile: the shop has to be told of it', async () => {
  await openedSale(context, 'meanwhile');
  await reserveTees(context, 'meanwhile', 2);
  await writeLog(context, 'meanwhile');
  const { ledger, redis } = context;
  const takeReport = takeReports({
    redis,
    signer,
    deadLetter: () => Promise.reject(new Error('no letter')),
    ledger: {
      ...ledger,
      async stepOrder(orderId, step) {
        const stepped = await ledger.stepOrder(orderId, step);
        if (orderId === 'meanwhile-1')
          await ledger.stepOrderByHand(orderId, 'refunded', { actor: 'ann', reason: 'a mistake' });
        return stepped;
      },
    },
  });
  expect(await takeReport({ orderId: 'meanwhile-1', status: 'paid' })).toEqual({ outcome: 'done', status: 'paid' });
  expect(await takeReport({ orderId: 'meanwhile-2', status: 'paid' })).toEqual({ outcome: 'done', status: 'paid' });
  expect((await ledger.unfollowedOrders('meanwhile', 10)).map(({ id, status }) => `${id} ${status}`)).toEqual([
    'meanwhile-1 refunded',
  ]);
  expect((await heldBy(redis, 'meanwhile', 'u2')).map(({ status }) => status)).toEqual(['paid']);
});

test('[R14] a report comes too early, not for ever in vain, where somebody has lowered the number of reservations', async () => {
  await openedSale(context, 'lowered');
  await reserveTees(context, 'lowered', 2);
  const { ledger, redis } = context;
  await redis.hset(saleKeys('lowered').state, 'made', 0);
  const takeReport = takeReports({ redis, signer, ledger, deadLetter: async () => {} });
  const report = (n: number) => takeReport({ orderId: `lowered-${n}`, status: 'paid' });
  expect(await Promise.all([report(1), report(2), report(3)])).toEqual([
    { outcome: 'not_yet' },
    { outcome: 'not_yet' },
    { outcome: 'never' },
  ]);
});

test('[R14] the shop tells again what an older database does not know: Redis has the sale, or gateways have told its buyers', async () => {
  await openedSale(context, 'forgotten');
  await reserveTees(context, 'forgotten', 1);
  const { ledger, redis } = context;
  const told = await reservationLog(context, 'forgotten');
  await forgetSale(context, 'forgotten');
  const takeReport = takeReports({ redis, signer, ledger, deadLetter: async () => {} });
  const report = (orderId: string) => takeReport({ orderId, status: 'paid' });
  // The ledger and its counts may come back, so nothing is certain of any number.
  expect([await report('forgotten-1'), await report('forgotten-9')]).toEqual([
    { outcome: 'not_yet' },
    { outcome: 'not_yet' },
  ]);
  const keys = await redis.keys('sale:{forgotten}:*');
  await redis.del(...keys);
  expect(await report('forgotten-1')).toEqual({ outcome: 'never' });
  await recordToldReservations(redis, signer, 'forgotten', told);
  expect(await report('forgotten-1')).toEqual({ outcome: 'not_yet' });
});

test('[R14] a reservation that Redis has lost and gateways remember may get its order yet', async () => {
  await openedSale(context, 'remembered');
  await reserveTees(context, 'remembered', 2);
  const { ledger, redis } = context;
  const [, second] = await reservationLog(context, 'remembered');
  const { state, reservations, buyers } = saleKeys('remembered');
  await redis.multi().hset(state, 'made', 1).lpop(reservations).hdel(buyers, 'u2').exec();
  const takeReport = takeReports({ redis, signer, ledger, deadLetter: async () => {} });
  const report = () => takeReport({ orderId: 'remembered-2', status: 'paid' });
  expect(await report()).toEqual({ outcome: 'never' });
  await recordToldReservations(redis, signer, 'remembered', [second!]);
  expect(await report()).toEqual({ outcome: 'not_yet' });
  const { reservationId, userId, sku, quantity } = second!;
  await ledger.refuseReservations([
    { saleId: 'remembered', reservationId, userId, sku, quantity, reason: 'lost', detail: 'lost' },
  ]);
  expect(await report()).toEqual({ outcome: 'never' });
});
