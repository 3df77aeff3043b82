import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakeReport } from '../../../src/orders/reports.ts';
import { signatureOf } from '../../../src/platform/auth/requestSignature.ts';
import { SECRET } from '../../credit/wallet.ts';
import { openedSale, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../../support/servers/testConsole.ts';
import { openShopStage, type ShopStage } from './stage.ts';

let stage: ShopStage;
let faults = 0;
beforeAll(async () => {
  stage = await openShopStage({ demoShop: true }, (ledger) => ({
    ...ledger,
    // Cut between the refusal of the ledger and the letter.
    discardedClaims: (ids) =>
      faults-- > 0 ? Promise.reject(new Error('connection terminated unexpectedly')) : ledger.discardedClaims(ids),
  }));
});
afterAll(() => stage?.stop());

async function ordered(saleId: string): Promise<string> {
  await openedSale(stage, saleId);
  const [orderId] = await reserveTees(stage, saleId, 1);
  await writeLog(stage, saleId);
  return orderId!;
}

describe('a report during a fault', () => {
  test('[R5] cut before the letter of a late payment is written: it is told to come again, and then there is one letter', async () => {
    const orderId = await ordered('cut');
    await stage.ledger.stepOrder(orderId, 'timed_out');
    faults = 1;
    expect(await stage.report(orderId, 'paid')).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { code: 'unavailable' },
    });
    expect(await stage.letters('cut')).toEqual([]);
    expect(await stage.report(orderId, 'paid')).toMatchObject({ status: 409, body: { code: 'pay_back' } });
    expect(await stage.letters('cut')).toHaveLength(1);
  });

  test('[R10] more reports at once than this process takes are told to come again; a report that is late counts until it ends', async () => {
    let release = () => {};
    const open = new Promise<void>((resolve) => {
      release = resolve;
    });
    let under = 0;
    const takeReport: TakeReport = async ({ status }) => {
      under++;
      await open;
      return { outcome: 'done', status };
    };
    const narrow = await stage.another({ shop: { secret: SECRET, takeReport, reportsAtOnceMax: 2 } });
    try {
      const report = (orderId: string) => {
        const [at, body] = [String(Date.now()), JSON.stringify({ orderId, status: 'paid' })];
        return fetch(`${narrow.url}/api/shop/orders/${orderId}`, {
          method: 'POST',
          body,
          headers: {
            'content-type': 'application/json',
            'rain-timestamp': at,
            'rain-signature': signatureOf(SECRET, at, body),
          },
        });
      };
      const first = [report('a-1'), report('a-2')];
      await eventually(() => expect(under).toBe(2));
      const third = await report('a-3');
      expect([third.status, third.headers.get('retry-after'), ((await third.json()) as { code: string }).code]).toEqual(
        [503, '1', 'busy'],
      );
      release();
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
      expect((await report('a-3')).status).toBe(200);
    } finally {
      release();
      await narrow.close();
    }
  });
});

describe('the stand-in of a shop, for demos', () => {
  const pay = (body: unknown) => ask(stage.url, 'POST', '/api/demo-shop/pay', body);
  const config = async (options: Parameters<ShopStage['another']>[0]) => {
    const one = await stage.another(options);
    try {
      return (await ask(one.url, 'GET', '/api/config')).body;
    } finally {
      await one.close();
    }
  };

  test('reports the payment as a shop does; who pays twice has paid', async () => {
    const orderId = await ordered('demo');
    expect(await pay({ reservationId: orderId })).toMatchObject({
      status: 200,
      body: { orderId, outcome: 'done', status: 'paid' },
    });
    expect(await pay({ reservationId: orderId })).toMatchObject({
      status: 200,
      body: { orderId, outcome: 'was', status: 'paid' },
    });
    expect((await stage.ledger.order(orderId))!.status).toBe('paid');
  });

  test('a reservation whose order is not written yet is paid as soon as it is', async () => {
    await openedSale(stage, 'soon');
    const [orderId] = await reserveTees(stage, 'soon', 1);
    const paying = pay({ reservationId: orderId });
    await writeLog(stage, 'soon');
    expect(await paying).toMatchObject({ status: 200, body: { status: 'paid' } });
  });

  test('what is due is not paid, and the buyer is told; a malformed request is refused by field', async () => {
    const orderId = await ordered('due');
    await stage.ledger.stepOrder(orderId, 'timed_out');
    expect(await pay({ reservationId: orderId })).toMatchObject({
      status: 409,
      body: { code: 'pay_back', status: 'timed_out' },
    });
    expect(await pay({ reservation: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', reason: expect.stringContaining('reservationId') as string },
    });
  });

  test('the page is told where to pay: at the shop, at the stand-in, or nowhere; only the demo has a stand-in', async () => {
    const payUrl = 'https://shop.example/pay/{orderId}';
    expect(await config({ payUrl, demoShop: false })).toMatchObject({ pay: { url: payUrl } });
    expect(await config({ demoShop: true })).toMatchObject({ pay: { demo: true } });
    expect(await config({})).not.toHaveProperty('pay');
    const plain = await stage.another({});
    try {
      expect((await ask(plain.url, 'POST', '/api/demo-shop/pay', { reservationId: 'a-1' })).status).toBe(404);
    } finally {
      await plain.close();
    }
  });
});
