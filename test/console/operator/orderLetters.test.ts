import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderLettersApi } from '../../../src/console/contract/orderLetters.ts';
import { addOrderLetters } from '../../../src/orders/deadLetters.ts';
import { latePayment } from '../../../src/orders/reports.ts';
import { openedSale, reservationLog, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { signer } from '../../support/signer.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

const DEAD = '/api/console/dead/orders';
let testConsole: TestConsole;
let opal: Visitor;
let vera: Visitor;
/** In `spring` u1 is refused, u2 is unavailable, and u3 paid too late; in `autumn` u1 is unavailable. */
beforeAll(async () => {
  testConsole = await openTestConsole();
  [opal, vera] = [await testConsole.signIn('opal'), await testConsole.signIn('vera')];
  for (const saleId of ['spring', 'autumn']) {
    await openedSale(testConsole, saleId);
    await reserveTees(testConsole, saleId, 3);
    await writeLog(testConsole, saleId);
  }
  const {
    ledger,
    queues: { ordersDead },
  } = testConsole;
  for (const step of ['failed', 'cancelled'] as const)
    await ledger.stepOrder(step === 'failed' ? 'spring-1' : 'spring-3', step);
  const letter = async (saleId: string, index: number, reason: 'failed' | 'unavailable') => ({
    saleId,
    index,
    entry: JSON.stringify((await reservationLog(testConsole, saleId))[index]),
    reason,
    detail: 'the shop said so',
  });
  await addOrderLetters(ordersDead, [await letter('spring', 0, 'failed')], signer);
  await addOrderLetters(ordersDead, [await letter('spring', 1, 'unavailable')], signer);
  await addOrderLetters(ordersDead, [latePayment((await ledger.order('spring-3'))!, signer, Date.now())], signer);
  await addOrderLetters(
    ordersDead,
    [
      await letter('autumn', 0, 'unavailable'),
      { saleId: 'autumn', index: 7, entry: 'torn', reason: 'malformed', detail: 'not JSON' },
    ],
    signer,
  );
});
afterAll(() => testConsole?.stop());

const list = async (query = '') => {
  const { status, body } = await vera.ask('GET', `${DEAD}${query}`);
  expect([status, body]).toEqual([200, body]);
  return orderLettersApi.list.answer.parse(body);
};
const found = async (query: string) =>
  (await list(query)).letters.map(({ reason, reservationId }) => `${reason} ${reservationId}`);

describe('dead letters of orders', () => {
  test('are listed with what they are about and what to do, in pages', async () => {
    const {
      letters: [failed, , late],
      total,
    } = await list('?saleId=spring');
    expect(total).toBe(5);
    expect(failed).toMatchObject({
      reason: 'failed',
      final: true,
      detail: 'the shop said so',
      reservationId: 'spring-1',
      userId: 'u1',
      sku: 'tee',
      quantity: 1,
      price: '19.90',
      status: 'failed',
      text: expect.stringContaining('has ended') as string,
    });
    expect(late).toMatchObject({
      reason: 'paid_after_release',
      final: true,
      status: 'cancelled',
      text: expect.stringContaining('Pay the buyer back') as string,
    });
    const first = await list('?limit=2');
    expect([first.letters.length, first.next]).toEqual([2, '2']);
    expect((await list(`?limit=3&cursor=${first.next}`)).letters.map(({ letterId }) => letterId)).toEqual(
      (await list()).letters.slice(2).map(({ letterId }) => letterId),
    );
  });

  test('are found by sale, by user and by order', async () => {
    expect(await found('?saleId=autumn')).toEqual(['unavailable autumn-1', 'malformed undefined']);
    expect(await found('?user=u1')).toEqual(['failed spring-1', 'unavailable autumn-1']);
    expect(await found('?user=u1&saleId=autumn')).toEqual(['unavailable autumn-1']);
    expect(await found('?order=spring-2')).toEqual(['unavailable spring-2']);
    expect(await found('?order=spring-9')).toEqual([]);
  });

  test.each([
    ['saleId=a/b', 'saleId'],
    ['user=', 'user'],
    ['order=%23', 'order'],
    ['cursor=x', 'cursor'],
    ['limit=0', 'limit'],
  ])('[R12] a search for %s is refused by its name', async (query, field) => {
    expect(await vera.ask('GET', `${DEAD}?${query}`)).toMatchObject({
      status: 400,
      body: { refusals: [{ field, reason: expect.stringMatching(/^expected/) as string }] },
    });
  });

  test('are sent to the workers again, one or those of a sale; one whose order has ended is refused', async () => {
    const [failed, unavailable] = (await list('?saleId=spring')).letters;
    expect(await opal.ask('POST', `${DEAD}/${failed!.letterId}/requeue`)).toMatchObject({
      status: 422,
      body: {
        refusals: [{ field: 'letter', reason: expect.stringContaining('its order is not posted any more') as string }],
      },
    });
    expect(await opal.ask('POST', `${DEAD}/${unavailable!.letterId}/requeue`)).toMatchObject({
      status: 200,
      body: { requeued: 1, final: 0, complete: true },
    });
    expect(await found('?saleId=spring')).toEqual(['failed spring-1', 'paid_after_release spring-3']);
    expect(await opal.ask('POST', '/api/console/sales/autumn/requeue')).toMatchObject({
      status: 200,
      body: { requeued: 2, final: 0, complete: true },
    });
    expect(await found('?saleId=autumn')).toEqual([]);
    expect(await opal.ask('POST', '/api/console/sales/winter/requeue')).toMatchObject({
      status: 404,
      body: { code: 'no_such_sale' },
    });
  });

  test('are discarded with a reason for the audit log, once; a viewer discards nothing', async () => {
    const { letterId } = (await list('?order=spring-3')).letters[0]!;
    const discard = (visitor: Visitor, body: object) => visitor.ask('POST', `${DEAD}/${letterId}/discard`, body);
    expect(await discard(vera, { reason: 'paid back' })).toMatchObject({ status: 403 });
    expect(await discard(opal, { reason: ' ' })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'reason', reason: 'expected 1 to 500 characters' }] },
    });
    expect(await discard(opal, { reason: 'paid back, receipt 123' })).toMatchObject({
      status: 200,
      body: { outcome: 'discarded' },
    });
    expect(await discard(opal, { reason: 'again' })).toMatchObject({
      status: 200,
      body: { outcome: 'already', reason: 'paid back, receipt 123', actor: 'console:opal' },
    });
    expect(await found('?saleId=spring')).toEqual(['failed spring-1']);
    const { actions } = (await vera.ask('GET', '/api/console/actions?rainId=spring')).body as { actions: object[] };
    expect(actions).toMatchObject([
      { verb: 'discard', actor: 'console:opal', isSale: true },
      { verb: 'requeue' },
      { verb: 'load' },
      { verb: 'create-sale' },
    ]);
  });
});
