import { beforeEach, describe, expect, test } from 'vitest';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { close, pause, resume, settle } from '../../src/store/transitions.ts';
import { coarseLeft, findRain, readRain } from '../../src/store/rains.ts';
import { run } from '../../src/store/scripts.ts';
import { createSigner } from '../../src/store/signer.ts';
import { draftRain, loadPackets, plannedFor } from '../../src/store/loadPackets.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';
import { laterSigner, signer } from '../support/signer.ts';

const { redis } = await openRedis();
beforeEach(async () => void (await redis.flushall()));

const draft = { rainId: 'r1', title: 'Gala', shards: 3, opensAt: 1_000, closesAt: 2_000, packets: 10_001 };
const amounts = BigInt64Array.from({ length: 10_001 }, (_, i) => BigInt(i + 1));

async function elements(): Promise<string[]> {
  const lists = await Promise.all([0, 1, 2].map((shard) => redis.lrange(shardKeys('r1', shard).packets, 0, -1)));
  return lists.flat();
}

describe('preallocation', () => {
  test('a load interrupted at any chunk and run again adds every packet once', async () => {
    await draftRain(redis, signer, draft);
    for (let cuts = 0; cuts < 5; cuts++) {
      let chunks = 0;
      await expect(
        loadPackets(redis, signer, 'r1', 3, amounts, () => {
          if (++chunks === 2) throw new Error('killed');
        }),
      ).rejects.toThrow('killed');
    }
    const steps: number[] = [];
    expect(await loadPackets(redis, signer, 'r1', 3, amounts, (loaded) => steps.push(loaded))).toEqual({
      ok: true,
      packets: 10_001,
    });
    expect(steps.at(-1)).toBe(10_001);
    const packets = (await elements()).map((element) => JSON.parse(element) as { redPacketId: string; amount: string });
    expect(new Set(packets.map(({ redPacketId }) => redPacketId)).size).toBe(10_001);
    expect(packets).toHaveLength(10_001);
    expect(packets.find(({ redPacketId }) => redPacketId === 'r1-1220')).toEqual({
      redPacketId: 'r1-1220',
      amount: '12.21',
      mac: signer.packetMac('r1', 'r1-1220', '12.21'),
    });
  });

  test('packets are signed with one key: a draft takes the key of who loads it, and another key adds nothing to a loaded rain', async () => {
    const other = createSigner('another-signing-secret-of-32-characters');
    const one = { ...draft, shards: 1, packets: 3_000 };
    const keyOf = () => redis.hget(shardKeys('r1', 0).state, 'signedBy');
    await draftRain(redis, other, one);
    expect(await loadPackets(redis, signer, 'r1', 1, amounts.slice(0, 3_000), () => {})).toEqual({
      ok: false,
      reason: 'other_key',
    });
    expect(await draftRain(redis, signer, one)).toBe('exists');
    expect(await keyOf()).toBe(signer.keyId);
    await expect(
      loadPackets(redis, signer, 'r1', 1, amounts.slice(0, 3_000), (loaded) => {
        if (loaded === 2_000) throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect(await draftRain(redis, other, one)).toBe('exists');
    expect(await keyOf()).toBe(signer.keyId);
    expect(await loadPackets(redis, other, 'r1', 1, amounts.slice(0, 3_000), () => {})).toEqual({
      ok: false,
      reason: 'other_key',
    });
    expect(await redis.llen(shardKeys('r1', 0).packets)).toBe(2_000);
  });

  test('after the secret was replaced, a load goes on with the key that the rain has', async () => {
    const one = { ...draft, shards: 1, packets: 3_000 };
    await draftRain(redis, signer, one);
    await expect(
      loadPackets(redis, signer, 'r1', 1, amounts.slice(0, 3_000), (loaded) => {
        if (loaded === 2_000) throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect(await loadPackets(redis, laterSigner, 'r1', 1, amounts.slice(0, 3_000), () => {})).toEqual({
      ok: true,
      packets: 3_000,
    });
    const macs = (await redis.lrange(shardKeys('r1', 0).packets, 0, -1)).map(
      (element) => JSON.parse(element) as { redPacketId: string; amount: string; mac: string },
    );
    expect(macs.every((packet) => signer.isGenuine('r1', packet))).toBe(true);
  });

  test('two simultaneous loads add every packet once', async () => {
    await draftRain(redis, signer, draft);
    await Promise.all([1, 2, 3].map(() => loadPackets(redis, signer, 'r1', 3, amounts, () => {})));
    expect(new Set(await elements()).size).toBe(10_001);
    expect(await elements()).toHaveLength(10_001);
  });

  test('loading a loaded rain again changes nothing', async () => {
    await draftRain(redis, signer, draft);
    await loadPackets(redis, signer, 'r1', 3, amounts, () => {});
    const before = await dump(redis);
    expect(await loadPackets(redis, signer, 'r1', 3, amounts, () => {})).toEqual({ ok: true, packets: 10_001 });
    expect(await dump(redis)).toEqual(before);
  });

  test('the terms are stored unchanged, unknown ones included, and the terms that the script enforces are extracted', async () => {
    const terms = { winsMax: 2, rehearsal: true, colour: 'red' } as const;
    await draftRain(redis, signer, { ...draft, terms });
    const live = (await findRain(redis, 'r1'))!;
    expect(live).toEqual({ shards: 3, title: 'Gala', rehearsal: true });
    expect((await readRain(redis, 'r1', live))!.terms).toEqual(terms);
    expect(await redis.hmget(shardKeys('r1', 2).state, 'terms', 'winsMax')).toEqual([
      '{"colour":"red","rehearsal":true,"winsMax":2}',
      '2',
    ]);
    expect(await draftRain(redis, signer, { ...draft, terms })).toBe('exists');
    expect([
      await draftRain(redis, signer, { ...draft, terms: { winsMax: 2 } }),
      await draftRain(redis, signer, draft),
    ]).toEqual(['taken', 'taken']);
  });

  test('a rain drafted before terms existed is the same rain, and gets them', async () => {
    const terms = { winsMax: 2 };
    await draftRain(redis, signer, { ...draft, terms });
    for (const shard of [0, 1, 2]) await redis.hdel(shardKeys('r1', shard).state, 'terms');
    const live = { ...(await findRain(redis, 'r1'))!, rehearsal: true as const };
    expect((await readRain(redis, 'r1', live))!.terms).toEqual({ rehearsal: true });
    expect(await draftRain(redis, signer, { ...draft, terms: { winsMax: 3 } })).toBe('taken');
    expect(await draftRain(redis, signer, { ...draft, terms })).toBe('exists');
    expect((await readRain(redis, 'r1', live))!.terms).toEqual(terms);
  });

  test('terms that are not JSON are detected before anything is written', async () => {
    await expect(
      run(redis, 'draft', Object.values(shardKeys('bad', 0)).slice(0, 7), ['bad', 1, 2, 1, '', '{']),
    ).rejects.toThrow(/draft|cjson|JSON|Expected/);
    expect(await redis.dbsize()).toBe(0);
  });

  test('a rain that was closed while it was being loaded takes no more packets', async () => {
    await draftRain(redis, signer, draft);
    await close(redis, 'r1', 3, 'early');
    expect(await loadPackets(redis, signer, 'r1', 3, amounts, () => {})).toEqual({ ok: false, reason: 'not_a_draft' });
    expect(await loadPackets(redis, signer, 'r2', 1, amounts, () => {})).toEqual({ ok: false, reason: 'no_such_rain' });
    expect(await elements()).toEqual([]);
  });

  test('drafting the same rain twice is harmless; another rain of that id, or remains of one, are refused', async () => {
    expect(await draftRain(redis, signer, draft)).toBe('created');
    expect(await draftRain(redis, signer, draft)).toBe('exists');
    expect(await draftRain(redis, signer, { ...draft, closesAt: 3_000 })).toBe('taken');
    await redis.rpush(shardKeys('old', 0).claims, 'a claim');
    expect(await draftRain(redis, signer, { ...draft, rainId: 'old' })).toBe('taken');
    expect(await findRain(redis, 'old')).toBeUndefined();
  });

  test('shards share the packets evenly, and a shard without packets does not delay the rain', async () => {
    expect([0, 1, 2].map((shard) => plannedFor(shard, 3, 10_001))).toEqual([3334, 3334, 3333]);
    await stockRain(redis, { rainId: 'tiny', amounts: ['1.00'], shards: 4 });
    expect(await readRain(redis, 'tiny', { shards: 4, title: '' })).toMatchObject({
      state: 'loaded',
      packets: 1,
      loaded: 1,
      left: 1,
    });
  });

  test('every user has one shard, and the shards are about equally full', () => {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 10_000; i++) counts[shardOf(`user-${i}`, 4)]!++;
    for (const count of counts) expect(count).toBeGreaterThan(2_200);
    expect(shardOf('用户', 4)).toBe(shardOf('用户', 4));
  });
});

describe('the states of a rain', () => {
  test('a draft cannot be paused or resumed; loaded ⇄ paused, each repeatable; closed stays closed', async () => {
    await draftRain(redis, signer, { ...draft, shards: 1, closesAt: Date.now() + 60_000 });
    expect(await pause(redis, 'r1', 1)).toBe('draft');
    expect(await resume(redis, 'r1', 1)).toBe('draft');
    await loadPackets(redis, signer, 'r1', 1, amounts, () => {});
    expect(await resume(redis, 'r1', 1)).toBe('loaded');
    expect(await pause(redis, 'r1', 1)).toBe('paused');
    expect(await pause(redis, 'r1', 1)).toBe('paused');
    expect(await resume(redis, 'r1', 1)).toBe('loaded');
    expect(await close(redis, 'r1', 1, 'due')).toBe(false);
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 1_000 })).toBe(false);
    expect(await close(redis, 'r1', 1, 'early')).toBe(true);
    expect(await close(redis, 'r1', 1, 'due')).toBe(true);
    expect(await pause(redis, 'r1', 1)).toBe('closed');
    expect(await resume(redis, 'r1', 1)).toBe('closed');
    expect(await pause(redis, 'nobody', 1)).toBeUndefined();
  });

  test('no key expires before the settlement, all keys of a settled rain do', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });
    const { lease: _, ...lasting } = shardKeys('r1', 0);
    for (const key of Object.values(lasting)) if (await redis.exists(key)) expect(await redis.pttl(key)).toBe(-1);
    await close(redis, 'r1', 1, 'early');
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000 })).toBe(true);
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000 })).toBe(true);
    for (const key of Object.values(lasting))
      if (await redis.exists(key)) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  test('viewers see the number of packets left in steps, and zero only when none is left', () => {
    expect(coarseLeft(1_000_000, 1_000_000)).toBe(1_000_000);
    expect(coarseLeft(999_999, 1_000_000)).toBe(1_000_000);
    expect(coarseLeft(1, 1_000_000)).toBe(10_000);
    expect(coarseLeft(0, 1_000_000)).toBe(0);
    expect(coarseLeft(7, 20)).toBe(7);
  });
});
