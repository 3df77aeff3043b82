import { beforeEach, describe, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { close, settle } from '../../src/store/transitions.ts';
import { findRain, readRain } from '../../src/store/rains.ts';
import { draftRain } from '../../src/store/loadPackets.ts';
import { dump, openRedis } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { redis } = await openRedis();
beforeEach(async () => void (await redis.flushall()));

const COMMITMENT = '0123456789abcdef'.repeat(4);
const SEED = 'ab'.repeat(32);
const PLAN = { packets: 10, budget: '10.00' };
const draft = {
  rainId: 'r1',
  title: 'Gala',
  shards: 2,
  opensAt: 1_000,
  closesAt: 2_000,
  packets: 10,
  commitment: COMMITMENT,
};
const read = async () => (await readRain(redis, 'r1', (await findRain(redis, 'r1'))!))!;

describe('the commitment in Redis', () => {
  test('is stored in every shard from the draft on, and is read back', async () => {
    expect(await draftRain(redis, signer, draft)).toBe('created');
    for (const shard of [0, 1]) expect(await redis.hget(shardKeys('r1', shard).state, 'commitment')).toBe(COMMITMENT);
    expect((await read()).commitment).toBe(COMMITMENT);
  });

  test('a draft with another commitment, or with none, is another rain', async () => {
    await draftRain(redis, signer, draft);
    const before = await dump(redis);
    expect(await draftRain(redis, signer, { ...draft, commitment: COMMITMENT.replace('0', '1') })).toBe('taken');
    const { commitment: _, ...without } = draft;
    expect(await draftRain(redis, signer, without)).toBe('taken');
    expect(await draftRain(redis, signer, draft)).toBe('exists');
    expect(await dump(redis)).toEqual(before);
  });

  test('a rain from before commitments existed is read, drafted again and settled without one', async () => {
    const { commitment: _, ...without } = draft;
    await draftRain(redis, signer, without);
    expect(await redis.hexists(shardKeys('r1', 0).state, 'commitment')).toBe(0);
    expect(await draftRain(redis, signer, without)).toBe('exists');
    expect(await read()).not.toHaveProperty('commitment');
    await close(redis, 'r1', 2, 'early');
    expect(await settle(redis, 'r1', { shards: 2, title: 'Gala' }, { ttlMs: 60_000 })).toBe(true);
    expect(await read()).toMatchObject({ state: 'settled' });
    expect(await read()).not.toHaveProperty('reveal');
  });

  test.each(['commitment', 'seed', 'plan'])('a rain with a corrupt %s is still a rain', async (field) => {
    await draftRain(redis, signer, draft);
    await redis.hset(shardKeys('r1', 0).state, field, 'no such thing');
    expect(await read()).toMatchObject({ state: 'draft', packets: 10 });
  });
});

describe('the reveal', () => {
  const settled = () =>
    settle(redis, 'r1', { shards: 2, title: 'Gala' }, { ttlMs: 60_000, reveal: { seed: SEED, plan: PLAN } });

  test('is written in the step that settles, in every shard, once, with keys sorted', async () => {
    await draftRain(redis, signer, draft);
    expect(await settled()).toBe(false);
    expect(await redis.hexists(shardKeys('r1', 0).state, 'seed')).toBe(0);
    await close(redis, 'r1', 2, 'early');
    expect(await settled()).toBe(true);
    for (const shard of [0, 1]) {
      expect(await redis.hmget(shardKeys('r1', shard).state, 'state', 'seed', 'plan')).toEqual([
        'settled',
        SEED,
        '{"budget":"10.00","packets":10}',
      ]);
    }
    expect((await read()).reveal).toEqual({ seed: SEED, plan: PLAN });
    expect(
      await settle(
        redis,
        'r1',
        { shards: 2, title: 'Gala' },
        { ttlMs: 60_000, reveal: { seed: 'cd'.repeat(32), plan: PLAN } },
      ),
    ).toBe(true);
    expect((await read()).reveal).toEqual({ seed: SEED, plan: PLAN });
  });

  test('is not read while one shard is not settled, nor from an open rain, whatever is stored there', async () => {
    await draftRain(redis, signer, draft);
    await close(redis, 'r1', 2, 'early');
    await redis.hset(shardKeys('r1', 0).state, { state: 'settled', seed: SEED, plan: JSON.stringify(PLAN) });
    expect(await read()).not.toHaveProperty('reveal');
    await redis.hset(shardKeys('r1', 1).state, { state: 'loaded', seed: SEED, plan: JSON.stringify(PLAN) });
    expect(await read()).not.toHaveProperty('reveal');
    await redis.hset(shardKeys('r1', 1).state, { state: 'settled' });
    expect((await read()).reveal).toEqual({ seed: SEED, plan: PLAN });
  });
});
