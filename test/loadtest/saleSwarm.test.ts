import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SaleSwarmReport } from '../../src/loadtest/sale/report.ts';
import { renderSaleReport } from '../../src/loadtest/sale/reportText.ts';
import { runSaleSwarm, type SaleSwarmOptions } from '../../src/loadtest/sale/swarm.ts';
import { checkSale, type SaleAudit } from '../../src/loadtest/sale/verdict.ts';
import { reservationId } from '../../src/sale/ids.ts';
import { isBalanced } from '../../src/sale/equation.ts';
import { tokenFor } from '../support/client.ts';
import { freePort } from '../support/freePort.ts';
import { openPayShop } from '../support/servers/payShop.ts';
import { scriptedSale, type ScriptedSale } from '../support/servers/scriptedSale.ts';

const SEED = '5eed'.repeat(16);
const ITEMS = [
  { sku: 'tee', units: 40, price: '19.90' },
  { sku: 'mug', units: 15, price: '9.90', perOrderMax: 2 },
  { sku: 'hat', units: 500, price: '0.00' },
];
const SHARES = { pay: 0.7, cancel: 0.1, repeat: 0.2, hostile: 0.1 };

/** A shop's stand-in, which books a payment at once. */
const openShop = (sale: ScriptedSale, status = 200) =>
  openPayShop((paidId) => {
    if (status === 200) sale.step(paidId, 'paid');
    return status;
  });

const play = (sale: ScriptedSale, options: Partial<SaleSwarmOptions> = {}) =>
  runSaleSwarm({
    url: sale.url,
    saleId: sale.saleId,
    users: 60,
    shares: SHARES,
    tokenFor,
    seed: SEED,
    connectsPerSecond: 2_000,
    reactionMs: { min: 0, max: 50 },
    settleMs: 5_000,
    ...options,
  });

/** The verdict of an honest audit on the sale in memory. */
function auditOf({ model, saleId }: ScriptedSale): SaleAudit {
  const orders = model.reservations.map(({ ordinal, userId, sku, quantity, status }) => ({
    id: reservationId(saleId, ordinal),
    userId,
    sku,
    quantity,
    status,
    price: ITEMS.find((item) => item.sku === sku)!.price,
  }));
  const items = ITEMS.map(({ sku }) => {
    const [units, sold, booked] = [model.units.get(sku)!, model.sold(sku), model.booked(sku)];
    return { sku, units, sold, reserved: booked - sold, pending: 0, left: units - booked, returned: 0 };
  });
  return { saleId, orders, equation: { items, balanced: items.every(isBalanced) } };
}

const counts = (list: { name: string; count: number }[]) =>
  Object.fromEntries(list.map(({ name, count }) => [name, count]));
const sum = (list: { count: number }[]) => list.reduce((all, { count }) => all + count, 0);

test('[R1][R2][R6] buyers buy, pay, cancel or do nothing, and what they were told is what the audit says', async () => {
  const sale = await scriptedSale({ items: ITEMS, perUserMax: 4 });
  const report = await play(sale, { payUrl: await openShop(sale) });
  const audit = auditOf(sale);
  expect(checkSale(report, audit)).toEqual({
    balanced: true,
    sentence: expect.stringMatching(/^The sale adds up: .* every item balances to the unit\.$/) as string,
  });
  expect(counts(report.endings)).toEqual({ done: 60 });
  expect(report.told.reservations).toBe(sale.model.reservations.length);
  expect(report.orders.map(({ reservationId: id }) => id).toSorted()).toEqual(
    audit.orders.map(({ id }) => id).toSorted(),
  );
  // All three intentions occur, and nobody was told another status than the last.
  expect(counts(report.told.statuses)).toEqual({
    paid: expect.any(Number) as number,
    cancelled: expect.any(Number) as number,
    created: expect.any(Number) as number,
  });
  expect(counts(report.payments.results)['accepted']).toBe(counts(report.told.statuses)['paid']);
  expect(counts(report.cancels)).toEqual({ cancelled: counts(report.told.statuses)['cancelled'] });
  expect([report.latencyMs.buy.count, report.latencyMs.pay.count]).toEqual([
    sum(report.purchases),
    counts(report.told.statuses)['paid'],
  ]);
  expect(report.repeats.asked).toBeGreaterThan(5);
  expect(report.hostile.sent).toBeGreaterThan(2);
  // All but the unknown item are no messages of the protocol.
  expect(sale.counts.badFields).toBe(report.hostile.refused);
  expect(report).toMatchObject({ faults: 0, misunderstood: 0, lostConnections: 0 });
  const text = renderSaleReport(report, audit);
  expect(text).toContain('60 buyers in');
  expect(text).toMatch(/Payments: \d+ accepted/);
});

