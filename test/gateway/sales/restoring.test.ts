import { afterAll, expect, test } from 'vitest';
import { readEpoch, writeEpoch } from '../../../src/store/epoch.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { callerOf } from '../http/stage.ts';
import { buy, enter, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();
const LEDGER = { storeId: '4bf92f35-77b3-4da6-a3ce-929d0e0e4736', counter: 7 };
// Redis was restarted since a worker has compared it with the ledger, so that what it lacks may come back.
await writeEpoch(redis, LEDGER, 'an earlier run');
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());
await stockSale(redis, { saleId: 'back', items: [tee(5)] });

test('while Redis may lack what comes back nobody hears that there is no such sale, order or reservation, but "busy"', async () => {
  const ann = await enter(gateway.url, 'ann');
  const told = async (message: object) => {
    ann.say(message);
    return (await ann.next('order')).code;
  };
  expect(await told({ type: 'visit', saleId: 'gone' })).toBe('-7');
  expect(await told({ type: 'visit', saleId: 'back' }), 'a visit that finds no orders').toBe('-7');
  expect((await buy(ann, 'gone')).code).toBe('-7');
  expect(await told({ type: 'cancel', saleId: 'gone', reservationId: 'gone-1' })).toBe('-7');
  expect(await told({ type: 'cancel', saleId: 'back', reservationId: 'back-1' })).toBe('-7');
  const bob = await callerOf(gateway, 'bob');
  expect([(await bob.order('back-1')).status, (await bob.sale('gone')).status]).toEqual([503, 503]);
  await writeEpoch(redis, LEDGER, (await readEpoch(redis)).runId);
  await eventually(async () => expect(await told({ type: 'visit', saleId: 'gone' })).toBe('-8'));
  expect([(await buy(ann, 'gone')).code, (await bob.order('back-1')).status]).toEqual(['-8', 404]);
});
