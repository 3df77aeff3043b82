import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/credit/retryPolicy.ts';
import { orderServices } from '../../src/orders/orderServices.ts';
import { webhookOrders, type WebhookOrdersOptions } from '../../src/orders/webhookOrders.ts';
import { startExpirer } from '../../src/orders/expirer.ts';
import { examineShop } from '../../src/operator/doctor/shop.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { showSale } from '../../src/operator/sale/show.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { countUndelivered } from '../../src/store/undelivered.ts';
import { SECRET } from '../credit/wallet.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { signer } from '../support/signer.ts';
import { buyersOf, openOrderRoom, type OrderRoom } from './room.ts';
import { figuresOf, reservationIds } from './saleFigures.ts';
import { startShop, type Shop, type ShopBehaviour } from './shop.ts';

const retryPolicy: RetryPolicy = { firstDelayMs: 20, delayMsMax: 80, attemptsMax: 4, totalMsMax: 60_000 };

describe('the order service of a shop', () => {
  let room: OrderRoom;
  let shop: Shop;
  beforeAll(async () => {
    [room, shop] = await Promise.all([openOrderRoom(), startShop()]);
  });
  afterEach(() => room.rest());
  afterAll(async () => {
    await shop?.stop();
    await room?.stop();
  });
  const { reasons, statuses, expectBalanced } = figuresOf(() => room);

  const service = (differing: Partial<WebhookOrdersOptions> = {}) =>
    orderServices({
      ledger: room.ledger,
      onElsewhere: () => {},
      shop: webhookOrders({
        url: shop.url,
        secret: SECRET,
        timeoutMs: 5_000,
        batchMax: 50,
        ordersPerSecond: 10_000,
        requestsMax: 8,
        ...differing,
      }),
    });
  /** A sale in which each of these users buys a tee; the worker has worked off the queue. */
  async function sell(
    saleId: string,
    users: readonly string[],
    options: Partial<WebhookOrdersOptions> = {},
  ): Promise<void> {
    await room.openSale(saleId, { orderService: 'webhook', items: [{ sku: 'tee', units: 100, price: '19.90' }] });
    expect(
      new Set(
        await room.buy(
          saleId,
          users.map((userId) => ({ userId, sku: 'tee', quantity: 1 })),
        ),
      ),
    ).toEqual(new Set(['0']));
    await room.carry();
    room.work({ service: service(options), retryPolicy });
    await room.drained();
  }
  /** Six buyers, of whom the fourth is special. */
  async function meet(saleId: string, behaviours: ShopBehaviour[], always = false, batchMax = 50): Promise<void> {
    shop.plan(`${saleId}-u3`, behaviours, always);
    await sell(saleId, sixOf(saleId), { batchMax, ...(behaviours.includes('hang') && { timeoutMs: 250 }) });
  }
  const sixOf = (saleId: string) => Array.from({ length: 6 }, (_, i) => `${saleId}-u${i}`);
  const known = async (saleId: string) => (await statuses(saleId, ...sixOf(saleId))).join(' ');

  it('is told each order with what it needs, signed, under the id of the reservation, and only then is the buyer told', async () => {
    await sell('told', sixOf('told'), { batchMax: 1 });
    const [first] = await room.reservations('told');
    expect(shop.taken.get('told-1')).toEqual({
      orderId: 'told-1',
      saleId: 'told',
      userId: 'told-u0',
      sku: 'tee',
      quantity: 1,
      price: '19.90',
      amount: '19.90',
      at: first!.at,
      payBy: first!.payBy,
    });
    const asked = shop.asked.filter(({ orders }) => orders[0]!.startsWith('told-'));
    expect(asked.map(({ key, orders }) => [key, orders]).sort()).toEqual(
      reservationIds('told', 1, 7).map((id) => [id, [id]]),
    );
    expect(await known('told')).toBe('created created created created created created');
  });

  const PASSING: Record<string, ShopBehaviour> = {
    stalls: 'hang',
    'takes it and stalls': 'takeThenHang',
    'takes it and hangs up': 'takeThenClose',
    'takes it and cuts its answer': 'takeThenCut',
    'hangs up': 'close',
    'answers twice': 'takeTwice',
    'takes it and contradicts itself': 'takeThenContradict',
    'answers 200 with a page about maintenance': 'lie',
    'answers about others': 'lieAboutOthers',
    'answers no JSON': 'nonsense',
    redirects: 'redirect',
    'asks to come again': 'retry',
    'answers 503': { status: 503, headers: { 'retry-after': '0' } },
    'answers 401': { status: 401 },
    'answers 404 with a page': { status: 404, body: '<html>no such page</html>' },
    'says done about another one and answers 400': {
      status: 400,
      body: JSON.stringify({ results: [{ orderId: 'x', status: 'done' }] }),
    },
  };
  it.each([
    ['alone', 1],
    ['with two others in a batch', 3],
  ])(
    '[R5] that once treats an order badly, %s, in each of sixteen ways: it has every order once in the end, and every buyer is told',
    async (_how, batchMax) => {
      const saleId = `once-${batchMax}`;
      const users = Object.entries(PASSING).flatMap(([what, behaviour], i) => {
        shop.plan(`${saleId}-${i}-0`, [behaviour]);
        return Array.from({ length: batchMax }, (_, j) => ({ user: `${saleId}-${i}-${j}`, what }));
      });
      await sell(
        saleId,
        users.map(({ user }) => user),
        { batchMax, timeoutMs: 400 },
      );
      expect(await reasons(saleId)).toEqual([]);
      const found = await statuses(saleId, ...users.map(({ user }) => user));
      expect(users.filter((_, i) => found[i] !== 'created')).toEqual([]);
      expect([...shop.taken.keys()].filter((id) => id.startsWith(`${saleId}-`)).sort()).toEqual(
        reservationIds(saleId, 1, users.length + 1),
      );
      expect(shop.seen).toMatchObject({ unsigned: 0, changed: 0 });
      expect(await expectBalanced(saleId)).toMatchObject({ reserved: users.length });
    },
  );

  it.each<[string, ShopBehaviour]>([
    ['stalls', 'hang'],
    ['lies', 'lie'],
    ['answers 404', { status: 404, body: '<html>no such page</html>' }],
  ])(
    '[R10] that always %s for one order delays no other; that one is a dead letter, keeps its units until it is due, and its buyer is not told',
    async (what, behaviour) => {
      const saleId = `always-${what.replace(' ', '-')}`;
      await meet(saleId, [behaviour], true, 1);
      expect(await reasons(saleId)).toEqual([[3, 'unavailable']]);
      expect(await known(saleId)).toBe('created created created reserved created created');
      expect(await expectBalanced(saleId)).toMatchObject({ booked: 6, reserved: 6, left: 94 });
    },
  );

  it('that stays mute for a whole hold: it is asked often, and what times out is told with the reason, counted, and shown', async () => {
    const saleId = 'mute';
    shop.plan(`${saleId}-u0`, [{ status: 503, headers: { 'retry-after': '600' } }], true);
    await room.openSale(saleId, {
      orderService: 'webhook',
      holdMs: 4_000,
      items: [{ sku: 'tee', units: 100, price: '19.90' }],
    });
    await room.buy(
      saleId,
      [`${saleId}-u0`, `${saleId}-u1`].map((userId) => ({ userId, sku: 'tee', quantity: 1 })),
    );
    await room.carry();
    const { log, heard } = listeningLog();
    const worker = room.work({ service: service({ batchMax: 1 }), log });
    await eventually(async () =>
      expect(await examineShop({ redis: room.redis, ledger: room.ledger, orderService: 'webhook' })).toContainEqual(
        expect.objectContaining({ name: 'waiting', verdict: 'warning' }) as object,
      ),
    );
    const expirer = startExpirer({ ledger: room.ledger, log: createLog('expirer', 'silent'), everyMs: 50 });
    try {
      await eventually(async () => expect(await countUndelivered(room.redis, saleId)).toBe(1), { timeoutMs: 20_000 });
    } finally {
      await expirer.close();
    }
    expect(shop.asked.filter(({ orders }) => orders.includes(`${saleId}-1`)).length).toBeGreaterThan(1);
    expect(worker.counters).toMatchObject({ undelivered: 1, ordered: 1 });
    expect(worker.counters.notAccepted).toBeGreaterThan(1);
    expect(heard).toContainEqual(
      expect.objectContaining({
        msg: 'orders not accepted yet, will try again',
        reason: 'the shop answered 503',
      }) as object,
    );
    expect(heard).toContainEqual(
      expect.objectContaining({
        msg: 'orders have timed out before the shop has confirmed them',
        saleId,
        orders: 1,
        orderIds: [`${saleId}-1`],
        reason: 'the shop answered 503',
      }) as object,
    );
    const context = { redis: room.redis, ledger: room.ledger, signer, actor: 'test' };
    expect(await showSale(context, saleId)).toMatchObject({ undelivered: 1, orders: 2 });
    expect((await auditSale(context, saleId))!.notices).toContain(
      '1 orders have timed out before the shop has confirmed them; the log of the worker says why',
    );
    expect(await reasons(saleId)).toEqual([]);
  });

  it('that answers 400 to a batch gets halves of it: an order that it cannot read delays no other', async () => {
    await meet('halves', [{ status: 400, body: 'bad user name' }], true);
    expect(await reasons('halves')).toEqual([[3, 'unavailable']]);
    expect(await known('halves')).toBe('created created created reserved created created');
    expect(shop.asked.filter(({ orders }) => orders.includes('halves-1'))).toHaveLength(2);
  });

  it.each<[string, ShopBehaviour]>([
    ['', 'refuse'],
    [
      ' with a 422',
      {
        status: 422,
        body: JSON.stringify({
          results: [{ orderId: 'refused-with-a-422-4', status: 'refused', reason: 'no such address' }],
        }),
      },
    ],
  ])(
    'that refuses an order by name%s: it fails, with the reason in a letter, and its units are sold again',
    async (how, behaviour) => {
      const saleId = `refused${how.replaceAll(' ', '-')}`;
      await meet(saleId, [behaviour], true, 1);
      expect(await room.letters(saleId)).toMatchObject([
        { index: 3, reason: 'failed', detail: 'the shop said refused: no such address' },
      ]);
      expect((await room.ledger.orders({ saleId })).map(({ status }) => status)).toEqual([
        'created',
        'created',
        'created',
        'failed',
        'created',
        'created',
      ]);
      expect(await expectBalanced(saleId)).toMatchObject({ reserved: 5, left: 95 });
    },
  );

  it.each<[string, Partial<WebhookOrdersOptions>]>([
    ['orders a second', { ordersPerSecond: 40 }],
    ['requests at once', { requestsMax: 3 }],
  ])('[R10] gets so many %s, and no more', async (_what, limit) => {
    const slow = await startShop({ answerMs: 40 });
    try {
      const saleId = `limit-${Object.keys(limit)[0]}`;
      await sell(
        saleId,
        Array.from({ length: 60 }, (_, i) => `${saleId}-${i}`),
        { url: slow.url, batchMax: 2, ...limit },
      );
      expect(slow.taken.size).toBe(60);
      const times = slow.asked.map(({ at }) => at);
      const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
      if (limit.requestsMax) expect(slow.seen.atOnceMax).toBe(limit.requestsMax);
      // The requests of a burst, and then as many as the time allows; the last request is not in it.
      else expect(60 - 2).toBeLessThanOrEqual(40 + 40 * seconds);
    } finally {
      await slow.stop();
    }
  });
});

