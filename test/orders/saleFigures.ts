import { expect } from 'vitest';
import { heldBy, readSale } from '../../src/store/sales.ts';
import { buyersOf, type OrderRoom } from './room.ts';

/** Ids of the reservations `from` (inclusive) to `to` (exclusive), as the ledger sorts them. */
export const reservationIds = (saleId: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${saleId}-${from + i}`).sort();

/** The figures of a sale in Redis and in the ledger that tests ask for. */
export function figuresOf(room: () => OrderRoom) {
  return {
    async idsOf(saleId: string) {
      return (await room().ledger.orders({ saleId })).map(({ id }) => id).sort();
    },
    async reasons(saleId: string) {
      return (await room().letters(saleId)).map(({ index, reason }) => [index, reason]);
    },
    /** The statuses of all reservations of these users, in Redis. */
    async statuses(saleId: string, ...users: string[]) {
      return (await Promise.all(users.map((user) => heldBy(room().redis, saleId, user))))
        .flat()
        .map(({ status }) => status);
    },
    /** Accounts, transfers and orders of the ledger agree on one item. */
    async expectBalanced(saleId: string, sku = 'tee') {
      const booked = (await room().ledger.stock(saleId)).find((one) => one.sku === sku)!;
      const stored = (await readSale(room().redis, saleId))!.items.find((one) => one.sku === sku)!;
      expect(booked.accounts).toEqual(booked.transfers);
      expect(booked.accounts).toMatchObject({ reserved: booked.created, sold: booked.paid });
      return { units: stored.units, booked: stored.booked, left: booked.accounts.available, reserved: booked.created };
    },
    /** Users of these numbers buy one tee each, and get it. */
    async buy(saleId: string, from: number, to: number) {
      for (let at = from; at < to; at += 500)
        expect(new Set(await room().buy(saleId, buyersOf(at, Math.min(to, at + 500))))).toEqual(new Set(['0']));
    },
  };
}
