import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import '../../../src/platform/redis/connect.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';

const { server } = await openRedis();
const MS = 50;

/** This process gets no processor. */
function starve(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

async function open(limit: 'commandTimeout' | 'socketTimeout'): Promise<{ redis: Redis; cuts: () => number }> {
  let cuts = 0;
  const redis = new Redis(server.url, { [limit]: MS, maxRetriesPerRequest: 0 });
  redis.on('error', () => {});
  redis.on('close', () => cuts++);
  onTestFinished(() => redis.disconnect());
  await eventually(() => redis.status === 'ready');
  return { redis, cuts: () => cuts };
}

test.each(['commandTimeout', 'socketTimeout'] as const)(
  'an answer that came while this process had no processor is read, however late (%s)',
  async (limit) => {
    const { redis, cuts } = await open(limit);
    // Goes on where answers are read: those that come meanwhile are read in the next turn, after the timers of this one.
    await redis.ping();
    const answers = Promise.all([redis.ping(), redis.set('late', 1), redis.get('late')]);
    starve(4 * MS);
    expect(await answers).toEqual(['PONG', 'OK', '1']);
    expect(await redis.ping()).toBe('PONG');
    expect(cuts()).toBe(0);
  },
);

test('a Redis that is silent is given up as before', async () => {
  const [{ redis: asking }, { redis: silent, cuts }] = [await open('commandTimeout'), await open('socketTimeout')];
  await asking.call('CLIENT', 'PAUSE', 20 * MS, 'ALL');
  await expect(asking.ping()).rejects.toThrow('Command timed out');
  await expect(silent.ping()).rejects.toThrow();
  expect(cuts()).toBe(1);
});
