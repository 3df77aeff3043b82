import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { connectRedis } from '../../src/platform/redis/connect.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import { compared, single } from '../report/row.ts';
import { LOOK_MS, ratePerSecond } from '../support/progress.ts';
import { inStore, type Store } from '../support/store.ts';
import { grabMany } from '../support/won.ts';
import type { Measure } from './measure.ts';

/**
 * Speed of the credit worker on waiting claims: ours by ranges, the baseline with one job and one Prisma transaction
 * each.
 */
export const crediting: Measure = {
  name: 'crediting',
  onlyWhenAsked: 'quick',
  async rows({ size, postgres, say }) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.ceil(size.rounds / 3); round++) {
      say(`round ${round + 1}: claims in ranges`);
      ours.push(
        await inStore(postgres, 'rain', async (store) => {
          await winAll(store, 'credited', size.claims);
          await store.start('../dist/bin/rain.js', ['worker']);
          return ratePerSecond(store.house.credited, size.claims);
        }),
      );
      say(`round ${round + 1}: one job and one transaction per claim`);
      theirs.push(
        await inStore(postgres, 'rain', async (store) => {
          await addJobs(store, 'credited', size.baselineClaims);
          await store.start('baselines/claims.ts');
          return ratePerSecond(store.house.credited, size.baselineClaims);
        }),
      );
    }
    return [
      compared(
        {
          measure: 'claims credited per second',
          against: 'one job and one Prisma transaction per claim',
          unit: '/s',
          target: { least: 20 },
        },
        ours,
        theirs,
      ),
    ];
  },
};

/** How long the last winner of a big rain waits for the money. */
export const settlement: Measure = {
  name: 'settlement',
  onlyWhenAsked: 'quick',
  rows: ({ size, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      await store.start('../dist/bin/rain.js', ['worker']);
      say(`${size.winners} winners, as fast as Redis can decide`);
      const winSeconds = (await winAll(store, 'big', size.winners)) / 1_000;
      const over = performance.now();
      while ((await store.house.credited()) < size.winners) await sleep(LOOK_MS);
      const seconds = (performance.now() - over) / 1_000;
      const measure = `end of a rain of ${size.winners.toLocaleString('en')} winners (won in ${winSeconds.toFixed(1)} s) until the last is credited`;
      return [single(measure, 's', seconds, { most: 10 })];
    }),
};

/** Lets all users win in a rain of the same size. @returns the duration, ms */
async function winAll({ house }: Store, rainId: string, claims: number): Promise<number> {
  await house.stock([rainId], claims);
  const began = performance.now();
  await grabMany(house.context, rainId, claims);
  return performance.now() - began;
}

async function addJobs({ house, redisUrl }: Store, rainId: string, claims: number): Promise<void> {
  await house.stock([rainId], claims);
  const connection = connectRedis(redisUrl, { purpose: 'queue', onError: () => {} });
  const queue = new Queue('claims', { connection, defaultJobOptions: { attempts: 5, removeOnComplete: true } });
  const jobs = Array.from({ length: claims }, (_, i) => ({
    name: 'claim',
    data: { rainId, userId: `user-${i}`, redPacketId: redPacketId(rainId, i), amount: '0.10' },
    opts: { jobId: `${rainId}-user-${i}` },
  }));
  for (let from = 0; from < claims; from += 500) await queue.addBulk(jobs.slice(from, from + 500));
  await queue.close();
  connection.disconnect();
}
