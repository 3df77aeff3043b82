import { beforeAll, describe, expect, it } from 'vitest';
import type { Reservation } from '../../src/sale/reservation.ts';
import type { NewSale } from '../../src/ledger/sales.ts';
import { refused, type OpenBook } from './openBook.ts';

let NOW = Date.now();

/**
 * To be called before the first test of each file: a module stays for the files after it, and its moment would be
 * minutes old.
 */
export function startClock(): void {
  NOW = Date.now();
}

export function newSale(id: string, differing: Partial<NewSale> = {}): NewSale {
  return {
    id,
    title: `sale ${id}`,
    opensAt: NOW - 60_000,
    closesAt: NOW + 600_000,
    holdMs: 60_000,
    orderService: 'builtin',
    items: [
      { sku: 'tee', units: 10, price: '19.90', perOrderMax: 3 },
      { sku: 'mug', units: 5, price: '0.00', name: 'A mug', listPrice: '9.90' },
    ],
    ...differing,
  };
}

/** The n-th reservation of a sale: user n reserves one tee. */
export function reservationOf(saleId: string, n: number, differing: Partial<Reservation> = {}): Reservation {
  return {
    saleId,
    reservationId: `${saleId}-${n}`,
    userId: `u${n}`,
    sku: 'tee',
    quantity: 1,
    price: '19.90',
    at: String(NOW),
    payBy: String(NOW + 60_000),
    ...differing,
  };
}

