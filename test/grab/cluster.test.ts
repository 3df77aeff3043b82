import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enlist } from '../../src/store/campaign.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { campaignKeys, shardKeys, shardOf } from '../../src/store/keys.ts';
import { close, pause, resume, settle } from '../../src/store/transitions.ts';
import { findRain, readRain } from '../../src/store/rains.ts';
import { restoreSentWins } from '../../src/grab/restore.ts';
import { loadScripts, run } from '../../src/store/scripts.ts';
import { createWinnersReader } from '../../src/store/winnersFilter.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { slotOf } from '../../src/platform/redis/owner.ts';
import { dial } from '../support/client.ts';
import { startCluster, type TestCluster } from '../support/servers/cluster.ts';
import { beginSlotMove } from '../support/servers/slotMove.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { connect, stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

let cluster: TestCluster;
let redis: RedisClient;

beforeAll(async () => {
  cluster = await startCluster();
  redis = await connect(cluster.url);
}, 40_000);
afterAll(async () => {
  redis.disconnect();
  await cluster.stop();
});

describe('on a Redis Cluster of three masters', () => {
  test('[R6] a filter of the winners that one gateway has built is read by another one', async () => {
    const users = Array.from({ length: 1_200 }, (_, i) => `winner-${i}`);
    await stockRain(redis, {
      rainId: 'filtered',
      amounts: users.map(() => '0.10').concat(users.map(() => '0.10')),
      shards: 3,
    });
    const engine = createGrabEngine(redis, (error) => {
      throw error;
    });
    for (const shard of [0, 1, 2])
      await engine.grab(
        'filtered',
        shard,
        users.filter((user) => shardOf(user, 3) === shard),
      );
    const reader = () =>
      createWinnersReader({
        redis,
        signer,
        onFault: (error) => {
          throw error;
        },
      });
    await reader()('filtered', 3);
    expect(await redis.exists(shardKeys('filtered', 0).winners)).toBe(1);
    const read = await reader()('filtered', 3);
    expect(users.filter((user) => !read!.mayHaveWon(user))).toEqual([]);
  });

  test('a userId as a key gave CROSSSLOT: ours is an argument, and every script runs on every shard', async () => {
    await loadScripts(redis);
    const keys = shardKeys('trap', 0);
    await stockRain(redis, { rainId: 'trap', amounts: ['1.00'] });
    await expect(
      run(
        redis,
        'grab',
        [keys.state, keys.packets, keys.claimed, 'alice', keys.spoiled, campaignKeys('trap', 0).wins],
        ['alice'],
      ),
    ).rejects.toThrow(/CROSSSLOT|same slot/i);
    const faults: unknown[] = [];
    expect((await createGrabEngine(redis, (fault) => faults.push(fault)).grab('trap', 0, ['alice']))[0]!.code).toBe(
      '0',
    );
    expect(faults).toEqual([]);
  });

  test('a rain of eight shards over all masters: its whole life, each user once [R1], each packet once [R2]', async () => {
    const shards = 8;
    await stockRain(redis, { rainId: 'wide', amounts: Array.from({ length: 400 }, () => '0.01'), shards });
    const engine = createGrabEngine(redis, (fault) => {
      throw fault;
    });
    const users = Array.from({ length: 1_000 }, (_, i) => `user-${i}`);
    const ask = () =>
      Promise.all(users.map(async (user) => (await engine.grab('wide', shardOf(user, shards), [user]))[0]!));
    const first = await ask();
    const packets = first.flatMap((answer) => ('redPacketId' in answer ? [answer.redPacketId] : []));
    expect(packets).toHaveLength(400);
    expect(new Set(packets).size).toBe(400);
    const again = await ask();
    expect(again).toEqual(first.map((answer) => (answer.code === '0' ? { ...answer, code: '1' } : answer)));
    expect(await pause(redis, 'wide', shards)).toBe('paused');
    expect(await resume(redis, 'wide', shards)).toBe('loaded');
    expect(await close(redis, 'wide', shards, 'early')).toBe(true);
    const live = (await findRain(redis, 'wide'))!;
    expect(await readRain(redis, 'wide', live)).toMatchObject({ state: 'closed', packets: 400, left: 0, claims: 400 });
    expect(await settle(redis, 'wide', live, { ttlMs: 60_000 })).toBe(true);
  });

  test('the rounds of a campaign share slots: grab, restore, enlist and settlement are legal on every shard', async () => {
    const shards = 8;
    for (const round of [1, 2])
      await stockRain(redis, {
        rainId: `fair.${round}`,
        amounts: Array.from({ length: 80 }, () => '0.01'),
        shards,
        winsMax: 1,
      });
    const engine = createGrabEngine(redis, (fault) => {
      throw fault;
    });
    const users = Array.from({ length: 40 }, (_, i) => `user-${i}`);
    const ask = (rainId: string) =>
      Promise.all(users.map(async (user) => (await engine.grab(rainId, shardOf(user, shards), [user]))[0]!));
    const first = await ask('fair.1');
    const won = users.filter((_, i) => first[i]!.code === '0');
    expect(won.length).toBeGreaterThan(20);
    const second = await ask('fair.2');
    expect(users.filter((_, i) => second[i]!.code === '-11')).toEqual(won);
    for (let shard = 0; shard < shards; shard++) {
      const elsewhere = users.find((user) => shardOf(user, shards) === shard)!;
      await restoreSentWins(redis, signer, [
        {
          rainId: 'fair.2',
          shard,
          userId: elsewhere,
          redPacketId: `fair.2-${shard}`,
          amount: '0.01',
          at: 1_795_000_000_000,
        },
      ]);
      expect(await enlist(redis, 'fair.2', shard, [{ userId: elsewhere, round: 1 }])).toBe(true);
    }
    for (const rainId of ['fair.1', 'fair.2']) {
      expect(await close(redis, rainId, shards, 'early')).toBe(true);
      expect(await settle(redis, rainId, (await findRain(redis, rainId))!, { ttlMs: 60_000 })).toBe(true);
    }
    for (let shard = 0; shard < shards; shard++)
      expect(await redis.pttl(campaignKeys('fair.1', shard).wins)).toBeGreaterThan(0);
  });

  test('[R2][R6] a slot of a live rain is moved: its users are "busy" meanwhile, and nothing is lost; afterwards all goes on', async () => {
    await stockRain(redis, { rainId: 'moving', amounts: ['1.00', '2.00'] });
    const { state, claims } = shardKeys('moving', 0);
    const [from, to] = [cluster.masters[cluster.homeOf(state)]!, cluster.masters[(cluster.homeOf(state) + 1) % 3]!];
    const faults: unknown[] = [];
    const engine = createGrabEngine(redis, (fault) => faults.push(String(fault)));
    const codes = async (...users: string[]) => (await engine.grab('moving', 0, users)).map(({ code }) => code);
    expect(await codes('ann')).toEqual(['0']);
    const move = await beginSlotMove(cluster, slotOf(redis, state), from, to);
    // Redis runs a script there only when every key exists that it names.
    expect(await codes('ann', 'bob')).toEqual(['-7', '-7']);
    await move.moveKeys();
    expect(await codes('ann', 'bob')).toEqual(['-7', '-7']);
    await move.end();
    expect(await codes('ann', 'bob', 'cid')).toEqual(['1', '0', '-1']);
    expect(await redis.llen(claims)).toBe(2);
    expect(faults).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/TRYAGAIN|ASK|MOVED/) as string));
  });

  test('the gateway serves it like a single Redis', async () => {
    await stockRain(redis, { rainId: 'door', amounts: ['3.00'], shards: 1 });
    const gateway = await openGateway(cluster.url);
    try {
      const ann = await dial(gateway.url, 'ann');
      ann.say({ type: 'grab', rainId: 'door' });
      expect(await ann.next('result')).toMatchObject({ code: '0', amount: '3.00' });
      await ann.leave();
    } finally {
      await gateway.close();
    }
  });
});
