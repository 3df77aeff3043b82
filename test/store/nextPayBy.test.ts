import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextPayBy } from '../../src/store/nextPayBy.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { openRedis } from '../support/rain.ts';

const { redis } = await openRedis();
const NOW = 1_790_000_000_000;

interface Made {
  sku: string;
  payBy: number;
  /** Reserved, ordered, paid, timed out; absent: Redis has lost it. */
  status?: 'r' | 'o' | 'p' | 't' | undefined;
}

/** Writes a log of reservations, the oldest first, each of a buyer of its own. */
async function write(saleId: string, made: readonly (Made | 'unreadable')[]): Promise<void> {
  const { reservations, buyers } = saleKeys(saleId);
  const pipeline = redis.pipeline();
  made.forEach((one, i) => {
    if (one === 'unreadable') return void pipeline.lpush(reservations, 'unreadable');
    const [userId, ordinal] = [`user-${i}`, i + 1];
    pipeline.lpush(
      reservations,
      JSON.stringify({
        saleId,
        reservationId: `${saleId}-${ordinal}`,
        userId,
        sku: one.sku,
        quantity: 1,
        price: '1.00',
        at: String(one.payBy - 60_000),
        payBy: String(one.payBy),
        mac: 'm',
      }),
    );
    if (one.status) pipeline.hset(buyers, userId, `${ordinal}:${one.sku}:1:${one.status}:${one.payBy}:m:;`);
  });
  await pipeline.exec();
}

/** @returns the result of a search that goes on until it has found something, or has seen all */
async function search(client: RedisClient, saleId: string, sku: string, logged: number): Promise<number | undefined> {
  for (let from = 0, calls = 0; calls < 100; calls++) {
    const found = await nextPayBy(client, saleId, sku, from, NOW);
    if (found.payBy !== undefined || found.from === logged) return found.payBy;
    from = found.from;
  }
  throw new Error('the search does not end');
}

const one = (decided: number): fc.Arbitrary<Omit<Made, 'payBy'> | 'unreadable'> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant('unreadable' as const) },
    {
      weight: 49,
      arbitrary: fc.record({
        sku: fc.constantFrom('tee', 'tee', 'mug'),
        status: fc.oneof(
          { weight: decided, arbitrary: fc.constantFrom('p' as const, 't' as const, undefined) },
          { weight: 20 - decided, arbitrary: fc.constantFrom('r' as const, 'o' as const) },
        ),
      }),
    },
  );
const sale = fc
  .record({ decided: fc.integer({ min: 0, max: 20 }), overdue: fc.nat(700) })
  .chain(({ decided, overdue }) =>
    fc.record({ log: fc.array(one(decided), { maxLength: 700, size: 'max' }), overdue: fc.constant(overdue) }),
  );

test('finds the earliest deadline that a simple look at all reservations finds', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(sale, async ({ log, overdue }) => {
      const saleId = `run-${runs++}`;
      const made = log.map((each, i) => (each === 'unreadable' ? each : { ...each, payBy: NOW + (i - overdue) * 10 }));
      await write(saleId, made);
      for (const sku of ['tee', 'mug']) {
        const open = made.find(
          (each) =>
            each !== 'unreadable' &&
            each.sku === sku &&
            each.payBy > NOW &&
            (each.status === 'r' || each.status === 'o'),
        );
        expect(await search(redis, saleId, sku, log.length), sku).toBe(open === 'unreadable' ? undefined : open?.payBy);
      }
    }),
    { numRuns: 40 },
  );
});

test('a sale that waits for one payment is looked at with few reads, however long its log', async () => {
  await write(
    'long',
    Array.from({ length: 2_000 }, (_, i): Made => ({ sku: 'tee', payBy: NOW + i - 700, status: 'r' })),
  );
  let [reads, entries] = [0, 0];
  const counted = Object.assign(Object.create(redis) as RedisClient, {
    async lrange(...asked: Parameters<RedisClient['lrange']>) {
      const read = await redis.lrange(...asked);
      reads++;
      entries += read.length;
      return read;
    },
  });
  const first = await nextPayBy(counted, 'long', 'tee', 0, NOW);
  expect(first).toEqual({ from: 701, payBy: NOW + 1 });
  expect([reads <= 15, entries <= 64], `${reads} reads, ${entries} entries`).toEqual([true, true]);
  [reads, entries] = [0, 0];
  expect(await nextPayBy(counted, 'long', 'tee', first.from, NOW)).toEqual(first);
  expect([reads, entries <= 10], `${entries} entries`).toEqual([1, true]);
});