/** Sales, orders and stock. */
export function salesContract(book: OpenBook): void {
  beforeAll(startClock);
  const places = async (saleId: string, sku = 'tee') => {
    const item = (await book.ledger.stock(saleId)).find((one) => one.sku === sku)!;
    expect(item.accounts).toEqual(item.transfers);
    expect(Object.values(item.accounts).reduce((sum, units) => sum + units, 0)).toBe(0);
    return item.accounts;
  };
  const refusedFor = (code: string) => (error: unknown) => {
    refused(code)(error);
    return true;
  };

  describe('a sale', () => {
    it('puts the units of its items into the stock once, however often it is created', async () => {
      expect(await book.ledger.createSale(newSale('spring'), 'ann')).toEqual({ outcome: 'created' });
      expect(await book.ledger.createSale(newSale('spring'), 'ann')).toEqual({ outcome: 'exists' });
      expect(
        await book.ledger.createSale(
          newSale('spring', { holdMs: 5, items: [{ sku: 'tee', units: 11, price: '19.90' }] }),
          'ann',
        ),
      ).toEqual({ outcome: 'differs', fields: ['holdMs', 'items'] });
      expect(await places('spring')).toEqual({ shop: -10, available: 10, reserved: 0, sold: 0 });
      expect(await book.ledger.sale('spring')).toMatchObject({
        items: [
          { sku: 'tee', units: 10, price: '19.90', perOrderMax: 3 },
          { sku: 'mug', price: '0.00', listPrice: '9.90' },
        ],
        topUps: [],
      });
    });

    it('gets more units once, and none when it is sealed', async () => {
      await book.ledger.createSale(newSale('more'), 'ann');
      const add = (units = 7) =>
        book.ledger.addStock({ id: 'more/1', saleId: 'more', sku: 'tee', units }, 'ann', 1_000);
      expect(await add()).toMatchObject({ outcome: 'added', topUp: { ordinal: 1 } });
      expect(await add()).toMatchObject({ outcome: 'exists' });
      expect(await add(8)).toEqual({ outcome: 'differs', fields: ['units'] });
      expect(await book.ledger.addStock({ id: 'more/2', saleId: 'more', sku: 'hat', units: 1 }, 'ann', 1_000)).toEqual({
        outcome: 'no_item',
      });
      expect(
        await book.ledger.addStock({ id: 'more/2', saleId: 'more', sku: 'tee', units: 984 }, 'ann', 1_000),
      ).toEqual({ outcome: 'too_much' });
      expect(await places('more')).toMatchObject({ shop: -17, available: 17 });
      await book.ledger.sealSale('more');
      expect(await book.ledger.addStock({ id: 'more/2', saleId: 'more', sku: 'tee', units: 1 }, 'ann', 1_000)).toEqual({
        outcome: 'sealed',
      });
      expect(await book.ledger.createSale(newSale('more'), 'ann')).toEqual({ outcome: 'exists' });
    });
  });

  describe('an order', () => {
    it('[R5] delivered twice, in overlapping batches, is written once and takes its units once', async () => {
      await book.ledger.createSale(newSale('once'), 'ann');
      const all = Array.from({ length: 6 }, (_, n) => reservationOf('once', n + 1));
      const outcomes = async (some: Reservation[]) =>
        (await book.ledger.writeOrders(some)).map(({ outcome }) => outcome);
      expect(await outcomes(all.slice(0, 4))).toEqual(Array(4).fill('created'));
      expect(await outcomes(all.slice(2))).toEqual(['already', 'already', 'created', 'created']);
      expect(await outcomes([{ ...all[0]!, userId: 'thief' }])).toEqual(['differs']);
      expect(await places('once')).toEqual({ shop: -10, available: 4, reserved: 6, sold: 0 });
    });

    it.each<[string, Partial<Reservation>]>([
      ['for an item that the sale does not have', { sku: 'hat' }],
      ['at another price', { price: '0.01' }],
      ['of more than an order may have', { quantity: 4 }],
      ['of less than one', { quantity: 0 }],
      ['of less than nothing', { quantity: -10 }],
      ['with the id of another sale', { reservationId: 'other-9' }],
    ])('[R14] %s is refused, and the stock is unchanged', async (_, differing) => {
      if (!(await book.ledger.sale('strict'))) await book.ledger.createSale(newSale('strict'), 'ann');
      await expect(
        book.ledger.writeOrders([reservationOf('strict', 1), reservationOf('strict', 9, differing)]),
      ).rejects.toThrow();
      expect(await places('strict')).toEqual({ shop: -10, available: 10, reserved: 0, sold: 0 });
    });

    it('beyond the stock is refused by the database', async () => {
      await book.ledger.createSale(newSale('small', { items: [{ sku: 'tee', units: 2, price: '19.90' }] }), 'ann');
      await expect(book.ledger.writeOrders([1, 2, 3].map((n) => reservationOf('small', n)))).rejects.toSatisfy(
        refusedFor('23514'),
      );
      expect(await places('small')).toEqual({ shop: -2, available: 2, reserved: 0, sold: 0 });
    });

    it('goes along its steps only, and its units with it', async () => {
      await book.ledger.createSale(newSale('life'), 'ann');
      await book.ledger.writeOrders([1, 2, 3, 4].map((n) => reservationOf('life', n)));
      const step = async (n: number, to: Parameters<typeof book.ledger.stepOrder>[1]) =>
        (await book.ledger.stepOrder(`life-${n}`, to)).outcome;
      expect([
        await step(1, 'paid'),
        await step(1, 'paid'),
        await step(1, 'timed_out'),
        await step(1, 'cancelled'),
      ]).toEqual(['done', 'was', 'refused', 'refused']);
      expect([
        await step(2, 'cancelled'),
        await step(2, 'paid'),
        await step(3, 'failed'),
        await step(9, 'paid'),
        await step(4, 'refunded'),
      ]).toEqual(['done', 'refused', 'done', 'no_order', 'refused']);
      expect(await places('life')).toEqual({ shop: -10, available: 8, reserved: 1, sold: 1 });
      expect(await step(1, 'refunded')).toBe('done');
      expect(await places('life')).toEqual({ shop: -10, available: 9, reserved: 1, sold: 0 });
      expect(
        (await book.ledger.unfollowedOrders('life', 10)).map(({ id, status, toStock }) => [id, status, toStock]),
      ).toEqual([
        ['life-2', 'cancelled', true],
        ['life-3', 'failed', true],
        ['life-1', 'refunded', true],
      ]);
      await book.ledger.markFollowed([
        { id: 'life-2', status: 'cancelled' },
        { id: 'life-1', status: 'paid' },
      ]);
      expect((await book.ledger.unfollowedOrders('life', 10)).map(({ id }) => id)).toEqual(['life-3', 'life-1']);
    });

    it('of 40 payments against 40 time-outs at the same moment exactly one side wins each', async () => {
      await book.ledger.createSale(newSale('race', { items: [{ sku: 'tee', units: 40, price: '19.90' }] }), 'ann');
      await book.ledger.writeOrders(
        Array.from({ length: 40 }, (_, n) => reservationOf('race', n + 1, { at: String(NOW - 60_001) })),
      );
      const [, ...paid] = await Promise.all([
        Promise.all(Array.from({ length: 8 }, () => book.ledger.expireOrders(10))),
        ...Array.from({ length: 40 }, (_, n) => book.ledger.stepOrder(`race-${n + 1}`, 'paid')),
      ]);
      // Orders of this sale: on a slow machine those of other tests are due, too.
      const timedOut = (await book.ledger.orders({ saleId: 'race', status: 'timed_out' })).length;
      const done = paid.filter(({ outcome }) => outcome === 'done').length;
      expect(timedOut + done).toBe(40);
      expect(await places('race')).toEqual({ shop: -40, available: timedOut, reserved: 0, sold: done });
    });

    it('that comes back after the end of the sale goes to the shop; what was left does, too, when it is settled', async () => {
      await book.ledger.createSale(newSale('over', { closesAt: NOW - 1 }), 'ann');
      await book.ledger.writeOrders([1, 2, 3].map((n) => reservationOf('over', n)));
      await book.ledger.stepOrder('over-1', 'paid');
      await book.ledger.stepOrder('over-2', 'paid');
      await expect(book.ledger.settleSale('over')).rejects.toSatisfy(refusedFor('23514'));
      expect(await book.ledger.countOrders(['over'])).toEqual(new Map([['over', 3]]));
      await book.ledger.stepOrder('over-3', 'timed_out');
      await book.ledger.stepOrder('over-1', 'refunded');
      expect(await places('over')).toEqual({ shop: -8, available: 7, reserved: 0, sold: 1 });
      expect((await book.ledger.unfollowedOrders('over', 10)).map(({ id, toStock }) => [id, toStock])).toEqual([
        ['over-2', false],
        ['over-3', false],
        ['over-1', false],
      ]);
      await book.ledger.settleSale('over');
      await book.ledger.settleSale('over');
      expect(await places('over')).toEqual({ shop: -1, available: 0, reserved: 0, sold: 1 });
      expect(await book.database.sale.findMany({ where: { id: 'over' }, select: { orders: true } })).toEqual([
        { orders: 3 },
      ]);
      expect(await book.ledger.countOrders(['over', 'nobodys'])).toEqual(new Map([['over', 3]]));
      await book.ledger.stepOrder('over-2', 'refunded');
      expect(await places('over')).toEqual({ shop: 0, available: 0, reserved: 0, sold: 0 });
    });

    it('moves stock in no other way: not by hand, and nothing that is written changes', async () => {
      await book.ledger.createSale(newSale('firm'), 'ann');
      await book.ledger.writeOrders([reservationOf('firm', 1)]);
      for (const sql of [
        `INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units") VALUES ('supply:x', 'firm', 'tee', 'shop', 'available', 5)`,
        `UPDATE "StockTransfer" SET "units" = 9`,
        `DELETE FROM "StockTransfer"`,
        `UPDATE "StockAccount" SET "units" = "units" + 1 WHERE "saleId" = 'firm'`,
        `DELETE FROM "SaleOrder"`,
        `UPDATE "SaleOrder" SET "quantity" = 2 WHERE "saleId" = 'firm'`,
        `UPDATE "SaleOrder" SET "userId" = 'thief' WHERE "saleId" = 'firm'`,
        `UPDATE "SaleOrder" SET "status" = 'refunded' WHERE "saleId" = 'firm'`,
        `DELETE FROM "SaleItem"`,
        `UPDATE "SaleTopUp" SET "units" = 1`,
        `UPDATE "SaleItem" SET "priceCents" = 1 WHERE "saleId" = 'firm' AND "sku" = 'tee'`,
      ])
        await expect(book.database.$executeRawUnsafe(sql), sql).rejects.toThrow();
      expect(await places('firm')).toEqual({ shop: -10, available: 9, reserved: 1, sold: 0 });
    });
  });
}