test('the same seed gives the same buyers the same plans', async () => {
  const wishes = async () => {
    const sale = await scriptedSale({
      items: [
        { sku: 'hat', units: 5_000, price: '0.00' },
        { sku: 'tee', units: 5_000, price: '1.00' },
      ],
      perUserMax: 100,
    });
    await play(sale, { users: 20 });
    return sale.model.reservations
      .map(({ userId, sku, quantity, ref }) => `${userId} ${quantity} ${sku} ${ref}`)
      .toSorted();
  };
  const first = await wishes();
  expect(first.length).toBeGreaterThan(20);
  expect(await wishes()).toEqual(first);
});

test('without an address nobody pays, and the report says so', async () => {
  const sale = await scriptedSale({ items: ITEMS });
  const report = await play(sale, { users: 20 });
  expect(report.payments).toEqual({ url: null, results: [{ name: 'skipped', count: expect.any(Number) as number }] });
  expect(sale.model.reservations.some(({ status }) => status === 'paid')).toBe(false);
  expect(renderSaleReport(report)).toContain('Nobody paid: there is no address to pay at (--pay-url).');
  expect(checkSale(report).sentence).toMatch(/not compared with the ledger\.$/);
});

test('a shop that refuses is reported, and the buyers do not wait for a message that cannot come', async () => {
  const sale = await scriptedSale({ items: ITEMS });
  const report = await play(sale, { users: 20, payUrl: await openShop(sale, 503) });
  expect(Object.keys(counts(report.payments.results))).toEqual(['refused_503']);
  expect(report.durationMs).toBeLessThan(5_000);
});

test('nobody begins to pay when less than half of the time is left, so that no payment comes after it', async () => {
  const sale = await scriptedSale({ items: ITEMS, opensAt: Date.now() - 40_000, holdMs: 60_000 });
  const report = await play(sale, { users: 20, payUrl: await openShop(sale) });
  expect(Object.keys(counts(report.payments.results))).toEqual(['too_late']);
  expect(sale.model.reservations.some(({ status }) => status === 'paid')).toBe(false);
});

test('[R6] lost answers, lost connections, "busy" and "too fast" change nothing in what is bought', async () => {
  const sale = await scriptedSale({
    items: ITEMS,
    perUserMax: 4,
    onBuy: (_message, asked) =>
      (
        [
          undefined,
          'cut',
          { code: '-7', retryInMs: 20 },
          undefined,
          { code: '-5', retryInMs: 10 },
          asked % 30 === 5 ? 'lost' : undefined,
        ] as const
      )[asked % 6],
  });
  const report = await play(sale, { users: 40, payUrl: await openShop(sale) });
  expect(checkSale(report, auditOf(sale))).toMatchObject({ balanced: true });
  expect(counts(report.endings)).toEqual({ done: 40 });
  expect(report.lostConnections).toBeGreaterThan(0);
  expect(report.retries.map(({ reason }) => reason).toSorted()).toEqual(['busy', 'too_fast']);
});

test('[R7] nobody buys before the opening; after the end nobody does', async () => {
  const early = await scriptedSale({ items: ITEMS, opensAt: Date.now() + 600 });
  const report = await play(early, { users: 10, shares: { ...SHARES, hostile: 0 } });
  expect(counts(report.endings)).toEqual({ done: 10 });
  expect(counts(report.purchases)['not_started']).toBeUndefined();
  const over = await scriptedSale({ items: ITEMS, opensAt: 1, closesAt: 2 });
  expect(counts((await play(over, { users: 3 })).endings)).toEqual({ ended: 3 });
  expect(over.counts.buys).toBe(0);
});

