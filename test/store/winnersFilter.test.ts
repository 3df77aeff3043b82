import { expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { createWinnersReader } from '../../src/store/winnersFilter.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { laterSigner, signer } from '../support/signer.ts';
import { scansOf } from '../support/scans.ts';

const { redis } = await openRedis();
const engine = createGrabEngine(redis, (error) => {
  throw error;
});
const rules = {
  redis,
  signer,
  onFault: (error: unknown) => {
    throw error;
  },
};
/** Two gateways. */
const [readWinners, elsewhere] = [createWinnersReader(rules), createWinnersReader(rules)];
const scans = () => scansOf(redis);
const names = (count: number, prefix = 'user') => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

async function win(rainId: string, users: readonly string[], shards = 1): Promise<void> {
  for (let shard = 0; shard < shards; shard++) {
    const mine = users.filter((user) => shardOf(user, shards) === shard);
    for (let from = 0; from < mine.length; from += 500) await engine.grab(rainId, shard, mine.slice(from, from + 500));
  }
}

/** A rain with more winners than each gateway reads for itself. */
async function wonRain(rainId: string, shards = 1, winners = 1_500): Promise<string[]> {
  const users = names(winners, rainId);
  await stockRain(redis, { rainId, amounts: names(winners + 600).map(() => '0.10'), shards });
  await win(rainId, users, shards);
  return users;
}

const missed = async (rainId: string, users: readonly string[], read = readWinners, shards = 1) => {
  const winners = await read(rainId, shards);
  return users.filter((user) => !winners!.mayHaveWon(user));
};

test('[R6] every winner is found, in every shard; hardly any other user is taken for a winner', async () => {
  const shards = 3;
  const users = names(5_000);
  await stockRain(redis, { rainId: 'many', amounts: users.map(() => '0.10'), shards });
  await win(
    'many',
    users.filter((_, i) => i % 2 === 0),
    shards,
  );
  const held = (await Promise.all([0, 1, 2].map((shard) => redis.hkeys(shardKeys('many', shard).claimed)))).flat();
  expect(held.length).toBeGreaterThan(2_400);
  const others = Array.from({ length: 20_000 }, (_, i) => `另一个-${i}`);
  for (const reader of [readWinners, elsewhere]) {
    const read = (await reader('many', shards))!;
    expect(read.claims).toBe(held.length);
    expect(held.filter((user) => !read.mayHaveWon(user))).toEqual([]);
    expect(others.filter((user) => read.mayHaveWon(user)).length / others.length).toBeLessThan(0.02);
  }
});

test('a rain in which nobody has won, or that is not there, has no winners', async () => {
  await stockRain(redis, { rainId: 'none', amounts: ['1.00'] });
  for (const rainId of ['none', 'nowhere']) {
    const read = (await readWinners(rainId, 1))!;
    expect([read.claims, read.mayHaveWon('ann')]).toEqual([0, false]);
  }
  expect(await redis.keys('*{no*winners*'), 'few winners are not shared').toEqual([]);
});

test('of many winners one gateway builds the filter, and the others read that, also with a replaced SIGNING_SECRET', async () => {
  const users = await wonRain('shared');
  expect(await missed('shared', users)).toEqual([]);
  const before = await scans();
  for (const read of [elsewhere, createWinnersReader({ ...rules, signer: laterSigner })])
    expect(await missed('shared', users, read)).toEqual([]);
  expect(await missed('shared', users)).toEqual([]);
  expect(await scans()).toBe(before);
  expect(await redis.keys('rain:{shared/0}:winners*'), 'no draft and no lease is left').toEqual([
    shardKeys('shared', 0).winners,
  ]);
  expect(await redis.pttl(shardKeys('shared', 0).winners)).toBeGreaterThan(0);
});

test('while one gateway builds the filter, the others wait for it', async () => {
  const users = await wonRain('building');
  const { winnersLease } = shardKeys('building', 0);
  await redis.set(winnersLease, 'another', 'PX', 60_000);
  expect(await readWinners('building', 1)).toBeUndefined();
  await redis.del(winnersLease);
  expect(await missed('building', users)).toEqual([]);
});

test('a filter that lacks the latest wins gets these from the log, and not all winners are read again', async () => {
  const users = await wonRain('longer', 2);
  await readWinners('longer', 2);
  const before = await scans();
  for (let round = 0; round < 5; round++) {
    const more = names(100, `late-${round}`);
    await win('longer', more, 2);
    users.push(...more);
    expect(await missed('longer', users, round % 2 === 0 ? elsewhere : readWinners, 2)).toEqual([]);
  }
  expect(await scans()).toBe(before);
});

test('[R6] a filter that is full, or that the log does not continue, is built anew', async () => {
  const users = await wonRain('full', 1, 4_000);
  await readWinners('full', 1);
  let before = await scans();
  const beyond = names(200, 'beyond');
  await win('full', beyond);
  users.push(...beyond);
  expect(await missed('full', users), '65,536 bits are full with 4,096 winners').toEqual([]);
  expect(await scans()).toBeGreaterThan(before);
  // A replica takes over that lacks the latest win, and somebody else wins twice as many.
  const { claims, claimed, packets } = shardKeys('full', 0);
  const lost = JSON.parse((await redis.lindex(claims, 0))!) as { redPacketId: string; amount: string; userId: string };
  await redis
    .multi()
    .lpop(claims)
    .hdel(claimed, lost.userId)
    .rpush(packets, packetElement(signer, 'full', lost.redPacketId, lost.amount))
    .exec();
  before = await scans();
  await win('full', ['heir', 'other']);
  expect(await missed('full', ['heir', 'other', ...users.filter((user) => user !== lost.userId)])).toEqual([]);
  expect(await scans()).toBeGreaterThan(before);
});

test('[R6] who can write to Redis cannot make a winner hear no with another filter', async () => {
  const users = await wonRain('forged');
  const others = await wonRain('of-others', 1, 1_501);
  const { winners } = shardKeys('forged', 0);
  await readWinners('of-others', 1);
  await readWinners('forged', 1);
  const genuine = await redis.getBuffer(winners);
  await win('forged', ['late']);
  const acts: Record<string, () => Promise<unknown>> = {
    'no bit is set': () =>
      redis.set(winners, Buffer.concat([genuine!.subarray(0, 4_096), Buffer.alloc(genuine!.length - 4_096)])),
    'one byte is gone': () => redis.setrange(winners, 4_100, '\0'),
    'the header names another log': () =>
      redis.set(
        winners,
        Buffer.from(
          genuine!.toString('latin1').replace('"claims":1500', '"claims":1501').replace('"held":1500', '"held":1501'),
          'latin1',
        ),
      ),
    'an older one': () => redis.set(winners, genuine!),
    "another rain's": () => redis.copy(shardKeys('of-others', 0).winners, winners, 'REPLACE'),
    'cut off': () => redis.set(winners, genuine!.subarray(0, 5_000)),
    'of another type': () => redis.multi().del(winners).lpush(winners, 'x').exec(),
    empty: () => redis.set(winners, ''),
  };
  for (const [name, act] of Object.entries(acts)) {
    await readWinners('forged', 1);
    await act();
    for (const read of [elsewhere, readWinners])
      expect(await missed('forged', [...users, 'late'], read), name).toEqual([]);
  }
  expect(others.length).toBe(1_501);
});

test('when Redis does not take the filter, the winners are known all the same, and the fault is reported', async () => {
  const users = await wonRain('unwritable');
  const faults: unknown[] = [];
  const full = new Proxy(redis, {
    get: (target, name) =>
      (name === 'setrange' ? () => Promise.reject(new Error('OOM')) : target[name as 'get'].bind(target)) as unknown,
  });
  const read = createWinnersReader({
    redis: full,
    signer,
    onFault: (error) => {
      faults.push(error);
    },
  });
  expect(await missed('unwritable', users, read)).toEqual([]);
  expect(faults).toEqual([new Error('OOM')]);
});
