import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeReports } from '../../src/orders/reports.ts';
import { heldBy } from '../../src/store/sales.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';
import { openedSale, reserveTees, writeLog } from './saleStage.ts';

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
