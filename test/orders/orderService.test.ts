import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BatchRefused } from '../../src/credit/payoutProvider.ts';
import type { RetryPolicy } from '../../src/credit/retryPolicy.ts';
import type { OrderService } from '../../src/orders/orderService.ts';
import { eventually } from '../support/eventually.ts';
import { openOrderRoom, type OrderRoom } from './room.ts';
import { figuresOf, reservationIds } from './saleFigures.ts';

const retryPolicy: RetryPolicy = { firstDelayMs: 20, delayMsMax: 80, attemptsMax: 4, totalMsMax: 60_000 };

describe('an order service', () => {
  let room: OrderRoom;
  beforeAll(async () => {
    room = await openOrderRoom();
  });
  afterEach(() => room.rest());
  afterAll(() => room?.stop());
  const { idsOf, reasons, statuses, buy } = figuresOf(() => room);

  /** Gives these answers to these users, and takes the orders of all others; tells what it was posted. */
  function shop(
    answers: Record<string, () => Awaited<ReturnType<OrderService['post']>>[number]>,
  ): OrderService & { posted: string[][] } {
    const posted: string[][] = [];
    return {
      posted,
      async post(_saleId, orders) {
        posted.push(orders.map(({ userId }) => userId));
        return orders.map(({ userId }) => answers[userId]?.() ?? { outcome: 'commit' });
      },
    };
  }

  it('what it gives up fails, with its reason in a letter; its units are no longer reserved', async () => {
    await room.openSale('given');
    await buy('given', 0, 4);
    await room.carry();
    room.work({ service: shop({ u1: () => ({ outcome: 'giveUp', reason: 'failed', detail: 'no such address' }) }) });
    await room.drained();
    expect((await room.ledger.orders({ saleId: 'given' })).map(({ status }) => status)).toEqual([
      'created',
      'failed',
      'created',
      'created',
    ]);
    expect(await room.letters('given')).toMatchObject([{ index: 1, reason: 'failed', detail: 'no such address' }]);
    expect(await room.ledger.unfollowedOrders('given', 10)).toMatchObject([
      { id: 'given-2', status: 'failed', toStock: true },
    ]);
    expect(await statuses('given', 'u0', 'u1')).toEqual(['created', 'reserved']);
  });

  it('[R5] killed between the letter and the failure: the order fails once, with one letter', async () => {
    await room.openSale('torn');
    await buy('torn', 0, 2);
    await room.carry();
    let faults = 1;
    room.work({
      service: shop({ u1: () => ({ outcome: 'giveUp', reason: 'failed', detail: 'no such address' }) }),
      ledger: {
        ...room.ledger,
        stepOrder: (...step) => (faults-- > 0 ? Promise.reject(new Error('killed')) : room.ledger.stepOrder(...step)),
      },
    });
    await room.drained();
    expect((await room.ledger.orders({ saleId: 'torn' })).map(({ status }) => status)).toEqual(['created', 'failed']);
    expect(await reasons('torn')).toEqual([[1, 'failed']]);
  });

  it.each(['before the letter', 'after the letter'] as const)(
    'that refuses an order which was paid %s: the order stays paid, and its letter says so',
    async (when) => {
      const saleId = `paid-${when.slice(0, 5).trim()}`;
      await room.openSale(saleId);
      await buy(saleId, 0, 2);
      await room.carry();
      const pay = () => room.ledger.stepOrder(`${saleId}-2`, 'paid');
      room.work({
        service: {
          async post(_saleId, orders) {
            if (when === 'before the letter') await pay();
            return orders.map(({ userId }) =>
              userId === 'u1'
                ? { outcome: 'giveUp', reason: 'failed', detail: 'no such address' }
                : { outcome: 'commit' },
            );
          },
        },
        ledger: {
          ...room.ledger,
          stepOrder: async (orderId, step) => {
            if (when === 'after the letter') await pay();
            return room.ledger.stepOrder(orderId, step);
          },
        },
      });
      await room.drained();
      expect((await room.ledger.orders({ saleId })).map(({ status }) => status)).toEqual(['created', 'paid']);
      expect(await room.letters(saleId)).toMatchObject([
        { index: 1, reason: 'refused_after_payment', detail: 'no such address' },
      ]);
    },
  );

  it('a batch that it refuses is bisected: one poison order blocks nobody', async () => {
    await room.openSale('poison');
    await buy('poison', 0, 8);
    await room.carry();
    room.work({
      service: {
        post: async (_saleId, orders) => {
          if (orders.some(({ userId }) => userId === 'u5')) throw new BatchRefused('the shop answered 400');
          return orders.map(() => ({ outcome: 'commit' }));
        },
      },
    });
    await room.drained();
    expect(await room.letters('poison')).toMatchObject([
      { index: 5, reason: 'failed', detail: 'the shop answered 400' },
    ]);
    expect((await room.ledger.orders({ saleId: 'poison', status: 'created' })).length).toBe(7);
  });

  it('what it does not accept yet delays no others, is posted again, and is announced only then', async () => {
    await room.openSale('late');
    await buy('late', 0, 3);
    await room.carry();
    let refusals = 2;
    const service = shop({
      u1: () =>
        refusals-- > 0 ? { outcome: 'reconsumeLater', detail: 'the shop answered 503' } : { outcome: 'commit' },
    });
    room.work({ service, retryPolicy });
    await eventually(async () => expect(await statuses('late', 'u1')).toEqual(['created']));
    await room.drained();
    expect(service.posted).toEqual([['u0', 'u1', 'u2'], ['u1'], ['u1']]);
    expect([await idsOf('late'), await reasons('late')]).toEqual([reservationIds('late', 1, 4), []]);
  });

  it('[R10] what it never accepts becomes a dead letter; what was ended meanwhile is given to it no more', async () => {
    await room.openSale('never');
    await buy('never', 0, 3);
    await room.carry();
    const not = () => ({ outcome: 'reconsumeLater', detail: 'the shop answered 503' }) as const;
    const service = shop({
      u0: not,
      u2: () => (void room.ledger.stepOrder('never-3', 'timed_out'), not()),
    });
    room.work({ service, retryPolicy });
    await eventually(async () => expect(await reasons('never')).toEqual([[0, 'unavailable']]));
    await room.drained();
    expect((await room.letters('never'))[0]!.detail).toMatch(
      /^tried 4 times in \d+ s; last answer: the shop answered 503$/,
    );
    expect(service.posted.filter((users) => users.includes('u2')).length).toBeLessThan(4);
    expect((await room.ledger.orders({ saleId: 'never' })).map(({ status }) => status)).toEqual([
      'created',
      'created',
      'timed_out',
    ]);
  });
});
