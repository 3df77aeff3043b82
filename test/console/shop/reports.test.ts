import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFollower } from '../../../src/orders/follower.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { isBalanced } from '../../../src/sale/equation.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { heldBy } from '../../../src/store/sales.ts';
import { sampleSale } from '../../orders/saleSample.ts';
import { openedSale, reserve, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { sendThenRead } from '../../support/sendThenRead.ts';
import { eventually } from '../../support/eventually.ts';
import { signer } from '../../support/signer.ts';
import { openShopStage, type ShopStage } from './stage.ts';

let stage: ShopStage;
let follower: ReturnType<typeof startFollower>;
beforeAll(async () => {
  stage = await openShopStage();
  follower = startFollower({
    redis: stage.redis,
    ledger: stage.ledger,
    signer,
    log: createLog('follower', 'silent'),
    everyMs: 20,
  });
});
afterAll(async () => {
  await follower?.close();
  await stage?.stop();
});

/** Buyers u1, u2 … have an order of one tee each. @returns its ids */
async function ordered(saleId: string, buyers: number): Promise<string[]> {
  await openedSale(stage, saleId, { orderService: 'webhook' });
  const ids = await reserveTees(stage, saleId, buyers);
  await writeLog(stage, saleId);
  return ids;
}
const statusOf = async (orderId: string) => (await stage.ledger.order(orderId))?.status;
/** The equation holds, and Redis says what the ledger says. */
async function expectAgreement(saleId: string): Promise<void> {
  await eventually(async () => expect(await stage.ledger.orderCounts(saleId)).toMatchObject({ unfollowed: 0 }));
  const { equations, problems } = await sampleSale(stage, saleId);
  expect(problems).toEqual([]);
  for (const equation of equations) expect(isBalanced(equation), JSON.stringify(equation)).toBe(true);
  for (const { id, userId, status } of await stage.ledger.orders({ saleId })) {
    if (status !== 'created')
      expect(
        (await heldBy(stage.redis, saleId, userId)).find(({ ordinal }) => id === `${saleId}-${ordinal}`),
        id,
      ).toMatchObject({ status });
  }
}

describe('a shop that reports what became of an order', () => {
  test('pays, cancels, fails and refunds it; a repetition changes nothing and says so', async () => {
    const [paid, cancelled, failed] = await ordered('life', 3);
    for (const outcome of ['done', 'was']) {
      expect(await stage.report(paid!, 'paid')).toEqual({
        status: 200,
        body: { orderId: paid, outcome, status: 'paid' },
        retryAfter: null,
      });
      expect((await stage.report(cancelled!, 'cancelled')).body).toMatchObject({ outcome, status: 'cancelled' });
      expect((await stage.report(failed!, 'failed')).body).toMatchObject({ outcome, status: 'failed' });
    }
    await expectAgreement('life');
    expect((await sampleSale(stage, 'life')).equations[0]).toMatchObject({ units: 10, sold: 1, reserved: 0, left: 9 });
    for (const outcome of ['done', 'was'])
      expect((await stage.report(paid!, 'refunded')).body).toMatchObject({ outcome, status: 'refunded' });
    // Recorded, and sent again by somebody within the window.
    expect((await stage.report(paid!, 'paid')).body).toEqual({ orderId: paid, outcome: 'was', status: 'refunded' });
    await expectAgreement('life');
    expect((await sampleSale(stage, 'life')).equations[0]).toMatchObject({ sold: 0, left: 10 });
    expect(await stage.letters('life')).toEqual([]);
  });

  test.each(['cancelled', 'timed_out', 'failed'] as const)(
    "paid after %s: it is told to pay back, the operator gets one letter, and the units are not the buyer's",
    async (before) => {
      const saleId = `late-${before}`;
      const [orderId] = await ordered(saleId, 1);
      await stage.ledger.stepOrder(orderId!, before);
      for (const _ of [1, 2]) {
        expect(await stage.report(orderId!, 'paid')).toMatchObject({
          status: 409,
          body: {
            code: 'pay_back',
            orderId,
            status: before,
            reason: expect.stringContaining('Pay the buyer back') as string,
          },
        });
      }
      expect(await statusOf(orderId!)).toBe(before);
      expect(await stage.letters(saleId)).toMatchObject([
        {
          saleId,
          index: 0,
          reason: 'paid_after_release',
          detail: expect.stringMatching(
            new RegExp(`^${before} at 20.*; the shop reported the payment at 20`),
          ) as string,
        },
      ]);
      const [reservation] = await stage.letters(saleId);
      expect(JSON.parse(reservation!.entry)).toMatchObject({ reservationId: orderId, userId: 'u1' });
      await expectAgreement(saleId);
      expect((await sampleSale(stage, saleId)).equations[0]).toMatchObject({ sold: 0, left: 10 });
    },
  );

  test("a late payment is the same letter as the log's entry would be, and one that the operator has discarded does not come back", async () => {
    const [orderId] = await ordered('discarded', 1);
    await stage.ledger.stepOrder(orderId!, 'timed_out');
    await stage.report(orderId!, 'paid');
    const [letter] = (await stage.queues.ordersDead.getJobs(['waiting'])).filter(
      ({ data }) => data.saleId === 'discarded',
    );
    expect(letter!.data.entry).toBe(await stage.redis.lindex('sale:{discarded}:reservations', 0));
    await stage.ledger.discardLetter({
      letterId: letter!.id!,
      saleId: 'discarded',
      entry: letter!.data.entry,
      deadReason: 'paid_after_release',
      reason: 'paid back',
      actor: 'test',
    });
    await stage.queues.ordersDead.remove(letter!.id!);
    expect(await stage.report(orderId!, 'paid')).toMatchObject({ status: 409, body: { code: 'pay_back' } });
    expect(await stage.letters('discarded')).toEqual([]);
  });

  test('paid before created: it is told to come again, and then it is paid', async () => {
    await openedSale(stage, 'early', { orderService: 'webhook' });
    const [orderId] = await reserveTees(stage, 'early', 1);
    for (const status of ['paid', 'cancelled', 'failed', 'refunded'])
      expect(await stage.report(orderId!, status)).toMatchObject({
        status: 425,
        retryAfter: '1',
        body: { code: 'not_yet', orderId },
      });
    await writeLog(stage, 'early');
    expect(await stage.report(orderId!, 'paid')).toMatchObject({ status: 200, body: { outcome: 'done' } });
    await expectAgreement('early');
  });

  test('of an order that there can never be: that is final, and not "come again"', async () => {
    await ordered('never', 2);
    const never = { status: 404, retryAfter: null, body: { code: 'no_such_order' } };
    for (const orderId of ['nobody-1', 'never-3', 'never-0', 'never', 'never-999999999999999'])
      expect(await stage.report(orderId, 'paid'), orderId).toMatchObject(never);
    // Reservations that Redis has lost may be put back.
    await stage.redis.hset(saleKeys('never').state, 'held', 'restoring');
    expect(await stage.report('never-3', 'paid')).toMatchObject({ status: 425 });
    for (const orderId of ['never-1', 'never-2']) await stage.report(orderId, 'cancelled');
    await stage.ledger.settleSale('never');
    expect(await stage.report('never-3', 'paid')).toMatchObject(never);
    await stage.redis.del(...Object.values(saleKeys('never')));
    expect(await stage.report('never-1', 'cancelled')).toMatchObject({ status: 200, body: { outcome: 'was' } });
  });

  test('refunded before paid: it is told to come again with the present status; refunded after a release is refused', async () => {
    const [one, other] = await ordered('order', 2);
    expect(await stage.report(one!, 'refunded')).toMatchObject({
      status: 425,
      body: { code: 'not_yet', status: 'created' },
    });
    await stage.report(one!, 'paid');
    expect(await stage.report(one!, 'refunded')).toMatchObject({ status: 200, body: { outcome: 'done' } });
    await stage.ledger.stepOrder(other!, 'timed_out');
    expect(await stage.report(other!, 'refunded')).toMatchObject({
      status: 409,
      body: { code: 'step_refused', status: 'timed_out' },
    });
    for (const status of ['cancelled', 'failed'])
      expect(await stage.report(one!, status)).toMatchObject({
        status: 409,
        body: { code: 'step_refused', status: 'refunded' },
      });
    await expectAgreement('order');
    expect(await stage.letters('order')).toEqual([]);
  });

  test('the same report twenty times at once, and opposite ones: exactly one is done', async () => {
    const [paid, torn] = await ordered('twice', 2);
    const same = await Promise.all(Array.from({ length: 20 }, () => stage.report(paid!, 'paid')));
    expect(same.map(({ body }) => body['outcome']).sort()).toEqual([
      'done',
      ...Array.from({ length: 19 }, () => 'was'),
    ]);
    const opposite = await Promise.all(
      Array.from({ length: 20 }, (_, i) => stage.report(torn!, i % 2 === 0 ? 'paid' : 'cancelled')),
    );
    expect(opposite.filter(({ body }) => body['outcome'] === 'done')).toHaveLength(1);
    expect(opposite.filter(({ status }) => status === 409)).toHaveLength(10);
    await expectAgreement('twice');
    const { sold, left } = (await sampleSale(stage, 'twice')).equations[0]!;
    expect([sold, left]).toEqual((await statusOf(torn!)) === 'paid' ? [2, 8] : [1, 9]);
    expect(await stage.letters('twice')).toHaveLength((await statusOf(torn!)) === 'paid' ? 0 : 1);
  });

  test('several units of several items: each report is about its own order', async () => {
    await openedSale(stage, 'mixed', { perUserMax: 5 });
    await reserve(stage, 'mixed', [
      { userId: 'ann', sku: 'tee', quantity: 3, ref: 'a' },
      { userId: 'ann', sku: 'mug', quantity: 2, ref: 'b' },
    ]);
    await writeLog(stage, 'mixed');
    await stage.report('mixed-1', 'paid');
    await stage.report('mixed-2', 'failed');
    await expectAgreement('mixed');
    expect((await sampleSale(stage, 'mixed')).equations).toMatchObject([
      { sku: 'tee', sold: 3, left: 7 },
      { sku: 'mug', sold: 0, left: 5 },
    ]);
  });
});

describe('Redis', () => {
  let alone: ShopStage;
  beforeAll(async () => {
    alone = await openShopStage();
  });
  afterAll(() => alone?.stop());

  test('has every report before its answer, with no follower at all: the buyer and the shop read the same', async () => {
    await openedSale(alone, 'alone', { orderService: 'webhook' });
    const ids = await reserveTees(alone, 'alone', 3);
    await writeLog(alone, 'alone');
    const known = async () =>
      (await Promise.all(['u1', 'u2', 'u3'].map((user) => heldBy(alone.redis, 'alone', user))))
        .flat()
        .map(({ status }) => status);
    for (const [i, status] of ['paid', 'cancelled', 'failed'].entries()) {
      await alone.report(ids[i]!, status);
      expect((await known())[i]).toBe(status);
    }
    await alone.report(ids[0]!, 'refunded');
    expect(await known()).toEqual(['refunded', 'cancelled', 'failed']);
    expect(await alone.ledger.orderCounts('alone')).toMatchObject({ unfollowed: 0 });
    expect((await sampleSale(alone, 'alone')).equations[0]).toMatchObject({ sold: 0, reserved: 0, left: 10 });
  });
});

describe("[R12] a report that is not the shop's, or not of this order", () => {
  test.each<[string, Parameters<ShopStage['report']>[2], string]>([
    ['another secret', { secret: 'x'.repeat(40) }, 'not_signed'],
    ['a timestamp six minutes ago', { at: Date.now() - 360_000 }, 'old_timestamp'],
    ['a timestamp six minutes ahead', { at: Date.now() + 360_000 }, 'old_timestamp'],
    ['no signature', { headers: { 'content-type': 'application/json' } }, 'not_signed'],
    [
      'half a signature',
      { headers: { 'rain-timestamp': String(Date.now()), 'rain-signature': 'v1=00' } },
      'not_signed',
    ],
  ])('%s: 401, and nothing is changed', async (what, differing, code) => {
    const saleId = `not-${what.replaceAll(' ', '-')}`;
    const [orderId] = await ordered(saleId, 1);
    expect(await stage.report(orderId!, 'paid', differing)).toMatchObject({ status: 401, body: { code } });
    expect(await statusOf(orderId!)).toBe('created');
  });

  test('a signed report of one order says nothing about another one, of this sale or of another', async () => {
    const [mine] = await ordered('mine', 1);
    const [theirs] = await ordered('theirs', 1);
    const answer = await stage.report(mine!, 'paid', { address: theirs! });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'bad_request', reason: 'orderId: expected theirs-1, the order of the address' },
    });
    expect([await statusOf(mine!), await statusOf(theirs!)]).toEqual(['created', 'created']);
  });

  test.each<[string, string, RegExp]>([
    ['no JSON', 'paid', /^body: expected a JSON object that has no name twice$/],
    ['an array', '[]', /^body: expected a JSON object that has no name twice$/],
    [
      'an order that is named twice',
      '{"orderId":"field-1","status":"paid","orderId":"field-1"}',
      /^body: expected a JSON object that has no name twice$/,
    ],
    ['no order', '{"status":"paid"}', /orderId: expected the id of a reservation/],
    [
      'a status of ours',
      '{"orderId":"field-1","status":"timed_out"}',
      /status: expected paid, cancelled, refunded, failed/,
    ],
    ['no status', '{"orderId":"field-1"}', /status: expected paid/],
    ['an order that is none', '{"orderId":"f;1","status":"paid"}', /orderId: expected the id of a reservation/],
  ])('%s is refused by field', async (_what, body, reason) => {
    const answer = await stage.report('field-1', 'paid', { body });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'bad_request', reason: expect.stringMatching(reason) as string },
    });
  });

  test('[R10] a body above the limit is refused before it is read', async () => {
    expect(
      await stage.report('field-1', 'paid', {
        body: JSON.stringify({ orderId: 'field-1', status: 'paid', note: 'x'.repeat(5_000) }),
      }),
    ).toMatchObject({ status: 413, body: { code: 'too_big' } });
  });

  test('a body of 5 MB is refused, and a sender that reads only afterwards reads why', async () => {
    for (let i = 0; i < 3; i++)
      expect(await sendThenRead(stage.url, '/api/shop/orders/field-1', 5_000_000)).toMatch(
        /^HTTP\/1\.1 413 [^]*"code":"too_big"/,
      );
  });

  test('where no secret is set there is no such address', async () => {
    const closed = await stage.another({});
    try {
      expect((await fetch(`${closed.url}/api/shop/orders/a-1`, { method: 'POST', body: '{}' })).status).toBe(404);
    } finally {
      await closed.close();
    }
  });
});
