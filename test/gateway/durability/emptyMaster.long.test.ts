import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { LIVE_RAINS_KEY, shardKeys, shardOf } from '../../../src/store/keys.ts';
import { LIVE_SALES_KEY, saleKeys } from '../../../src/store/saleKeys.ts';
import { readTold } from '../../../src/store/told.ts';
import { eventually } from '../../support/eventually.ts';
import { listeningLog } from '../../support/log.ts';
import { connect, stockRain } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';
import { at, startCluster, type TestCluster } from '../../support/servers/cluster.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { buy, enter, stockSale, tee } from '../sales/stage.ts';
import type { Client } from '../../support/client.ts';

// A master of a Cluster that comes back empty: killed, its files gone, started at once with its slots.
const SHARDS = 3;
let cluster: TestCluster;
let redis: RedisClient;
beforeAll(async () => {
  cluster = await startCluster({ args: ['--cluster-require-full-coverage', 'no'] });
}, 60_000);
afterAll(() => cluster?.stop());
// Each has a new one: a test cuts the connections to a master.
beforeEach(async () => {
  redis = await connect(cluster.url);
});
afterEach(() => redis.disconnect());

async function emptyMaster(master: number): Promise<void> {
  await at(cluster.masters[master]!, async (node) => {
    await node.multi().flushall().call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes').exec();
  });
}

async function grab(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'grab', rainId });
  return (await client.next('result')).code;
}

async function join(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'join', rainId });
  return (await client.next('result')).code;
}

const usersIn = (shard: number, count: number, name: string) =>
  Array.from({ length: 2_000 }, (_, i) => `${name}-${i}`)
    .filter((user) => shardOf(user, SHARDS) === shard)
    .slice(0, count);
const idOn = (master: number, keyOf: (id: string) => string, name: string) =>
  Array.from({ length: 200 }, (_, i) => `${name}-${i}`).find((id) => cluster.homeOf(keyOf(id)) === master)!;

test.each(['of the shards only', 'of the index, too'])(
  '[R2][R14] a master comes back empty (%s): nobody hears a final word of what it has lost, the other shards go on, and each told win is on a list',
  async (what) => {
    const index = cluster.homeOf(LIVE_RAINS_KEY);
    const others = [0, 1, 2].filter((master) => master !== index && master !== cluster.homeOf(LIVE_SALES_KEY));
    const lostMaster = what === 'of the shards only' ? others[0]! : index;
    // One shard of the rain is on the master that loses everything, and one is not.
    const rainId = Array.from({ length: 200 }, (_, i) => `half-${lostMaster}-${i}`).find((id) => {
      const homes = [0, 1, 2].map((shard) => cluster.homeOf(shardKeys(id, shard).state));
      return homes.filter((home) => home === lostMaster).length === 1 && new Set(homes).size === 3;
    })!;
    const lostShard = [0, 1, 2].find((shard) => cluster.homeOf(shardKeys(rainId, shard).state) === lostMaster)!;
    const whole = idOn(lostMaster, (id) => shardKeys(id, 0).state, `whole-${lostMaster}`);
    const saleId = idOn(lostMaster, (id) => saleKeys(id).state, `sale-${lostMaster}`);
    await stockRain(redis, { rainId, amounts: Array.from({ length: 60 }, () => '0.10'), shards: SHARDS });
    await stockRain(redis, { rainId: whole, amounts: ['0.10', '0.10'] });
    await stockSale(redis, { saleId, items: [tee(5)] });
    const { log, heard } = listeningLog();
    const gateway = await openGateway(cluster.url, { log });
    onTestFinished(() => gateway.close());
    const clients = (shard: number, count: number, name: string) =>
      Promise.all(usersIn(shard, count, name).map((user) => enter(gateway.url, user)));
    const [ann, ...lostUsers] = await clients(lostShard, 5, 'lost');
    const healthy = await clients((lostShard + 1) % SHARDS, 12, 'well');
    const bob = await enter(gateway.url, 'bob');
    expect(await grab(ann!, rainId)).toBe('0');
    expect(await grab(healthy.pop()!, rainId)).toBe('0');
    expect(await grab(bob, whole)).toBe('0');
    expect((await buy(bob, saleId, { ref: 'first' })).code).toBe('0');

    await emptyMaster(lostMaster);
    const codes = { healthy: new Set<string>(), lost: new Set<string>(), sale: new Set<string>() };
    const until = performance.now() + 4_000;
    while (performance.now() < until || healthy.length > 0) {
      const one = healthy.pop();
      if (one)
        codes.healthy.add(await eventually(async () => await grab(one, rainId).then((code) => code !== '-7' && code)));
      for (const user of [ann!, ...lostUsers]) codes.lost.add(await grab(user, rainId));
      codes.lost
        .add(await grab(bob, whole))
        .add(await join(bob, whole))
        .add(await join(ann!, rainId));
      codes.sale.add((await buy(bob, saleId, { ref: 'again' })).code);
      // A user may send so many messages a second.
      await sleep(50);
    }
    expect(codes).toEqual({ healthy: new Set(['0']), lost: new Set(['-7']), sale: new Set(['-7']) });
    // One that starts now knows nothing of what was there.
    if (what === 'of the shards only') {
      const later = await openGateway(cluster.url, { log });
      onTestFinished(() => later.close());
      const [carl, dora] = [
        await enter(later.url, usersIn(lostShard, 9, 'lost').at(-1)!),
        await enter(later.url, usersIn((lostShard + 1) % SHARDS, 20, 'well').at(-1)!),
      ];
      expect(await grab(carl, rainId)).toBe('-7');
      expect(await grab(dora, rainId)).toBe('0');
      expect(await grab(carl, whole)).toBe('-7');
      expect((await buy(carl, saleId, { ref: 'first' })).code).toBe('-7');
    }
    await eventually(
      async () => {
        expect((await readTold(redis, signer, rainId, SHARDS)).map(({ userId }) => userId)).toEqual([
          usersIn(lostShard, 1, 'lost')[0],
        ]);
        expect((await readTold(redis, signer, whole, 1)).map(({ userId }) => userId)).toEqual(['bob']);
      },
      { timeoutMs: 15_000 },
    );
    expect(heard.filter(({ level }) => level === 'error').map(({ rainId: id }) => id)).toEqual(
      expect.arrayContaining([rainId, whole]),
    );
  },
  60_000,
);
