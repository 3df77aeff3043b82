import { createCreditQueue } from '../../../src/credit/queue.ts';
import { creditJobId, ENTRIES_MAX, type CreditJob } from '../../../src/credit/job.ts';
import { createCreditWorker } from '../../../src/credit/worker.ts';
import { BATCH_USERS_MAX } from '../../../src/grab/engine.ts';
import { logPages } from '../../../src/operator/audit/claimLog.ts';
import { connectRedis } from '../../../src/platform/redis/connect.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { compared, type Row } from '../../report/row.ts';
import { cpuMs } from '../../support/cpu.ts';
import { spreadOf } from '../../support/spread.ts';
import { inStore, type Store } from '../../support/store.ts';
import { grabMany } from '../../support/won.ts';
import type { Measure } from '../measure.ts';
import { createSigner } from '../../../src/store/signer.ts';

const ROUNDS = 5;
/** The claims of one job while a rain is slow: a relay that carried something rests 25 ms. */
const SHORT_RANGE = 50;
/** Half of the core of one Redis at 100,000 wins a second. */
const CPU_US_MAX = 5;

interface Cost {
  cpuUs: number;
  /** In and out of Redis. */
  sentBytes: number;
  /** Written to its log on disk. */
  loggedBytes: number;
}

/**
 * The queue's share of its Redis for each claim, beside the deciding share: all queues are in one slot.
 */
export const queue: Measure = {
  name: 'scale-queue',
  onlyWhenAsked: 'always',
  rows: ({ size, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      const costs: Record<'win' | 'full' | 'short', Cost[]> = { win: [], full: [], short: [] };
      for (let round = 0; round < ROUNDS; round++) {
        const rainId = `won-${round}`;
        await store.house.stock([rainId], size.winners);
        costs.win.push(await costOf(store, size.winners, () => grabMany(store.house.context, rainId, size.winners)));
        const entries = await readAll(store, rainId);
        costs.full.push(await costOf(store, size.winners, () => creditAll(store, rainId, entries, ENTRIES_MAX)));
        costs.short.push(await costOf(store, size.winners, () => creditAll(store, rainId, entries, SHORT_RANGE)));
        say(
          `round ${round + 1}: ${Object.values(costs)
            .map((some) => some.at(-1)!.cpuUs.toFixed(2))
            .join(', ')} µs`,
        );
      }
      const of = (which: keyof typeof costs, what: keyof Cost) => costs[which].map((cost) => cost[what]);
      const against = `a win in a call for ${BATCH_USERS_MAX} users`;
      const told = (measure: string, unit: string, values: readonly number[]): Row => ({
        measure,
        unit,
        ours: spreadOf(values),
        figure: spreadOf(values),
      });
      return [
        {
          ...told(`Redis CPU of the queue per claim, jobs of ${ENTRIES_MAX}`, 'µs', of('full', 'cpuUs')),
          target: { most: CPU_US_MAX },
        },
        compared(
          { measure: `Redis CPU of the queue per claim, jobs of ${ENTRIES_MAX}`, against, unit: 'µs' },
          of('full', 'cpuUs'),
          of('win', 'cpuUs'),
        ),
        compared(
          { measure: `Redis CPU of the queue per claim, jobs of ${SHORT_RANGE}`, against, unit: 'µs' },
          of('short', 'cpuUs'),
          of('win', 'cpuUs'),
        ),
        told(`bytes through Redis of the queue per claim, jobs of ${ENTRIES_MAX}`, 'B', of('full', 'sentBytes')),
        told(`bytes on the disk of the queue per claim, jobs of ${ENTRIES_MAX}`, 'B', of('full', 'loggedBytes')),
      ];
    }),
};

async function readAll({ house }: Store, rainId: string): Promise<string[]> {
  const entries: string[] = [];
  for await (const page of logPages(house.context.redis, rainId, 0)) entries.push(...page.map(({ entry }) => entry));
  return entries;
}

/** As relay and credit worker do it; the ledger, which is not in Redis, takes no time. */
async function creditAll(
  { redisUrl }: Store,
  rainId: string,
  entries: readonly string[],
  range: number,
): Promise<void> {
  const connections = (['queue', 'queue'] as const).map((purpose) =>
    connectRedis(redisUrl, { purpose, onError: () => {} }),
  );
  const onError = (error: Error) => {
    throw error;
  };
  const jobs = createCreditQueue({ connection: connections[0]!, prefix: QUEUE_PREFIX, onError });
  let credited = 0;
  let finish: () => void;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worker = createCreditWorker({
    connection: connections[1]!,
    prefix: QUEUE_PREFIX,
    onError,
    log: createLog('bench', 'silent'),
    signer: createSigner('x'.repeat(32)),
    balance: { post: async (_rainId, claims) => claims.map(() => ({ outcome: 'commit' })) },
    async onCredited(_rainId, _shard, claims) {
      if ((credited += claims.length) >= entries.length) finish();
    },
  });
  for (let from = 0; from < entries.length; from += range) {
    const job: CreditJob = { rainId, shard: 0, from, entries: entries.slice(from, from + range) };
    await jobs.getJobCountByTypes('waiting', 'delayed');
    await jobs.add('range', job, { jobId: creditJobId(job) });
  }
  await done;
  await worker.close();
  await jobs.close();
  for (const connection of connections) connection.disconnect();
}

async function costOf(
  {
    redisPid,
    house: {
      context: { redis },
    },
  }: Store,
  claims: number,
  work: () => Promise<void>,
): Promise<Cost> {
  const [bytes, cpu] = [await readBytes(redis), cpuMs([redisPid])];
  await work();
  const [after, bytesAfter] = [cpuMs([redisPid]), await readBytes(redis)];
  return {
    cpuUs: (1_000 * (after - cpu)) / claims,
    sentBytes: (bytesAfter.sent - bytes.sent) / claims,
    loggedBytes: (bytesAfter.logged - bytes.logged) / claims,
  };
}

async function readBytes(redis: Store['house']['context']['redis']): Promise<{ sent: number; logged: number }> {
  const info = await redis.info();
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)![1]);
  return { sent: field('total_net_input_bytes') + field('total_net_output_bytes'), logged: field('aof_current_size') };
}
