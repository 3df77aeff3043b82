import { setTimeout as sleep } from 'node:timers/promises';
import { readSale } from '../../../src/store/sales.ts';
import { single, type Row } from '../../report/row.ts';
import { spreadOf } from '../../support/spread.ts';
import { inStore } from '../../support/store.ts';
import { startUsers } from '../../support/users.ts';
import type { Measure } from '../measure.ts';

const GRABBED = 'grabbed';
const DUE = 'due';
/**
 * Few users with pauses: the wait of one of them is measured, and not the throughput. They have won, so that each grab
 * goes to Redis.
 */
const GRABBERS = 20;
const REST_MS = 20;
/** Windows without any expiration before, and as many after. */
const QUIET_WINDOWS = 5;
/**
 * A deadline that comes after the orders are written, and after a worker has looked at all of them for the first time,
 * ms.
 */
const HOLD_MS = { least: 20_000, perOrder: 0.2 };

/**
 * Reservations that nobody pays for, all due at once: until the last is ended in the ledger and its unit is for sale
 * again in Redis. The worker runs before, as it does in a sale: one that starts checks all reservations once, and
 * audits the sale, which costs more than the wave.
 */
export const expiring: Measure = {
  name: 'expire',
  onlyWhenAsked: 'always',
  rows: ({ size: { expiring: orders, lookMs }, postgres, say }) =>
    inStore(postgres, 'sale', async (store) => {
      const { house } = store;
      const { redis } = house.context;
      say(`${orders} reservations with their orders`);
      const dueAt = await house.stockUnpaidSale(DUE, orders, Math.ceil(HOLD_MS.least + HOLD_MS.perOrder * orders));
      await house.stockRain(GRABBED, GRABBERS);
      const users = await startUsers(store, await store.start('../dist/bin/rain.js', ['gateway']), 'rain');
      await users.connect('hand', GRABBERS);
      const usual = async () =>
        (await users.ask({ do: 'repeat', rainId: GRABBED, forMs: lookMs, restMs: REST_MS })).ran!.latencyMs.p50;
      const [quiet, during]: [number[], number[]] = [[], []];
      await usual();
      const listen = async () => {
        for (let i = 0; i < QUIET_WINDOWS; i++) quiet.push(await usual());
      };
      const worker = await store.start('../dist/bin/rain.js', ['worker']);
      const quietMs = QUIET_WINDOWS * (lookMs + 500);
      const leftMs = dueAt - Date.now() - quietMs;
      if (leftMs < 0) throw new Error('the reservations were due before the worker had looked at them; raise HOLD_MS');
      say(`the worker runs; the reservations are due in ${Math.ceil((leftMs + quietMs) / 1_000)} s`);
      await sleep(leftMs);
      await listen();
      await sleep(Math.max(0, dueAt - Date.now()));
      const booked = async () => (await readSale(redis, DUE))!.items[0]!.booked;
      const began = performance.now();
      let endedAt: number | undefined;
      const watch = (async () => {
        while ((await booked()) > 0) await sleep(50);
        endedAt = performance.now();
      })();
      while (endedAt === undefined) during.push(await usual());
      await watch;
      await worker.stop();
      if ((await house.expired()) !== orders)
        throw new Error(`${await house.expired()} of ${orders} orders have expired in the ledger`);
      await listen();
      const seconds = (endedAt - began) / 1_000;
      return [
        single(`${orders.toLocaleString('en')} unpaid reservations, until every unit is for sale again`, 's', seconds, {
          most: 60,
        }),
        beside(during, quiet),
      ];
    }),
};

/** Every window against the median of those without expirations. */
function beside(during: readonly number[], quiet: readonly number[]): Row {
  const theirs = spreadOf(quiet);
  return {
    measure: 'grab while reservations expire, p50',
    against: 'without',
    unit: 'ms',
    target: { most: 1.1 },
    ours: spreadOf(during),
    theirs,
    figure: spreadOf(during.map((ms) => ms / theirs.median)),
  };
}
