import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startOrderRedelivery, type OrderRedeliveryOptions } from '../../src/maintenance/orderRedelivery.ts';
import { announceOrders } from '../../src/orders/announce.ts';
import { areOrderLetters } from '../../src/orders/deadLetters.ts';
import { pendingReservations } from '../../src/orders/queue.ts';
import type { Loop } from '../../src/platform/concurrency/loop.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { heldBy } from '../../src/store/sales.ts';
import { eventually } from '../support/eventually.ts';
import { signer } from '../support/signer.ts';
import { buyersOf, openOrderRoom, type OrderRoom } from './room.ts';

describe('redelivery of reservations', () => {
  let room: OrderRoom;
  const loops: Loop[] = [];
  beforeAll(async () => {
    room = await openOrderRoom();
  });
  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.close()));
    await room.rest();
    await room.drained();
    await room.redis.del('sale:live');
  });
  afterAll(() => room?.stop());

  /** With the real queue and relay; tells what it has sent. */
  function start(options: Partial<OrderRedeliveryOptions> = {}): [string, number, number][] {
    const sent: [string, number, number][] = [];
    loops.push(
      startOrderRedelivery({
        context: room,
        log: createLog('redelivery', 'silent'),
        everyMs: 10,
        sweepAfterMs: 50,
        jobsPending: () => room.queues.orders.getJobCountByTypes('waiting', 'active', 'delayed'),
        pendingRanges: () => pendingReservations(room.redis, room.queues),
        areDead: (entries) => areOrderLetters(room.queues.dead, entries),
        async resend(...range) {
          sent.push(range);
          return room.relay.resend(...range);
        },
        ...options,
      }),
    );
    return sent;
  }
  const orders = async (saleId: string) => (await room.ledger.orderCounts(saleId)).orders;
  const lose = () => room.queues.orders.obliterate({ force: true });

  it('[R5] a queue that was emptied: the reservations that it had are sent again, and each has its order', async () => {
    await room.openSale('emptied', { items: [{ sku: 'tee', units: 1_500, price: '19.90' }] });
    for (let at = 0; at < 1_200; at += 400) await room.buy('emptied', buyersOf(at, at + 400));
    await room.carry();
    await lose();
    expect(await room.redis.get(saleKeys('emptied').relayed)).toBe('1200');
    room.work();
    const sent = start();
    await eventually(async () => expect(await orders('emptied')).toBe(1_200));
    await room.drained();
    expect(sent.slice(0, 3)).toEqual([
      ['emptied', 0, 500],
      ['emptied', 500, 1_000],
      ['emptied', 1_000, 1_200],
    ]);
    expect(await room.ledger.stock('emptied')).toMatchObject([
      { accounts: { available: 300, reserved: 1_200 }, created: 1_200 },
    ]);
  });

  it('a sale that is closed is checked one by one: also an order whose announcement was lost is sent again', async () => {
    await room.openSale('closed');
    await room.buy('closed', buyersOf(0, 4));
    await room.ledger.writeOrders(await room.reservations('closed'));
    await room.carry();
    await lose();
    room.work();
    const sent = start();
    await room.redis.hset(saleKeys('closed').state, 'state', 'closed');
    await eventually(async () =>
      expect((await heldBy(room.redis, 'closed', 'u3')).map(({ status }) => status)).toEqual(['created']),
    );
    await room.drained();
    expect([sent[0], await orders('closed')]).toEqual([['closed', 0, 4], 4]);
  });

  it('an order of an open sale that was written and never announced, so perhaps never posted, is sent again, and a free one that was announced and never paid; then nothing is read any more', async () => {
    await room.openSale('unposted', {
      items: [
        { sku: 'tee', units: 10, price: '19.90' },
        { sku: 'seat', units: 5, price: '0.00' },
      ],
    });
    await room.buy('unposted', [...buyersOf(0, 3), { userId: 'ann', sku: 'seat', quantity: 1 }]);
    await room.ledger.writeOrders(await room.reservations('unposted'));
    const written = await room.ledger.orders({ saleId: 'unposted' });
    await announceOrders(room.redis, signer, 'unposted', [written[0]!, written[3]!]);
    await room.carry();
    await lose();
    room.work();
    const read: string[][] = [];
    const sent = start({
      context: {
        ...room,
        ledger: { ...room.ledger, ordersAmong: (ids) => (read.push([...ids]), room.ledger.ordersAmong(ids)) },
      },
    });
    await eventually(async () => expect((await room.ledger.order('unposted-4'))!.status).toBe('paid'));
    await room.drained();
    expect(sent[0]).toEqual(['unposted', 1, 4]);
    expect((await heldBy(room.redis, 'unposted', 'u2')).map(({ status }) => status)).toEqual(['created']);
    // Settled entries are not read again, and new ones are read from there.
    await eventually(() => expect(read.length).toBeGreaterThan(1));
    await room.rest();
    await room.buy('unposted', buyersOf(5, 6));
    await room.ledger.writeOrders((await room.reservations('unposted')).slice(4));
    await room.carry();
    await lose();
    await eventually(() => expect(read.at(-1)).toEqual(['unposted-5']));
    room.work();
    await eventually(async () =>
      expect((await heldBy(room.redis, 'unposted', 'u5')).map(({ status }) => status)).toEqual(['created']),
    );
    await room.drained();
    expect(new Set(read.map((ids) => ids[0]))).toEqual(new Set(['unposted-1', 'unposted-5']));
  });

  it('skips what is written and announced, dead-lettered, or in a job, and sends what is around it', async () => {
    await room.openSale('parts');
    await room.buy('parts', buyersOf(0, 2));
    await room.carry();
    room.work();
    await room.drained();
    await room.rest();
    await room.buy('parts', buyersOf(2, 4));
    await room.forge('parts', 'not a reservation');
    await room.buy('parts', buyersOf(5, 9));
    await room.carry();
    await lose();
    const sent = start({
      pendingRanges: async () => [
        { saleId: 'parts', from: 6, to: 8 },
        { saleId: 'other', from: 0, to: 20 },
      ],
      areDead: async (entries) => entries.map(({ entry }) => entry === 'not a reservation'),
      resend: async (...range) => (sent.push(range), range[2] - range[1]),
    });
    await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(3));
    expect(sent.slice(0, 3)).toEqual([
      ['parts', 2, 4],
      ['parts', 5, 6],
      ['parts', 8, 9],
    ]);
  });

  it('sends nothing while nothing is missing, and leaves alone what is not carried yet', async () => {
    await room.openSale('whole');
    await room.buy('whole', buyersOf(0, 2));
    await room.carry();
    room.work();
    await room.drained();
    await room.buy('whole', buyersOf(2, 3));
    let asked = 0;
    const sent = start({
      context: {
        ...room,
        ledger: { ...room.ledger, orderCounts: (saleId) => (asked++, room.ledger.orderCounts(saleId)) },
      },
    });
    await eventually(() => expect(asked).toBeGreaterThan(15));
    expect(sent).toEqual([]);
  });
});
