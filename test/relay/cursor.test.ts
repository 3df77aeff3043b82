import { beforeEach, describe, expect, test } from 'vitest';
import type { CreditJob } from '../../src/credit/job.ts';
import type { CreditQueue } from '../../src/credit/queue.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, type ShardKeys } from '../../src/store/keys.ts';
import { loadScripts } from '../../src/store/scripts.ts';
import { carryLog } from '../../src/relay/carry.ts';
import { claimLogOf } from '../../src/relay/claimLogs.ts';
import { createLeases } from '../../src/relay/lease.ts';
import { advance } from '../../src/relay/position.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { redis } = await openRedis();
beforeEach(async () => {
  await redis.flushall();
  await loadScripts(redis);
});

/** A rain with one win in its log; `between` runs when the queue has the claim and the cursor has not moved. */
async function carry(rainId: string, between: (keys: ShardKeys) => Promise<unknown>) {
  const keys = shardKeys(rainId, 0);
  await stockRain(redis, { rainId, amounts: ['1.00', '2.00'] });
  await createGrabEngine(redis, (fault) => {
    throw fault;
  }).grab(rainId, 0, ['ann']);
  const jobs: CreditJob[] = [];
  const queue = {
    async add(_name: string, job: CreditJob) {
      jobs.push(job);
      if (jobs.length === 1) await between(keys);
    },
  } as unknown as CreditQueue;
  const visit = () => carryLog({ redis, queue, leases: createLeases(redis, 'me') }, claimLogOf(rainId, 0));
  return { jobs, visit, keys, first: await visit() };
}

describe('between "the queue has the claims" and "the cursor moved"', () => {
  test('FLUSHALL: no cursor is written for the lost rain, where it would never expire', async () => {
    const { first, jobs, visit } = await carry('flushed', () => redis.flushall());
    expect([first, jobs.length, await redis.keys('*')]).toEqual(['idle', 1, []]);
    expect(await visit()).toBe('idle');
    expect(await redis.keys('*')).toEqual([]);
  });

  test('[R5] another relay has the lease: the cursor is not moved, and the range is carried again', async () => {
    const { first, jobs, visit, keys } = await carry('taken', ({ lease }) => redis.set(lease, 'another'));
    expect([first, await redis.get(keys.relayed)]).toEqual(['idle', null]);
    await redis.del(keys.lease);
    expect([await visit(), await redis.get(keys.relayed)]).toEqual(['carried', '1']);
    expect(jobs.map(({ from, entries }) => [from, entries.length])).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  test('[R5] the lease expired: the cursor is not moved, and the range is carried again', async () => {
    const { first, visit, keys } = await carry('expired', ({ lease }) => redis.del(lease));
    expect([first, await redis.get(keys.relayed)]).toEqual(['idle', null]);
    expect([await visit(), await redis.get(keys.relayed)]).toEqual(['carried', '1']);
  });
});

test.each(['tampered', '99999999999999999999', '007', '-1', ''])(
  'a cursor that is no count of this log (%j): the log is carried from its beginning, and the cursor counts again',
  async (text) => {
    const { first, jobs, visit, keys } = await carry('word', async () => {});
    expect(first).toBe('carried');
    await redis.set(keys.relayed, text);
    expect([await visit(), await redis.get(keys.relayed)]).toEqual(['carried', '1']);
    expect(jobs.map(({ from, entries }) => [from, entries.length])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(await visit()).toBe('idle');
  },
);

describe('the move of the cursor', () => {
  const keys = shardKeys('moved', 0);
  const move = (from: number, to: number, owner = 'me') => advance(redis, keys, { owner, from: String(from), to });
  beforeEach(async () => {
    await stockRain(redis, { rainId: 'moved', amounts: ['0.01'] });
    await redis.set(keys.lease, 'me');
  });

  test('says why it was refused, and then changes nothing', async () => {
    expect(await move(0, 3)).toBe('moved');
    expect([await move(0, 2), await move(3, 4, 'you')]).toEqual(['moved_by_another', 'lease_lost']);
    expect(await redis.get(keys.relayed)).toBe('3');
    await redis.del(keys.state);
    expect(await move(3, 4)).toBe('shard_gone');
    expect(await redis.get(keys.relayed)).toBe('3');
  });

  test('after the rain was settled expires with it', async () => {
    await redis.pexpire(keys.state, 600_000);
    expect(await move(0, 1)).toBe('moved');
    expect(await redis.pttl(keys.relayed)).toBeGreaterThan(0);
  });
});
