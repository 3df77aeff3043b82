import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OrderMessage } from '../../src/protocol/saleMessages.ts';
import { ORDER_STATUSES } from '../../src/sale/order.ts';
import { buy, order, sit, snapshot, TEE } from './saleDialogue.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_500 }));
afterEach(() => void vi.useRealTimers());

describe('orders', () => {
  test('each change is told once; what a later status has overtaken is not told', () => {
    const { session, told } = sit();
    const tell = (more: Partial<OrderMessage>) => session.receiveOrder(order('1', { ...TEE, ...more }));
    for (const place of [9, 9, 4]) tell({ place });
    for (const status of ['created', 'reserved', 'created', 'paid', 'created', 'paid', 'refunded', 'paid'] as const)
      tell({ status });
    expect(told.orders.map(({ status, place }) => [status, place])).toEqual([
      ['reserved', 9],
      ['reserved', 4],
      ['created', undefined],
      ['paid', undefined],
      ['refunded', undefined],
    ]);
    expect(session.orders).toEqual([{ ...TEE, status: 'refunded' }]);
  });

  test('a change need not repeat what never changes; of an unknown order it says too little', () => {
    const { session, told } = sit();
    session.receiveOrder(order('1', { ...TEE, payUrl: 'https://shop.example/pay' }));
    session.receiveOrder(order('1', { reservationId: 'autumn-7', status: 'paid' }));
    session.receiveOrder(order('1', { reservationId: 'autumn-8', status: 'paid' }));
    expect(told.orders.at(-1)).toEqual({ ...TEE, status: 'paid', payUrl: 'https://shop.example/pay' });
    expect(session.orders).toHaveLength(1);
  });

  test('of an unknown order a change says too little, so a visit asks what was bought, once a connection; a purchase on its way to be cancelled is not concerned', async () => {
    const { session, of } = sit();
    session.receiveOrder(order('1', TEE));
    const cancelled = session.cancel('autumn-7', undefined);
    for (const status of ['created', 'created', 'paid'] as const)
      session.receiveOrder(order('1', { reservationId: 'autumn-8', status }));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(of('visit')).toHaveLength(2);
    session.receiveOrder(order('1', { reservationId: 'autumn-8', status: 'paid' }));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(of('visit')).toHaveLength(2);
    session.connected();
    session.receiveOrder(order('1', { reservationId: 'autumn-8', status: 'paid' }));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(of('visit')).toHaveLength(4);
    session.receiveOrder(order('1', { ...TEE, status: 'cancelled' }));
    expect(await cancelled).toMatchObject({ kind: 'cancelled', reservationId: 'autumn-7' });
  });

  test('belong to one user: another one starts without them, and without the requests', async () => {
    const { session, buys } = sit();
    session.receiveOrder(order('1', TEE));
    const [bought, cancelled] = [buy(session), session.cancel('autumn-7', undefined)];
    session.forget();
    expect([await bought, await cancelled]).toEqual([{ kind: 'unanswered' }, { kind: 'unanswered' }]);
    expect(session.orders).toEqual([]);
    void buy(session);
    expect(buys()[1]!.ref).not.toBe(buys()[0]!.ref);
  });
});

describe('to cancel', () => {
  test.each(ORDER_STATUSES.filter((status) => status !== 'reserved' && status !== 'created'))(
    'ends with what the order has become: %s',
    async (status) => {
      const { session, of } = sit();
      session.receiveOrder(order('1', TEE));
      const outcome = session.cancel('autumn-7', undefined);
      expect(of('cancel')).toEqual([{ type: 'cancel', saleId: 'autumn', reservationId: 'autumn-7' }]);
      session.receiveOrder(order('1', { ...TEE, status: 'created' }));
      session.receiveOrder(order('1', { ...TEE, status }));
      expect(await outcome).toEqual({ ...TEE, status, kind: status });
      vi.advanceTimersByTime(60_000);
      expect(of('cancel')).toHaveLength(1);
    },
  );

  test('is asked again while nothing is decided, after "busy", and over a new connection', async () => {
    const { session, of } = sit();
    const outcome = session.cancel('autumn-7', undefined);
    vi.advanceTimersByTime(3_000);
    session.receiveOrder(order('-7', { reservationId: 'autumn-7', retryInMs: 100 }));
    vi.advanceTimersByTime(100);
    session.connected();
    expect(of('cancel')).toHaveLength(4);
    session.receiveOrder(order('1', { ...TEE, status: 'cancelled' }));
    expect(await outcome).toMatchObject({ kind: 'cancelled' });
  });

  test('without an answer ends as unanswered; refused, with the reason', async () => {
    const { session } = sit();
    const slow = session.cancel('autumn-7', undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await slow).toEqual({ kind: 'unanswered' });
    const [mine, gone] = [session.cancel('autumn-8', undefined), session.cancel('autumn-9', undefined)];
    session.receiveOrder(order('-14', { reservationId: 'autumn-8' }));
    expect(await mine).toEqual({ kind: 'no_such_item' });
    session.receiveOrder(order('-8'));
    expect(await gone).toEqual({ kind: 'no_such_sale' });
  });
});

describe('a visit', () => {
  test('is answered by the snapshot, or by why there is none', async () => {
    const { session } = sit();
    const visited = session.visit();
    session.receiveOrder(order('-8'));
    expect(await visited).toEqual({ kind: 'refused', code: '-8', reason: 'no_such_sale' });
    session.receiveSale(snapshot());
    expect(await session.visit()).toMatchObject({ kind: 'visited', sale: { saleId: 'autumn', state: 'open' } });
  });

  test.each([
    [700, 700],
    [undefined, 1_500],
    [1e9, 60_000],
  ])('that is put off by %s ms comes again after %s, unless the line is gone', (retryInMs, afterMs) => {
    const { session, of } = sit();
    session.receiveOrder(order('-7', retryInMs === undefined ? {} : { retryInMs }));
    vi.advanceTimersByTime(afterMs - 1);
    expect(of('visit')).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(of('visit')).toHaveLength(2);
    session.receiveOrder(order('-7'));
    session.disconnected();
    vi.advanceTimersByTime(60_000);
    expect(of('visit')).toHaveLength(2);
  });

  test("[R7] between two snapshots the sale opens and ends by the server's clock", () => {
    const { session } = sit();
    expect(session.sale).toBeUndefined();
    session.receiveSale(snapshot({ opensAt: 2_000, closesAt: 3_000 }));
    const states = [1_999, 2_000, 3_000].map((now) => {
      vi.setSystemTime(now);
      return session.sale?.state;
    });
    expect(states).toEqual(['loaded', 'open', 'closed']);
  });

  test('after the end carries no ticket any more', () => {
    const { session, of } = sit();
    session.receiveTicket({ type: 'ticket', rainId: 'autumn', saleId: 'autumn', ticket: 'mine', expiresAt: 900_000 });
    session.connected();
    expect(of('visit').at(-1)).toMatchObject({ ticket: 'mine' });
    session.receiveSale(snapshot({ state: 'closed' }));
    session.connected();
    expect(of('visit').at(-1)).toEqual({ type: 'visit', saleId: 'autumn' });
  });
});

test('a phone that has slept visits again, and repeats a purchase whose pause is over', async () => {
  const { session, of, buys, answer } = sit();
  void buy(session);
  await vi.advanceTimersByTimeAsync(0);
  answer('-7', { retryInMs: 20_000 });
  session.wake();
  expect([of('visit').length, buys().length]).toEqual([2, 1]);
  vi.setSystemTime(Date.now() + 30_000);
  session.wake();
  expect([of('visit').length, buys().length]).toEqual([3, 2]);
});
