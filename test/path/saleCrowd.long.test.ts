import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../../src/gateway/server.ts';
import type { OrderMessage } from '../../src/protocol/saleMessages.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { redisNow } from '../../src/store/rains.ts';
import { dial, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';

const UNITS = 200;
/** Parallel handshakes. Thousands would block this process for longer than its gateways wait for Redis. */
const SLICE = 200;

let context: TestContext;
let gateways: Gateway[];
beforeAll(async () => {
  context = await openTestContext();
  const limits = { messagesPerSecondMax: 1_000_000, turnMsMax: 60_000 };
  gateways = await Promise.all([openGateway(context.redisUrl, { limits }), openGateway(context.redisUrl, { limits })]);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await context?.stop();
});

async function open(id: string): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createSale(context, {
      id,
      items: [{ sku: 'tee', units: UNITS, price: '19.90' }],
      perUserMax: 1,
      holdMs: 600_000,
      opensAt: now - 1,
      closesAt: now + 600_000,
    }),
  ).toMatchObject({ ok: true });
  expect(await openSale(context, id)).toMatchObject({ ok: true });
}

/** Opens this many sockets, half of them at each gateway. */
async function enter(count: number, name: (i: number) => string): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const from = clients.length;
    clients.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(SLICE, count - from) }, (_, i) =>
          dial(gateways[(from + i) % 2]!.url, name(from + i)),
        ),
      )),
    );
  }
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.leave()));
  });
  return clients;
}

/**
 * Asks this often at once, and whatever is answered "busy" again. A worker's message about an order looks like an
 * answer.
 * @param announced a buyer is told so, once besides
 * @returns one decided answer per ask, and that one
 */
async function ask(client: Client, saleId: string, asks: number, announced: boolean): Promise<OrderMessage[]> {
  const say = () => client.say({ type: 'buy', saleId, sku: 'tee', ref: 'mine' });
  for (let n = 0; n < asks; n++) say();
  const heard: OrderMessage[] = [];
  while (heard.length < asks + Number(announced && heard.some(isReserved))) {
    const order = await client.next('order');
    if (order.code !== '-7') heard.push(order);
    // Not one after the other: all asks that had joined one purchase are told so together.
    else void sleep(order.retryInMs).then(say);
  }
  return heard;
}

const isReserved = ({ reservationId }: OrderMessage): boolean => reservationId !== undefined;

describe.each([
  ['alive', 'before'],
  ['dead until the end', 'after'],
] as const)('with the worker %s', (_, when) => {
  const startWorker = async () => {
    const worker = await openWorker(context, { sweeping: { everyMs: 300, sweepAfterMs: 1_000 } });
    onTestFinished(() => worker.close());
  };
  beforeEach(async () => {
    if (when === 'before') await startWorker();
  });

  /** The orders of the ledger, once all are written. */
  async function ordersOf(saleId: string, count: number) {
    if (when === 'after') {
      expect(await context.ledger.orders({ saleId })).toEqual([]);
      expect((await auditSale(context, saleId))!.report).toMatchObject({
        orders: 0,
        balanced: true,
        items: [{ pending: count, left: UNITS - count }],
      });
      await startWorker();
    }
    await eventually(async () => expect(await context.ledger.orders({ saleId })).toHaveLength(count), {
      timeoutMs: 30_000,
    });
    await eventually(
      async () =>
        expect((await auditSale(context, saleId))!.report).toEqual({
          saleId,
          orders: count,
          buyers: count,
          balanced: true,
          items: [{ sku: 'tee', units: UNITS, sold: 0, reserved: count, pending: 0, left: UNITS - count, returned: 0 }],
        }),
      { timeoutMs: 30_000 },
    );
    return await context.ledger.orders({ saleId });
  }

  test('[R1][R2][R5][R8] 5,000 concurrent asks of 2,000 users on 200 units: exactly 200 orders of 200 users, those who were told', async () => {
    const id = `crowd-${when}`;
    await open(id);
    const clients = await enter(2_000, (i) => `user-${i}`);
    const answers = await Promise.all(
      clients.map((client, i) => ask(client, id, i % 2 === 0 ? 3 : 2, when === 'before')),
    );
    expect(answers.flat()).toHaveLength(5_000 + (when === 'before' ? UNITS : 0));
    const told = new Map<string, string>();
    answers.forEach((own, i) => {
      expect(new Set(own.map(({ reservationId, code }) => reservationId ?? code)).size, JSON.stringify(own)).toBe(1);
      if (own[0]!.reservationId !== undefined) told.set(own[0]!.reservationId, `user-${i}`);
      else expect(own[0]!.code).toBe('-12');
    });
    expect([told.size, new Set(told.values()).size]).toEqual([UNITS, UNITS]);
    expect(new Map((await ordersOf(id, UNITS)).map((order) => [order.id, order.userId]))).toEqual(
      new Map([...told].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    );
  }, 180_000);

  test('[R1][R5][R6] 10,000 asks of one user from four sockets: one order, and 10,000 equal answers', async () => {
    const id = `eager-${when}`;
    await open(id);
    const clients = await enter(4, () => 'ann');
    const answers = (await Promise.all(clients.map((client) => ask(client, id, 2_500, when === 'before')))).flat();
    expect(answers).toHaveLength(10_000 + (when === 'before' ? clients.length : 0));
    const { reservationId, payBy } = answers[0]!;
    for (const answer of answers)
      expect(answer).toMatchObject({ reservationId, payBy, sku: 'tee', quantity: 1, price: '19.90' });
    expect(answers.filter(({ code }) => code === '0')).toHaveLength(1);
    expect((await ordersOf(id, 1)).map((order) => [order.id, order.userId, order.quantity])).toEqual([
      [reservationId, 'ann', 1],
    ]);
  }, 180_000);
});
