import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SALE_OUTCOMES_IN_ORDER, type SaleOutcomeCode } from '../../src/protocol/saleOutcomes.ts';
import { buy, order, sit, snapshot, TEE } from './saleDialogue.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_500 }));
afterEach(() => void vi.useRealTimers());

describe('[R6] a purchase is bought once', () => {
  test('a reservation answers it', async () => {
    const { session, buys, told, answer } = sit();
    const outcome = buy(session);
    expect(buys()).toEqual([
      {
        type: 'buy',
        saleId: 'autumn',
        sku: 'tee',
        quantity: 1,
        ref: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      },
    ]);
    answer('0', { ...TEE, place: 3 });
    expect(await outcome).toEqual({ kind: 'reserved', ...TEE, place: 3 });
    expect(told.orders).toEqual([{ ...TEE, place: 3 }]);
    expect(session.orders).toEqual(told.orders);
    vi.advanceTimersByTime(60_000);
    expect(buys()).toHaveLength(1);
  });

  test('without an answer it is asked again, with the same ref, and a repeated answer is its own', async () => {
    const { session, buys, answer } = sit();
    const outcome = buy(session, { ref: 'mine' });
    vi.advanceTimersByTime(3_000);
    expect(buys().map(({ ref }) => ref)).toEqual(['mine', 'mine']);
    answer('1', { ...TEE, status: 'created' });
    expect(await outcome).toMatchObject({ kind: 'reserved', status: 'created' });
  });

  test('with a ref that was answered before, the first answer comes again', async () => {
    const { session, answer } = sit();
    const outcome = buy(session, { ref: 'mine' });
    answer('1', { ...TEE, status: 'timed_out' });
    expect(await outcome).toMatchObject({ kind: 'already_reserved', status: 'timed_out', reservationId: 'autumn-7' });
  });

  test.each([
    ['-7', 700, 700],
    ['-5', 150, 150],
    ['-7', undefined, 450],
  ] as const)('after %s with a pause of %s it is asked again with the same ref', async (code, retryInMs, afterMs) => {
    const { session, buys, told, answer } = sit();
    const outcome = buy(session);
    answer(code, retryInMs === undefined ? {} : { retryInMs });
    vi.advanceTimersByTime(afterMs - 1);
    expect(buys()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(new Set(buys().map(({ ref }) => ref)).size).toBe(1);
    expect(buys()).toHaveLength(2);
    answer('0', TEE);
    expect(await outcome).toMatchObject({ kind: 'reserved' });
    expect(told.buying).toEqual(['sent', code, 'sent']);
  });

  test('over a new connection it is asked again with the same ref, after the visit', async () => {
    const { session, sent, buys, line, answer } = sit();
    const outcome = buy(session);
    line.up = false;
    session.disconnected();
    line.up = true;
    session.connected();
    expect(sent.map(({ type }) => type)).toEqual(['visit', 'buy', 'visit', 'buy']);
    expect(buys()[1]!.ref).toBe(buys()[0]!.ref);
    answer('1', TEE);
    expect(await outcome).toMatchObject({ kind: 'reserved' });
  });

  test('without a connection it waits for one', async () => {
    const { session, buys, line, answer } = sit();
    line.up = false;
    const outcome = buy(session);
    vi.advanceTimersByTime(60_000);
    line.up = true;
    session.connected();
    expect(buys()).toHaveLength(1);
    answer('0', TEE);
    expect(await outcome).toMatchObject({ kind: 'reserved' });
  });

  test('unanswered it ends after a bounded number of attempts; the same wish keeps its ref until it is answered', async () => {
    const { session, buys, answer } = sit();
    const outcome = buy(session);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toEqual({ kind: 'unanswered' });
    const attempts = buys().length;
    expect(attempts).toBe(12);
    const again = buy(session);
    expect(buys().at(-1)!.ref).toBe(buys()[0]!.ref);
    answer('1', TEE);
    // The client made the ref, so nobody else has bought with it.
    expect(await again).toMatchObject({ kind: 'reserved' });
    void buy(session);
    expect(buys().at(-1)!.ref).not.toBe(buys()[0]!.ref);
  });

  test('given up it keeps its ref, and a reservation that comes all the same is an order', async () => {
    const { session, buys, told } = sit();
    const stop = new AbortController();
    const outcome = session.buy({ sku: 'tee' }, stop.signal);
    stop.abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    void buy(session);
    expect(buys()[1]!.ref).toBe(buys()[0]!.ref);
    session.receiveOrder(order('0', { ...TEE, ref: buys()[0]!.ref! }));
    expect(told.orders).toEqual([TEE]);
    await expect(session.buy({ sku: 'tee' }, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(buys()).toHaveLength(2);
  });

  test('two calls for the same are one request; another quantity is another purchase', async () => {
    const { session, buys, answer } = sit();
    const [one, two] = [buy(session), buy(session)];
    expect(buys()).toHaveLength(1);
    void buy(session, { quantity: 2 });
    expect(buys()).toHaveLength(2);
    session.receiveOrder(order('0', { ...TEE, ref: buys()[0]!.ref! }));
    expect(await one).toEqual(await two);
    answer('-13');
  });

  test('the answer of one purchase does not answer another', async () => {
    const { session, buys } = sit();
    const [tee, mug] = [buy(session), buy(session, { sku: 'mug' })];
    session.receiveOrder(order('-1', { ref: buys()[1]!.ref! }));
    expect(await mug).toEqual({ kind: 'sold_out' });
    session.receiveOrder(order('0', { ...TEE, ref: buys()[0]!.ref! }));
    expect(await tee).toMatchObject({ kind: 'reserved' });
  });
});

describe('what ends a purchase without a reservation', () => {
  const ends = SALE_OUTCOMES_IN_ORDER.filter(
    ({ code, retry }) => code.startsWith('-') && (retry === 'no' || retry === 'when it resumes'),
  );
  test.each(ends.map(({ code, reason }) => [code, reason] as const))('%s is %s, at once', async (code, reason) => {
    const { session, buys, answer } = sit();
    const outcome = buy(session);
    answer(code, code === '-12' ? { backAt: 9_000 } : {});
    expect(await outcome).toEqual({ kind: reason, ...(code === '-12' && { backAt: 9_000 }) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(buys()).toHaveLength(1);
  });

  test.each([
    [2_001, 'not_started', 1],
    [1_000, undefined, 2],
  ] as const)('not started, %s ms early: %s', async (early, kind, asked) => {
    const { session, buys, answer } = sit();
    session.receiveSale(snapshot({ opensAt: 1_500 + early }));
    let outcome: unknown;
    void buy(session).then((one) => {
      outcome = one;
    });
    answer('-2');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(outcome).toEqual(kind && { kind });
    expect(buys()).toHaveLength(asked);
  });

  test('a code of a newer server is passed on; one with a pause is asked again', async () => {
    const { session, buys, answer } = sit();
    const outcome = buy(session);
    session.receiveOrder({ ...order('-7', { ref: buys()[0]!.ref!, retryInMs: 10 }), code: '-99' as SaleOutcomeCode });
    vi.advanceTimersByTime(10);
    expect(buys()).toHaveLength(2);
    session.receiveOrder({
      ...order('-7', { ref: buys()[0]!.ref! }),
      code: '-98' as SaleOutcomeCode,
      reason: 'full_moon',
    });
    expect(await outcome).toEqual({ kind: 'unknown', code: '-98', reason: 'full_moon' });
    void buy(session);
    answer('-1');
  });

  test('a missing ticket is fetched by a new visit', () => {
    const { session, buys, of, answer } = sit();
    void buy(session);
    answer('-9');
    expect(of('visit')).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(buys()).toHaveLength(1);
    session.receiveTicket({ type: 'ticket', rainId: 'autumn', saleId: 'autumn', ticket: 'mine', expiresAt: 900_000 });
    vi.advanceTimersByTime(50);
    expect(buys()[1]).toMatchObject({ ticket: 'mine', ref: buys()[0]!.ref });
  });

  test.each([
    [{ sku: 'te e' }, 'sku: expected a SKU of 1 to 32'],
    [{ sku: 7 as unknown as string }, 'sku: '],
    ...[0, -10, 1.5, 1e16, NaN, '2' as unknown as number].map(
      (quantity) => [{ quantity }, 'quantity: expected a whole number from 1 to 1000'] as const,
    ),
    [{ ref: 'a b' }, 'ref: expected 1 to 64 letters'],
    [{ ref: '' }, 'ref: '],
  ] as const)('[R12] %j is no purchase: nothing is sent', async (purchase, reason) => {
    const { session, buys } = sit();
    await expect(buy(session, purchase)).rejects.toThrow(reason);
    expect(buys()).toEqual([]);
  });

  test('[R10] no more than 20 purchases without an answer', async () => {
    const { session, buys, answer } = sit();
    for (let i = 0; i < 20; i++) void buy(session, { ref: `r${i}` });
    await expect(buy(session, { ref: 'one-more' })).rejects.toThrow('20 purchases in this sale have no answer yet');
    answer('-1');
    void buy(session, { ref: 'one-more' });
    expect(buys()).toHaveLength(21);
  });
});
