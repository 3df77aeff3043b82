import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../../src/gateway/server.ts';
import type { WorkerProcess } from '../../../src/bin/servers/worker.ts';
import { readSale } from '../../../src/store/sales.ts';
import { openedSale } from '../../orders/saleStage.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestContext, type TestContext } from '../../support/operatorContext.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openWorker } from '../../support/servers/worker.ts';
import { callerOf } from './stage.ts';

let context: TestContext;
let worker: WorkerProcess;
let gateway: Gateway;
beforeAll(async () => {
  context = await openTestContext();
  [worker, gateway] = await Promise.all([openWorker(context), openGateway(context.redisUrl)]);
});
afterAll(async () => {
  await Promise.all([worker?.close(), gateway?.close()]);
  await context?.stop();
});

test('a buyer without a socket hears that the order is written, that it is paid, and of another one that it is cancelled', async () => {
  await openedSale(context, 'life', { perUserMax: 2 });
  const [ann, bob] = [await callerOf(gateway, 'ann'), await callerOf(gateway, 'bob')];
  expect((await ann.buy('life', 'a', { quantity: 2 })).body).toMatchObject({ code: '0', status: 'reserved' });
  expect((await ann.order('life-1', '?wait=25&status=reserved')).body).toMatchObject({
    status: 'created',
    quantity: 2,
    ref: 'a',
  });
  const [paid] = await Promise.all([
    ann.order('life-1', '?wait=25&status=created'),
    eventually(() => gateway.ordersWaiting() === 1).then(() => context.ledger.stepOrder('life-1', 'paid')),
  ]);
  expect(paid).toMatchObject({ status: 200, body: { status: 'paid', reservationId: 'life-1', price: '19.90' } });
  const id = (await bob.buy('life', 'b')).body['reservationId'] as string;
  expect((await bob.order(id, '?wait=25&status=reserved')).body).toMatchObject({ status: 'created' });
  await context.ledger.stepOrder(id, 'cancelled');
  expect((await bob.order(id, '?wait=25&status=created')).body).toMatchObject({ status: 'cancelled' });
  expect((await readSale(context.redis, 'life'))!.items).toMatchObject([{ booked: 2, sold: 2 }, { booked: 0 }]);
});
