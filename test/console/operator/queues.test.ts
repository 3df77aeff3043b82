import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  vera = await testConsole.signIn('vera');
  await testConsole.queues.ordersLater.add(
    'range',
    {
      saleId: 'flash',
      from: 0,
      entries: ['a', 'b'],
      later: { attempts: 3, since: 1_700_000_000_000, chain: 'c', detail: 'the shop answers 503' },
    },
    { jobId: 'late', delay: 200_000 },
  );
});
afterAll(() => testConsole?.stop());

test('a viewer sees every queue, and what is tried again', async () => {
  const { status, body } = await vera.ask('GET', '/api/console/queues');
  const { queues, notQueued } = body as {
    queues: { name: string; state: string; delayed: number }[];
    notQueued: unknown;
  };
  expect([status, notQueued]).toEqual([200, { claims: 0, reservations: 0 }]);
  expect(queues.map(({ name }) => name)).toEqual([
    'credit',
    'later',
    'dead',
    'orders',
    'ordersLater',
    'ordersEnded',
    'ordersDead',
  ]);
  expect(queues.find(({ name }) => name === 'ordersLater')).toMatchObject({ state: 'no_worker', delayed: 1 });
  expect(await vera.ask('GET', '/api/console/queues/ordersLater/jobs')).toMatchObject({
    status: 200,
    body: {
      page: 1,
      pages: 1,
      total: 1,
      jobs: [
        {
          id: 'late',
          saleId: 'flash',
          entries: 2,
          attempts: 3,
          attemptsMax: 200,
          error: 'the shop answers 503',
          addedAt: '2023-11-14T22:13:20.000Z',
        },
      ],
    },
  });
  expect(await vera.ask('GET', '/api/console/queues/ordersLater/jobs?state=failed&page=7')).toMatchObject({
    status: 200,
    body: { jobs: [], page: 7, pages: 1, total: 0 },
  });
});

test.each([
  ['/api/console/queues/nothing/jobs', 'name', 'expected one of credit, later, orders, ordersLater, ordersEnded'],
  ['/api/console/queues/dead/jobs', 'name', 'expected one of credit, later, orders, ordersLater, ordersEnded'],
  ['/api/console/queues/credit/jobs?state=waiting', 'state', 'expected one of delayed, failed'],
  ['/api/console/queues/credit/jobs?page=0', 'page', 'expected 1 to 1000'],
  ['/api/console/queues/credit/jobs?page=1e9', 'page', 'expected 1 to 1000'],
  ['/api/console/queues/credit/jobs?page=x', 'page', 'expected 1 to 1000'],
])('[R12] %s is refused', async (path, field, reason) => {
  expect(await vera.ask('GET', path)).toMatchObject({
    status: 400,
    body: { code: 'bad_request', refusals: [{ field, reason }] },
  });
});
