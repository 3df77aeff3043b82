import { expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { readWinners } from '../../src/store/winnersFilter.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { redis } = await openRedis();
const engine = createGrabEngine(redis, (error) => { throw error; });

test('[R6] every winner is found, in every shard; hardly any other user is taken for a winner', async () => {
  const shards = 3;
  const users = Array.from({ length: 5_000 }, (_, i) => `user-${i}`);
  await stockRain(redis, { rainId: 'many', amounts: users.map(() => '0.10'), shards });
  const winners = users.filter((_, i) => i % 2 === 0);
  for (let shard = 0; shard < shards; shard++) {
    const mine = winners.filter((user) => shardOf(user, shards) === shard);
    for (let from = 0; from < mine.length; from += 500) await engine.grab('many', shard, mine.slice(from, from + 500));
  }
  const held = (await Promise.all([0, 1, 2].map((shard) => redis.hkeys(shardKeys('many', shard).claimed)))).flat();
  expect(held.length).toBeGreaterThan(2_400);

  const read = await readWinners(redis, 'many', shards);
  expect(read.claims).toBe(held.length);
  expect(held.filter((user) => !read.mayHaveWon(user))).toEqual([]);
  const others = Array.from({ length: 20_000 }, (_, i) => `另一个-${i}`);
  expect(others.filter((user) => read.mayHaveWon(user)).length / others.length).toBeLessThan(0.02);
});

test('a rain in which nobody has won, or that is not there, has no winners', async () => {
  await stockRain(redis, { rainId: 'none', amounts: ['1.00'] });
  for (const rainId of ['none', 'nowhere']) {
    const read = await readWinners(redis, rainId, 1);
    expect([read.claims, read.mayHaveWon('ann')]).toEqual([0, false]);
  }
});
