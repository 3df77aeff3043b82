import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { openedSale, reserve, writeLog } from '../../orders/saleStage.ts';

interface Order {
  orderId: string;
  userId: string;
  status: string;
}
interface Page {
  orders: Order[];
  next?: string;
}

const EVIL = ['=HYPERLINK("http://evil")', '+1', '-2', '@SUM(A1)', 'a,"b"', '钱'];
let testConsole: TestConsole;
let vera: Visitor;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [vera, opal] = [await testConsole.signIn('vera'), await testConsole.signIn('opal')];
  await openedSale(testConsole, 'spring', { items: [{ sku: 'tee', name: 'A tee', units: 100, price: '19.90' }] });
  await reserve(testConsole, 'spring', [
    ...Array.from({ length: 11 }, (_, i) => ({ userId: `user-${i}`, sku: 'tee', quantity: 1 })),
    ...EVIL.map((userId) => ({ userId, sku: 'tee', quantity: 2 })),
  ]);
  await writeLog(testConsole, 'spring');
  await testConsole.ledger.stepOrder('spring-1', 'paid');
});
afterAll(() => testConsole?.stop());

const PATH = '/api/console/sales/spring/orders';
const page = async (query = ''): Promise<Page> => {
  const { status, body } = await vera.ask('GET', `${PATH}${query}`);
  expect([status, body]).toEqual([200, body]);
  return body as Page;
};
const ids = ({ orders }: Page) => orders.map(({ orderId }) => orderId);

describe('the orders of a sale', () => {
  test('are in the order of their numbers, and the same for every page size, each once', async () => {
    const whole = ids(await page('?limit=500'));
    expect(whole).toEqual(Array.from({ length: 17 }, (_, i) => `spring-${i + 1}`));
    for (const limit of [1, 5, 17]) {
      const read: string[] = [];
      for (let next: string | undefined = ''; next !== undefined;) {
        const one: Page = await page(`?limit=${limit}${next && `&cursor=${next}`}`);
        read.push(...ids(one));
        next = one.next;
      }
      expect(read, `limit ${limit}`).toEqual(whole);
    }
  });

  test('are found by user, by status and by id', async () => {
    expect(await page('?user=user-3')).toMatchObject({
      orders: [{ orderId: 'spring-4', userId: 'user-3', sku: 'tee', quantity: 1, price: '19.90', status: 'created' }],
    });
    expect(ids(await page('?status=paid'))).toEqual(['spring-1']);
    expect(ids(await page('?order=spring-7'))).toEqual(['spring-7']);
    expect(ids(await page('?order=spring-7&user=user-3'))).toEqual([]);
    expect(ids(await page(`?user=${encodeURIComponent(EVIL[0]!)}`))).toEqual(['spring-12']);
  });

  test.each([
    ['status=lost', 'status'],
    ['status=reserved', 'status'],
    ['user=', 'user'],
    ['order=%23', 'order'],
  ])('[R12] a search for %s is refused by its name, and so is its export', async (query, field) => {
    for (const path of [PATH, `${PATH}.csv`])
      expect(await vera.ask('GET', `${path}?${query}`)).toMatchObject({
        status: 422,
        body: { refusals: [{ field, reason: expect.stringMatching(/^expected/) as string }] },
      });
  });

  test.each(['%23', 'a b', 'x'])('[R12] an invalid cursor is refused: %s', async (cursor) => {
    expect(await vera.ask('GET', `${PATH}?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { refusals: [{ field: 'cursor' }] },
    });
  });

  test('are exported as a file that a spreadsheet opens as text: BOM, all that the search finds, and no formulas', async () => {
    const answer = await fetch(`${testConsole.url}${PATH}.csv`, { headers: { cookie: vera.cookie } });
    expect([
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('content-disposition'),
      answer.headers.get('cache-control'),
    ]).toEqual([200, 'text/csv; charset=utf-8', 'attachment; filename="orders-spring.csv"', 'no-store']);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const lines = bytes.subarray(3).toString().trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'orderId,userId,sku,name,quantity,price,amount,status,reservedAt,localTime,payBy,changedAt,ref',
    );
    expect(lines).toHaveLength(18);
    const users = lines.flatMap((line) => /^spring-\d+,(.*),tee,A tee,2,19\.90,39\.80,created,/.exec(line)?.[1] ?? []);
    expect(users).toEqual(['"\'=HYPERLINK(""http://evil"")"', "'+1", "'-2", "'@SUM(A1)", '"a,""b"""', '钱']);
    expect(
      ((await vera.ask('GET', `${PATH}.csv?status=paid`)).body as string).trimEnd().split('\r\n').slice(1),
    ).toEqual([expect.stringMatching(/^spring-1,user-0,tee,A tee,1,19\.90,19\.90,paid,/)]);
  });
});

describe('by hand', () => {
  const step = (orderId: string, verb: string, body: object) =>
    opal.ask('POST', `/api/console/orders/${orderId}/${verb}`, body);

  test('an order that waits is cancelled and a paid one is refunded, once, with the reason in the audit log', async () => {
    expect(await step('spring-2', 'cancel', { reason: 'the customer called', dryRun: true })).toMatchObject({
      status: 200,
      body: { changed: true, order: { status: 'cancelled' } },
    });
    expect((await page('?order=spring-2')).orders).toMatchObject([{ status: 'created' }]);
    for (const changed of [true, false])
      expect(await step('spring-2', 'cancel', { reason: 'the customer called' })).toMatchObject({
        status: 200,
        body: { changed, order: { orderId: 'spring-2', status: 'cancelled' } },
      });
    expect(await step('spring-1', 'refund', { reason: 'it came broken' })).toMatchObject({
      status: 200,
      body: { changed: true, order: { status: 'refunded' } },
    });
    const { actions } = (await vera.ask('GET', '/api/console/actions?rainId=spring')).body as { actions: object[] };
    expect(actions).toMatchObject([
      {
        verb: 'refund',
        actor: 'console:opal',
        isSale: true,
        details: { orderId: 'spring-1', userId: 'user-0', reason: 'it came broken' },
      },
      {
        verb: 'cancel',
        actor: 'console:opal',
        details: { orderId: 'spring-2', userId: 'user-1', reason: 'the customer called' },
      },
      { verb: 'load' },
      { verb: 'create-sale' },
    ]);
  });

  test.each<[string, string, string, object, number, string, string]>([
    ['a cancel without a reason', 'spring-5', 'cancel', { reason: ' ' }, 422, 'reason', 'expected 1 to 500 characters'],
    ['a cancel without any reason', 'spring-5', 'cancel', {}, 400, 'reason', 'expected a reason'],
    [
      'a refund before the payment',
      'spring-5',
      'refund',
      { reason: 'x' },
      422,
      'order',
      'only a paid order can be refunded, spring-5 is created',
    ],
    ['a cancel of no order', 'spring-999', 'cancel', { reason: 'x' }, 422, 'order', 'there is no order spring-999'],
    [
      'a cancel of what is no id',
      '%23%23%23',
      'cancel',
      { reason: 'x' },
      400,
      'orderId',
      'expected the id of a reservation',
    ],
  ])('[R12] %s is refused by name, and changes nothing', async (_what, orderId, verb, body, status, field, reason) => {
    expect(await step(orderId, verb, body)).toMatchObject({
      status,
      body: { refusals: [{ field, reason: expect.stringContaining(reason) as string }] },
    });
    expect((await page('?order=spring-5')).orders).toMatchObject([{ status: 'created' }]);
  });
});
