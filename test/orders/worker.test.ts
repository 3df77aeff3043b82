import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/credit/retryPolicy.ts';
import { announceOrders } from '../../src/orders/announce.ts';
import { registerOrderMetrics } from '../../src/orders/metrics.ts';
import { pendingReservations } from '../../src/orders/queue.ts';
import { openRegistry } from '../../src/platform/telemetry/metrics.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { newSale } from '../ledger/contract-sales.ts';
import { eventually } from '../support/eventually.ts';
import { runScript } from '../support/script.ts';
import { signer, SIGNING_SECRET } from '../support/signer.ts';
import { openOrderRoom, type OrderRoom } from './room.ts';
import { figuresOf, reservationIds } from './saleFigures.ts';

const retryPolicy: RetryPolicy = { firstDelayMs: 20, delayMsMax: 80, attemptsMax: 4, totalMsMax: 60_000 };

describe('the order worker', () => {
  let room: OrderRoom;
  beforeAll(async () => {
    room = await openOrderRoom();
  });
  afterEach(() => room.rest());
  afterAll(() => room?.stop());

  const { idsOf, reasons, statuses, expectBalanced, buy } = figuresOf(() => room);

  it('[R5] 1,000 reservations become 1,000 orders, once each, and their buyers are told when they are written', async () => {
    await room.openSale('many', { items: [{ sku: 'tee', units: 1_000, price: '19.90' }] });
    await buy('many', 0, 1_000);
    const worker = room.work();
    room.work();
    room.relay.start();
    await eventually(() =>
      expect(room.heard.filter(({ reservationId }) => reservationId.startsWith('many-'))).toHaveLength(1_000),
    );
    await room.drained();
    expect(await idsOf('many')).toEqual(reservationIds('many', 1, 1_001));
    expect(await room.ledger.stock('many')).toMatchObject([
      { orders: 1_000, buyers: 1_000, created: 1_000, accounts: { available: 0, reserved: 1_000 } },
    ]);
    expect(await statuses('many', 'u0', 'u499', 'u999')).toEqual(['created', 'created', 'created']);
    for (const order of room.heard) expect(signer.isOrderMark(order.mark, order)).toBe(true);
    expect(new Set(room.heard.map(({ status }) => status))).toEqual(new Set(['created']));
    expect(await room.letters('many')).toEqual([]);
    // Delivered again, whole and in part, nothing is written again.
    expect((await room.relay.resend('many', 0, 1_000)) + (await room.relay.resend('many', 300, 400))).toBe(1_100);
    await room.drained();
    expect(await expectBalanced('many')).toEqual({ units: 1_000, booked: 1_000, left: 0, reserved: 1_000 });
    const registry = openRegistry();
    registerOrderMetrics(registry, room.queues, worker.counters);
    expect(await registry.metrics()).toMatch(/^rain_order_dead_letters(\{[^}]*\})? 0$/m);
  });

  it('[R5] killed after the insert and before the announcement: the next worker finds the orders, and tells their buyers', async () => {
    await room.openSale('killed');
    await buy('killed', 0, 5);
    await room.carry();
    const dying = runScript(new URL('processes/dying-worker.mjs', import.meta.url), [
      room.redisUrl,
      room.databaseUrl,
      SIGNING_SECRET,
    ]);
    expect(await dying.nextLine()).toBe('written 5');
    dying.process.kill('SIGKILL');
    await dying.ended;
    expect(await idsOf('killed')).toHaveLength(5);
    expect(await statuses('killed', 'u0')).toEqual(['reserved']);
    room.work();
    await room.drained();
    expect(await idsOf('killed')).toEqual(reservationIds('killed', 1, 6));
    expect(await statuses('killed', 'u0', 'u4')).toEqual(['created', 'created']);
    expect(await expectBalanced('killed')).toEqual({ units: 10, booked: 5, left: 5, reserved: 5 });
  });

  it('tries again after a fault before, in and after the writing, and writes once', async () => {
    await room.openSale('faults');
    await buy('faults', 0, 4);
    await room.carry();
    const faults = { before: 2, after: 1, told: 2 };
    room.work({
      ledger: {
        ...room.ledger,
        async writeOrders(reservations) {
          if (faults.before-- > 0) throw new Error('the connection was refused');
          const written = await room.ledger.writeOrders(reservations);
          if (faults.after-- > 0) throw new Error('the answer to the commit was lost');
          return written;
        },
      },
      async onCreated(saleId, orders) {
        if (faults.told-- > 0) throw new Error('Redis went away');
        await announceOrders(room.redis, signer, saleId, orders);
      },
    });
    await room.drained();
    expect([await idsOf('faults'), await statuses('faults', 'u0', 'u3'), await reasons('faults')]).toEqual([
      reservationIds('faults', 1, 5),
      ['created', 'created'],
      [],
    ]);
    expect(await expectBalanced('faults')).toEqual({ units: 10, booked: 4, left: 6, reserved: 4 });
  });

  it('an order that was paid or ended before its job runs again is neither posted nor announced as created', async () => {
    await room.openSale('moved');
    await buy('moved', 0, 3);
    await room.ledger.writeOrders(await room.reservations('moved'));
    await room.ledger.stepOrder('moved-1', 'paid');
    await room.ledger.stepOrder('moved-2', 'cancelled');
    const posted: string[] = [];
    await room.carry();
    room.work({
      service: { post: async (_saleId, orders) => orders.map(({ id }) => (posted.push(id), { outcome: 'commit' })) },
    });
    await room.drained();
    expect([
      posted,
      room.heard
        .filter(({ reservationId }) => reservationId.startsWith('moved-'))
        .map(({ reservationId }) => reservationId),
    ]).toEqual([['moved-3'], ['moved-3']]);
  });

  it('a sale that the ledger does not know is waited for: nothing is known against its reservations', async () => {
    await room.openUnbooked('unbooked');
    await buy('unbooked', 0, 2);
    await room.carry();
    room.work({ retryPolicy: { ...retryPolicy, attemptsMax: 1_000 } });
    await eventually(async () =>
      expect(await pendingReservations(room.redis, { ...room.queues, orders: room.queues.later })).toEqual(
        expect.arrayContaining([{ saleId: 'unbooked', from: 0, to: 2 }]),
      ),
    );
    expect([await idsOf('unbooked'), await room.letters('unbooked')]).toEqual([[], []]);
    await room.ledger.createSale(newSale('unbooked'), 'ann');
    await room.drained();
    expect([await idsOf('unbooked'), await room.letters('unbooked')]).toEqual([reservationIds('unbooked', 1, 3), []]);
  });

  it('a sale that comes to the ledger between the refusal of its orders and the look for it loses none of them', async () => {
    await room.openUnbooked('meanwhile');
    await buy('meanwhile', 0, 3);
    await room.carry();
    const { ledger } = room;
    let looks = 0;
    const late = {
      ...ledger,
      async sale(id: string) {
        if (looks++ === 0) await ledger.createSale(newSale(id), 'ann');
        return ledger.sale(id);
      },
    };
    room.work({ ledger: late });
    await room.drained();
    expect([
      looks,
      await idsOf('meanwhile'),
      await room.letters('meanwhile'),
      await statuses('meanwhile', 'u0', 'u1', 'u2'),
    ]).toEqual([1, reservationIds('meanwhile', 1, 4), [], ['created', 'created', 'created']]);
  });

  it('a sale that Redis does not have is waited for, too', async () => {
    await room.openSale('absent');
    await buy('absent', 0, 2);
    await room.carry();
    const { state } = saleKeys('absent');
    await room.redis.rename(state, `${state}-away`);
    room.work({ retryPolicy: { ...retryPolicy, attemptsMax: 1_000 } });
    await eventually(async () =>
      expect(await room.queues.later.getJobCountByTypes('delayed', 'waiting', 'active')).toBe(1),
    );
    expect([await idsOf('absent'), await room.letters('absent')]).toEqual([[], []]);
    await room.redis.rename(`${state}-away`, state);
    await room.drained();
    expect([await idsOf('absent'), await statuses('absent', 'u0')]).toEqual([
      reservationIds('absent', 1, 3),
      ['created'],
    ]);
  });

  it('gives up a job that cannot be read at its first attempt [R12]', async () => {
    room.work();
    const unread = await room.queues.orders.add(
      'range',
      { saleId: 'read', from: -1, entries: [] },
      { jobId: 'unreadable-job' },
    );
    await eventually(async () =>
      expect(await (await room.queues.orders.getJob(unread.id!))!.getState()).toBe('failed'),
    );
    const failed = (await room.queues.orders.getJob(unread.id!))!;
    expect([failed.attemptsMade, failed.failedReason]).toEqual([1, expect.stringContaining('from:')]);
  });
});
