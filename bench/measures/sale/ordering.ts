import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { connectRedis } from '../../../src/platform/redis/connect.ts';
import { SKU } from '../../load/constants.ts';
import { compared, single } from '../../report/row.ts';
import { LOOK_MS, ratePerSecond } from '../../support/progress.ts';
import { HOLD_MS, PRICE, reserveAll } from '../../support/sales.ts';
import { inStore, type Store } from '../../support/store.ts';
import type { Measure } from '../measure.ts';

/**
 * Speed of the order worker on waiting reservations: ours by ranges, the baseline with one job and one Prisma
 * transaction each.
 */
export const ordering: Measure = {
  name: 'sale-ordering',
  onlyWhenAsked: 'quick',
  async rows({ size, postgres, say }) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.ceil(size.rounds / 3); round++) {
      say(`round ${round + 1}: reservations in ranges`);
      ours.push(
        await inStore(postgres, 'sale', async (store) => {
          await store.house.stock(['ordered'], size.claims);
          await reserveAll(store.house.context, 'ordered', size.claims);
          await store.start('../dist/bin/rain.js', ['worker']);
          return ratePerSecond(store.house.ordered, size.claims);
        }),
      );
      say(`round ${round + 1}: one job and one transaction per order`);
      theirs.push(
        await inStore(postgres, 'sale', async (store) => {
          await store.house.stock(['ordered'], size.baselineClaims);
          await addJobs(store, 'ordered', size.baselineClaims);
          await store.start('baselines/orders.ts');
          return ratePerSecond(store.house.ordered, size.baselineClaims);
        }),
      );
    }
    return [
      compared(
        {
          measure: 'orders written per second',
          against: 'one job and one Prisma transaction per order',
          unit: '/s',
          target: { least: 20 },
        },
        ours,
        theirs,
      ),
    ];
  },
};

/** How long the last buyer of a big sale waits for the order. */
export const lastOrder: Measure = {
  name: 'sale-last-order',
  onlyWhenAsked: 'quick',
  rows: ({ size: { winners }, postgres, say }) =>
    inStore(postgres, 'sale', async ({ start, house }) => {
      await house.stock(['big'], winners);
      await start('../dist/bin/rain.js', ['worker']);
      say(`${winners} reservations, as fast as Redis can decide`);
      const reserveSeconds = (await reserveAll(house.context, 'big', winners)) / 1_000;
      const over = performance.now();
      while ((await house.ordered()) < winners) await sleep(LOOK_MS);
      const seconds = (performance.now() - over) / 1_000;
      return [
        single(
          `end of a sale of ${winners.toLocaleString('en')} reservations (made in ${reserveSeconds.toFixed(1)} s) until the last order is in the ledger`,
          's',
          seconds,
          { most: 10 },
        ),
      ];
    }),
};

async function addJobs({ redisUrl }: Store, saleId: string, orders: number): Promise<void> {
  const connection = connectRedis(redisUrl, { purpose: 'queue', onError: () => {} });
  const queue = new Queue('one-order', { connection, defaultJobOptions: { attempts: 5, removeOnComplete: true } });
  const at = Date.now();
  const jobs = Array.from({ length: orders }, (_, i) => {
    const id = `${saleId}-${i + 1}`;
    return {
      name: 'order',
      data: { id, saleId, userId: `user-${i}`, sku: SKU, price: PRICE, at, payBy: at + HOLD_MS },
      opts: { jobId: id },
    };
  });
  for (let from = 0; from < orders; from += 500) await queue.addBulk(jobs.slice(from, from + 500));
  await queue.close();
  connection.disconnect();
}