describe('a swarm that cannot', () => {
  test('find the sale says so', async () => {
    const sale = await scriptedSale({ items: ITEMS });
    expect(counts((await play(sale, { users: 3, saleId: 'nowhere' })).endings)).toEqual({ no_such_sale: 3 });
  });

  test('reach the gateway ends in time, with the reason', async () => {
    const sale = await scriptedSale({ items: ITEMS });
    const port = await freePort();
    const report = await play(sale, { users: 3, url: `ws://127.0.0.1:${port}`, reachMs: 300 });
    expect(report).toMatchObject({
      endings: [{ name: 'aborted', count: 3 }],
      unreached: `connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  test('hear anything from a server that accepts its sockets says so', async () => {
    const sale = await scriptedSale({ items: ITEMS });
    const silent = createServer((socket) => {
      socket.on('error', () => {});
      onTestFinished(() => {
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      silent.close();
    });
    const report = await play(sale, {
      users: 3,
      url: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      reachMs: 300,
    });
    expect(report).toMatchObject({ endings: [{ name: 'aborted', count: 3 }], unreached: 'no answer within 0.3 s' });
  });

  test('get tokens ends with that fault', async () => {
    const sale = await scriptedSale({ items: ITEMS });
    await expect(play(sale, { users: 3, shares: { ...SHARES, pay: 0.95 } })).rejects.toThrow('pay and cancel');
    await expect(play(sale, { users: 0 })).rejects.toThrow('users from 1 to');
    await expect(play(sale, { users: 3, url: 'http://127.0.0.1:1' })).rejects.toThrow('ws://');
  });

  test('go on is aborted, and reports what it saw', async () => {
    const sale = await scriptedSale({ items: ITEMS, opensAt: Date.now() + 60_000 });
    const stop = new AbortController();
    const report = await play(sale, {
      users: 5,
      signal: stop.signal,
      onProgress: ({ connected }) => {
        if (connected === 5) stop.abort();
      },
    });
    expect(counts(report.endings)).toEqual({ aborted: 5 });
  });
});

describe('[R8] an audit that differs from what the buyers were told is named', async () => {
  const order = {
    reservationId: 'autumn-1',
    userId: 'ann',
    sku: 'tee',
    quantity: 2,
    price: '19.90',
    status: 'created',
    payBy: 1,
  } as const;
  const report = {
    saleId: 'autumn',
    faults: 0,
    faultExamples: [],
    purchases: [],
    endings: [],
    orders: [order],
    told: { reservations: 1, buyers: 1 },
  } as unknown as SaleSwarmReport;
  const booked = { id: 'autumn-1', userId: 'ann', sku: 'tee', quantity: 2, price: '19.90', status: 'created' } as const;
  const item = { sku: 'tee', units: 5, sold: 0, reserved: 2, pending: 0, left: 3, returned: 0 };
  const check = (audit: Partial<SaleAudit>, of = report) =>
    checkSale(of, { saleId: 'autumn', orders: [booked], ...audit });

  test('an honest one is not', () =>
    expect(check({ equation: { items: [item], balanced: true } })).toMatchObject({ balanced: true }));

  test.each<[string, Partial<SaleAudit>, string]>([
    ['a lost order', { orders: [] }, 'ann was told autumn-1, and there is no such order'],
    [
      'another quantity',
      { orders: [{ ...booked, quantity: 3 }] },
      'as 2 × tee at 19.90, and the ledger has 3 × tee at 19.90 of ann',
    ],
    ['another user', { orders: [{ ...booked, userId: 'bob' }] }, 'of bob'],
    [
      'an order nobody heard of',
      { orders: [booked, { ...booked, id: 'autumn-2' }] },
      'the ledger has autumn-2 of ann, of which nobody was told',
    ],
    ['another sale', { saleId: 'spring' }, 'the audit is for spring'],
    [
      'an equation that does not hold',
      { equation: { items: [item], balanced: false } },
      'the audit itself does not add up',
    ],
    [
      'more than there are',
      { equation: { items: [{ ...item, units: 1 }], balanced: true } },
      '2 of 1 units of tee are in orders',
    ],
    [
      'fewer than are held',
      { equation: { items: [{ ...item, reserved: 1 }], balanced: true } },
      'the audit counts 1 units of tee in orders, and the orders hold 2',
    ],
  ])('%s', (_what, audit, problem) => {
    const verdict = check(audit);
    expect(verdict.balanced).toBe(false);
    expect(verdict.sentence).toContain(problem);
  });

  test('a status that an order cannot have left', () => {
    const paid = { ...report, orders: [{ ...order, status: 'paid' as const }] };
    expect(check({ orders: [{ ...booked, status: 'timed_out' }] }, paid).sentence).toContain(
      'ann was told that autumn-1 is paid, and in the ledger it is timed_out',
    );
    expect(check({ orders: [{ ...booked, status: 'refunded' }] }, paid).balanced).toBe(true);
    expect(check({ orders: [{ ...booked, status: 'timed_out' }] }).balanced).toBe(true);
  });

  test('an order of a purchase without an answer is none of it', () => {
    const unheard = { ...report, purchases: [{ name: 'unanswered', count: 1 }] };
    expect(check({ orders: [booked, { ...booked, id: 'autumn-2' }] }, unheard).balanced).toBe(true);
  });

  test('messages that contradict each other are named without an audit, too', () => {
    const faulty = { ...report, faults: 3, faultExamples: ['autumn-1 was told to ann and to bob'] };
    expect(checkSale(faulty).sentence).toBe(
      'The sale does NOT add up: 1 buyer was told 1 reservation; autumn-1 was told to ann and to bob; and 2 more faults of this kind.',
    );
  });
});
