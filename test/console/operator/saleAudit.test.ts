import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saleSample } from '../../../src/console/contract/sales.ts';
import { openOrderQueues } from '../../../src/orders/queue.ts';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { saleRequest } from './saleRequest.ts';
import { reserve, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { watchLive } from './watchLive.ts';

const SALES = '/api/console/sales';
let testConsole: TestConsole;
let vera: Visitor;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [vera, opal] = [await testConsole.signIn('vera'), await testConsole.signIn('opal')];
});
afterAll(() => testConsole?.stop());

async function make(id: string, more: object = {}): Promise<void> {
  expect(await opal.ask('POST', SALES, await saleRequest(testConsole.redis, id, more))).toMatchObject({
    status: 201,
    body: { saleId: id },
  });
}
const act = (id: string, verb: string, body?: object) => opal.ask('POST', `${SALES}/${id}/${verb}`, body);
const show = async (id: string) => (await vera.ask('GET', `${SALES}/${id}`)).body;

describe('the audit of a sale', () => {
  test('says in words what does not add up; a repair is tried first, then sends what has no order and puts counts right', async () => {
    await make('mended');
    await reserve(testConsole, 'mended', [
      { userId: 'ann', sku: 'tee', quantity: 1 },
      { userId: 'bob', sku: 'tee', quantity: 1 },
    ]);
    expect((await vera.ask('GET', `${SALES}/mended/audit`)).body).toMatchObject({
      balanced: true,
      problems: [],
      waiting: 2,
      wrongCounts: 0,
      items: [
        { sku: 'tee', pending: 2, left: 8 },
        { sku: 'mug', left: 5 },
      ],
    });
    await testConsole.redis.hincrby(saleKeys('mended').stock, 'tee:booked', 3);
    expect((await vera.ask('GET', `${SALES}/mended/audit`)).body).toMatchObject({
      balanced: false,
      wrongCounts: 1,
      problems: ['Redis counts 5 tee as booked; by the log and the ledger they are 2'],
    });
    const counts = [{ field: 'tee:booked', found: '5', right: 2 }];
    expect(await act('mended', 'repair', { dryRun: true })).toMatchObject({
      status: 200,
      body: { reservations: 2, counts, complete: true },
    });
    expect(await testConsole.redis.hget(saleKeys('mended').stock, 'tee:booked')).toBe('5');
    expect(await act('mended', 'repair')).toMatchObject({ status: 200, body: { reservations: 2, jobs: 1, counts } });
    const connection = connectRedis(testConsole.redisUrl, { purpose: 'queue', onError: () => {} });
    await untilReady(connection);
    const queues = openOrderQueues({ connection, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
    expect((await queues.orders.getWaiting()).map(({ data }) => data)).toMatchObject([
      { saleId: 'mended', from: 0, entries: [expect.any(String), expect.any(String)] },
    ]);
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
    connection.disconnect();
    await writeLog(testConsole, 'mended');
    expect((await vera.ask('GET', `${SALES}/mended/audit`)).body).toMatchObject({
      balanced: true,
      problems: [],
      waiting: 0,
      orders: 2,
      buyers: 2,
    });
  });
});

describe('the write-off of a sale', () => {
  const writeOff = (body: object) => act('gone', 'write-off', body);

  test('says first what it would do, needs a reason, and leaves alone what adds up', async () => {
    await make('gone');
    await reserveTees(testConsole, 'gone', 3);
    await writeLog(testConsole, 'gone');
    await testConsole.ledger.stepOrder('gone-1', 'paid');
    expect(await writeOff({ reason: 'a mistake', dryRun: true })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'id', reason: expect.stringContaining('the sale gone adds up') as string }] },
    });
    await testConsole.redis.del(Object.values(saleKeys('gone')));
    expect(await show('gone')).toMatchObject({ state: 'lost' });
    expect(await writeOff({})).toMatchObject({
      status: 400,
      body: { refusals: [{ field: 'reason', reason: 'expected a reason' }] },
    });
    expect(await writeOff({ reason: ' ' })).toMatchObject({ status: 422, body: { refusals: [{ field: 'reason' }] } });
    expect(await writeOff({ reason: 'Redis was flushed', dryRun: true })).toMatchObject({
      status: 200,
      body: {
        state: 'closed',
        waiting: 2,
        returned: 12,
        problems: [expect.stringContaining('Redis has lost the sale gone') as string],
      },
    });
    expect(await testConsole.ledger.sale('gone')).not.toHaveProperty('sealedAt');
    expect(await writeOff({ reason: 'Redis was flushed' })).toMatchObject({
      status: 200,
      body: { state: 'closed', waiting: 2, returned: 12 },
    });
    expect(await testConsole.ledger.sale('gone')).toHaveProperty('sealedAt');
    expect((await vera.ask('GET', '/api/console/actions?rainId=gone')).body).toMatchObject({
      actions: [{ verb: 'write-off', actor: 'console:opal', details: { reason: 'Redis was flushed' } }, {}, {}],
    });
  });
});

describe('the live board', () => {
  test('has every item each second, and what is reserved, paid and timed out; and it adds up', async () => {
    await make('live');
    const { answer, samples, latest, leave } = await watchLive(
      `${testConsole.url}${SALES}/live/live`,
      vera.cookie,
      saleSample,
    );
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await latest(({ items }) => items[0]?.left === 10);
    await reserveTees(testConsole, 'live', 4);
    expect(await latest(({ items }) => items[0]?.reserved === 4)).toMatchObject({
      state: 'open',
      reservations: 4,
      items: [
        { sku: 'tee', name: 'A tee', units: 10, left: 6, paid: 0, timedOut: 0, returned: 0 },
        { sku: 'mug', left: 5 },
      ],
    });
    await eventually(() => samples.some(({ items }) => items[0]!.reservedPerSecond > 0));
    await writeLog(testConsole, 'live');
    await testConsole.ledger.stepOrder('live-1', 'paid');
    await testConsole.ledger.stepOrder('live-2', 'timed_out');
    const stepped = await latest(
      ({ items, audit }) => items[0]?.paid === 1 && items[0].timedOut === 1 && audit?.items[0]?.sold === 1,
    );
    expect(stepped).toMatchObject({ orders: 4, audit: { problems: [] } });
    await eventually(() => samples.some(({ items }) => items[0]!.paidPerSecond > 0));
    await latest(({ audit }) => audit?.balanced === true && audit.orders === 4);
    await leave();
  });
});
