import { beforeAll, describe, expect, it } from 'vitest';
import type { NewSale } from '../../src/ledger/sales.ts';
import type { NewRefusal } from '../../src/ledger/refusals.ts';
import type { Reservation } from '../../src/sale/reservation.ts';
import { newSale, reservationOf, startClock } from './contract-sales.ts';
import { refused, type OpenBook } from './openBook.ts';

const HOUR_MS = 3_600_000;

/** Orders that the ledger refuses by itself, whatever Redis says of limits and times. */
export function saleLimitsContract(book: OpenBook): void {
  beforeAll(startClock);
  const refusedFor = (code: string) => (error: unknown) => {
    refused(code)(error);
    return true;
  };
  const open = async (id: string, differing?: Partial<NewSale>) =>
    expect(await book.ledger.createSale(newSale(id, differing), 'ann')).toEqual({ outcome: 'created' });
  const TEES_AND_MUGS: Partial<NewSale> = {
    items: [
      { sku: 'tee', units: 50, price: '19.90', perUserMax: 2 },
      { sku: 'mug', units: 50, price: '9.90' },
    ],
    perUserMax: 3,
  };
  const of = (id: string, n: number, differing: Partial<Reservation> = {}) =>
    reservationOf(id, n, { userId: 'ann', ...differing });
  const mug = (id: string, n: number, differing: Partial<Reservation> = {}) =>
    of(id, n, { sku: 'mug', price: '9.90', ...differing });
  const idsOf = async (saleId: string) => (await book.ledger.orders({ saleId })).map(({ id }) => id);

  describe('the deadline of an order', () => {
    it.each([
      ['a hundred years', 3_155_760_000_000],
      ['a second', 1_000],
    ])('is that of the sale, and not %s, whatever the reservation says', async (word, ms) => {
      const id = word.replaceAll(' ', '-');
      await open(id);
      const [reserved] = [of(id, 1)];
      await book.ledger.writeOrders([{ ...reserved!, payBy: String(Number(reserved!.at) + ms) }]);
      expect((await book.ledger.order(`${id}-1`))!.payBy).toBe(Number(reserved!.at) + 60_000);
    });

    it('cannot be chosen by whoever writes orders', async () => {
      await open('chosen');
      const insert = (payBy: string) =>
        book.database.$executeRawUnsafe(
          `INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy") VALUES ('chosen-1', 'chosen', 'ann', 'tee', 1, 1990, now(), ${payBy})`,
        );
      for (const payBy of [`now() + interval '100 years'`, `now() + interval '1 second'`])
        await expect(insert(payBy)).rejects.toSatisfy(refusedFor('23R02'));
      expect(await insert(`now() + interval '1 minute'`)).toBe(1);
    });

    it.each(['repair', 'start'] as const)(
      'cannot be moved into the future by a record of another window, as that of a %s',
      async (verb) => {
        await open(`moved-${verb}`);
        const [opensAt, closesAt] = [HOUR_MS, 3 * HOUR_MS].map((ms) => Date.now() + ms);
        await book.ledger.record({
          actor: 'ann',
          verb,
          rainId: `moved-${verb}`,
          details: { opensAt: new Date(opensAt!).toISOString(), closesAt: new Date(closesAt!).toISOString() },
        });
        await expect(
          book.ledger.writeOrders([of(`moved-${verb}`, 1, { at: String(opensAt! + HOUR_MS) })]),
        ).rejects.toSatisfy(refusedFor('23R02'));
      },
    );
  });

  it('a reservation of a time at which the sale was not open is refused; a minute between clocks, and a window that was planned before, are not', async () => {
    const { opensAt, closesAt } = newSale('open');
    await open('open');
    for (const at of [opensAt - 61_000, closesAt + 61_000])
      await expect(book.ledger.writeOrders([of('open', 1, { at: String(at) })])).rejects.toSatisfy(refusedFor('23R02'));
    await book.ledger.writeOrders([of('open', 1, { at: String(opensAt - 59_000) })]);
    await book.ledger.rescheduleSale(
      'open',
      { opensAt: opensAt + HOUR_MS, closesAt: closesAt + HOUR_MS },
      { actor: 'ann', verb: 'start' },
      { opensAt, closesAt },
    );
    await book.ledger.writeOrders([of('open', 2)]);
    expect(await idsOf('open')).toEqual(['open-1', 'open-2']);
  });

  describe('the limits of a user', () => {
    it('of an item and of the sale are held by the database, and what was given back counts no more', async () => {
      await open('limits', TEES_AND_MUGS);
      await book.ledger.writeOrders([of('limits', 1, { quantity: 2 })]);
      await expect(book.ledger.writeOrders([of('limits', 2)])).rejects.toSatisfy(refusedFor('23R01'));
      await expect(book.ledger.writeOrders([mug('limits', 2, { quantity: 2 })])).rejects.toSatisfy(refusedFor('23R01'));
      await book.ledger.writeOrders([mug('limits', 2), reservationOf('limits', 3, { userId: 'bob', quantity: 2 })]);
      await expect(book.ledger.writeOrders([mug('limits', 4)])).rejects.toSatisfy(refusedFor('23R01'));
      await book.ledger.stepOrder('limits-1', 'cancelled');
      await book.ledger.writeOrders([mug('limits', 4, { quantity: 2 })]);
      expect(await idsOf('limits')).toEqual(['limits-1', 'limits-2', 'limits-3', 'limits-4']);
    });

    it('hold for orders of two items that are written at one moment, too', async () => {
      await open('twins', TEES_AND_MUGS);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          book.ledger.writeOrders([n % 2 === 0 ? of('twins', n + 1) : mug('twins', n + 1)]),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(3);
      expect((await book.ledger.stockFaults('twins')).beyond).toEqual([]);
    });

    it('over the sales of a campaign are held by the database', async () => {
      await book.ledger.createCampaign(
        { id: 'autumn', title: 'Autumn', winsPerUserMax: 2, shards: 1, rollOver: false },
        'ann',
      );
      for (const round of [1, 2]) await open(`autumn.${round}`, { campaign: { id: 'autumn', round } });
      await book.ledger.writeOrders([of('autumn.1', 1)]);
      await book.ledger.writeOrders([of('autumn.2', 1)]);
      await expect(book.ledger.writeOrders([of('autumn.2', 2)])).rejects.toSatisfy(refusedFor('23R01'));
      await book.ledger.writeOrders([of('autumn.2', 2, { userId: 'bob' })]);
    });
  });

  describe('a user who is excluded from a campaign', () => {
    const MINUTE_MS = 60_000;
    /** @param minutes how long ago */
    const exclude = async (campaignId: string, minutes: number) => {
      expect(await book.ledger.exclude(campaignId, ['ann'], 'opal')).toBe(1);
      await book.database
        .$executeRaw`UPDATE "CampaignExclusion" SET "excludedAt" = now() - ${minutes} * interval '1 minute' WHERE "campaignId" = ${campaignId}`;
    };
    const openRound = async (campaignId: string, differing?: Partial<NewSale>) => {
      await book.ledger.createCampaign(
        { id: campaignId, title: campaignId, winsPerUserMax: 5, shards: 1, rollOver: false },
        'ann',
      );
      await open(`${campaignId}.1`, { campaign: { id: campaignId, round: 1 }, ...differing });
    };

    it('gets no order in its sales, and others do, in the same batch and in other sales', async () => {
      await openRound('closed');
      await open('elsewhere');
      await exclude('closed', 10);
      const both = [of('closed.1', 1), of('closed.1', 2, { userId: 'bob' })];
      await expect(book.ledger.writeOrders(both)).rejects.toSatisfy(refusedFor('23R01'));
      await book.ledger.writeOrders(both.slice(1));
      await book.ledger.writeOrders([of('elsewhere', 1)]);
      expect([await idsOf('closed.1'), await idsOf('elsewhere')]).toEqual([['closed.1-2'], ['elsewhere-1']]);
    });

    it('keeps what was reserved before, also when it is written later or again, and until a minute afterwards', async () => {
      const opensAt = Date.now() - 30 * MINUTE_MS;
      await openRound('before', { opensAt });
      const reserved = (n: number, minutesAgo: number) =>
        of('before.1', n, { at: String(Date.now() - minutesAgo * MINUTE_MS) });
      const first = reserved(1, 20);
      await book.ledger.writeOrders([first]);
      await exclude('before', 10);
      await book.ledger.writeOrders([first, reserved(2, 11), reserved(3, 9.1)]);
      await expect(book.ledger.writeOrders([reserved(4, 8.9)])).rejects.toSatisfy(refusedFor('23R01'));
      expect(await idsOf('before.1')).toEqual(['before.1-1', 'before.1-2', 'before.1-3']);
    });

    it('gets nothing in a sale that opened later, whatever time the reservation names', async () => {
      await openRound('dated');
      const { opensAt } = newSale('dated');
      await exclude('dated', (Date.now() - opensAt) / MINUTE_MS + 1.5);
      // A window that was planned before counts as one in which the sale was open.
      await book.ledger.record({
        actor: 'ann',
        verb: 'create-sale',
        rainId: 'dated.1',
        details: { opensAt: new Date(opensAt - HOUR_MS).toISOString(), closesAt: new Date(opensAt).toISOString() },
      });
      await expect(
        book.ledger.writeOrders([of('dated.1', 1, { at: String(Date.now() - 30 * MINUTE_MS) })]),
      ).rejects.toSatisfy(refusedFor('23R01'));
    });

    it('is not named in what the buyer is told, so that an erasure need not find it there', async () => {
      await openRound('told');
      await exclude('told', 10);
      await expect(book.ledger.writeOrders([of('told.1', 1)])).rejects.toThrow(
        /its buyer is excluded from the campaign told/,
      );
    });

    it('for having bought in earlier sales: whose order is paid, and once', async () => {
      await open('last-year');
      await book.ledger.writeOrders(
        ['ann', 'bob', 'cem', 'dee'].map((userId, i) => of('last-year', i + 1, { userId })),
      );
      for (const [n, step] of [
        [1, 'paid'],
        [2, 'paid'],
        [2, 'refunded'],
        [3, 'cancelled'],
      ] as const)
        await book.ledger.stepOrder(`last-year-${n}`, step);
      await openRound('after');
      const buyersOf = () => book.ledger.excludeBuyers('after', { id: 'last-year', saleIds: ['last-year'] }, 'opal');
      expect([await buyersOf(), await buyersOf()]).toEqual([1, 0]);
      expect(await book.ledger.exclusions('after', undefined, 10)).toEqual(['ann']);
      expect(await book.ledger.exclusionsAmong('after', ['ann', 'bob'])).toEqual(new Set(['ann']));
      expect((await book.ledger.latestActions({ limit: 5 })).find(({ verb }) => verb === 'exclude')).toMatchObject({
        actor: 'opal',
        details: { campaignId: 'after', buyersOf: 'last-year', excluded: 1 },
      });
    });
  });

  describe('a refusal', () => {
    const refusal = (id: string, n: number, differing: Partial<NewRefusal> = {}): NewRefusal => ({
      saleId: id,
      reservationId: `${id}-${n}`,
      userId: 'ann',
      sku: 'tee',
      quantity: 1,
      reason: 'limit',
      detail: 'too many',
      ...differing,
    });

    it('is recorded once and never changed, and its reservation never becomes an order', async () => {
      await open('no');
      expect(await book.ledger.refuseReservations([refusal('no', 1)])).toMatchObject([
        { reservationId: 'no-1', reason: 'limit' },
      ]);
      expect(await book.ledger.refuseReservations([refusal('no', 1, { reason: 'stock' })])).toMatchObject([
        { reservationId: 'no-1', reason: 'limit' },
      ]);
      await expect(book.ledger.writeOrders([of('no', 1)])).rejects.toSatisfy(refusedFor('23R03'));
      // After a failover somebody else may have its number.
      await book.ledger.writeOrders([of('no', 1, { userId: 'bob' })]);
      for (const sql of [`UPDATE "SaleRefusal" SET "detail" = 'x'`, 'DELETE FROM "SaleRefusal"'])
        await expect(book.database.$executeRawUnsafe(sql), sql).rejects.toThrow();
    });

    it('of what has an order is not recorded', async () => {
      await open('yes');
      await book.ledger.writeOrders([of('yes', 1)]);
      expect(await book.ledger.refuseReservations([refusal('yes', 1), refusal('yes', 2)])).toMatchObject([
        { reservationId: 'yes-2' },
      ]);
      await expect(
        book.database
          .$executeRaw`INSERT INTO "SaleRefusal" ("reservationId", "userId", "saleId", "sku", "quantity", "reason", "detail") VALUES ('yes-1', 'ann', 'yes', 'tee', 1, 'limit', 'x')`,
      ).rejects.toSatisfy(refusedFor('23514'));
    });

    it('and an order of one reservation at one moment exclude each other', async () => {
      await open('race-no', { items: [{ sku: 'tee', units: 40, price: '19.90' }] });
      await Promise.all(
        Array.from({ length: 30 }, (_, n) => [
          book.ledger.writeOrders([of('race-no', n + 1)]).catch(() => {}),
          book.ledger.refuseReservations([refusal('race-no', n + 1)]).catch(() => {}),
        ]).flat(),
      );
      const [orders, refusals] = [
        await idsOf('race-no'),
        await book.ledger.refusalsAmong(
          Array.from({ length: 30 }, (_, n) => ({ reservationId: `race-no-${n + 1}`, userId: 'ann' })),
        ),
      ];
      expect([...orders, ...refusals.map(({ reservationId }) => reservationId)].sort()).toEqual(
        Array.from({ length: 30 }, (_, n) => `race-no-${n + 1}`).sort(),
      );
    });
  });
}