describe('which service keeps the orders of a sale', () => {
  let room: OrderRoom;
  beforeAll(async () => {
    room = await openOrderRoom();
  });
  afterEach(() => room.rest());
  afterAll(() => room?.stop());
  const orders = async (saleId: string) => (await room.ledger.orders({ saleId })).map((order) => order);

  it('is what the sale was created with: a shop is called for its own sales only, and for no rehearsal', async () => {
    const posted: string[] = [];
    const elsewhere: string[] = [];
    const shop = {
      post: async (saleId: string, some: readonly unknown[]) => {
        posted.push(saleId);
        return some.map(() => ({ outcome: 'commit' as const }));
      },
    };
    for (const [saleId, differing] of Object.entries({
      ours: {},
      theirs: { orderService: 'webhook' },
      practice: { orderService: 'webhook', rehearsal: true },
    } as const)) {
      await room.openSale(saleId, differing);
      await room.buy(saleId, buyersOf(0, 1));
      await room.ledger.writeOrders(await room.reservations(saleId));
    }
    const [all, none] = [shop, undefined].map((one) =>
      orderServices({ ledger: room.ledger, shop: one, onElsewhere: (saleId) => void elsewhere.push(saleId) }),
    );
    for (const saleId of ['ours', 'theirs', 'practice', 'theirs'])
      expect(await all!.post(saleId, await orders(saleId))).toEqual([{ outcome: 'commit' }]);
    expect(posted).toEqual(['theirs', 'theirs']);
    expect(await none!.post('ours', await orders('ours'))).toEqual([{ outcome: 'commit' }]);
    for (const _ of [1, 2])
      expect(await none!.post('theirs', await orders('theirs'))).toEqual([
        { outcome: 'reconsumeLater', detail: expect.stringContaining('ORDER_SERVICE=builtin') as string },
      ]);
    expect(elsewhere).toEqual(['theirs']);
    expect(await all!.post('lost', await orders('ours'))).toEqual([
      { outcome: 'reconsumeLater', detail: 'the ledger has no sale lost' },
    ]);
  });
});
