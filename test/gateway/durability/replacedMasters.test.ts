import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { LOOKING_MS_MAX } from '../../../src/gateway/durability/limits.ts';
import { startRestorer } from '../../../src/gateway/durability/restorer.ts';
import type { Logger } from '../../../src/platform/telemetry/log.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { shardKeys, shardOf } from '../../../src/store/keys.ts';
import { dial, type Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { listeningLog } from '../../support/log.ts';
import { connect, stockRain } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';
import { at, startCluster, type TestCluster } from '../../support/servers/cluster.ts';
import { openGateway } from '../../support/servers/gateway.ts';

const SHARDS = 12;
const OUTCOMES_MIN = 20;
let cluster: TestCluster;
let redis: RedisClient;
beforeAll(async () => {
  cluster = await startCluster({ replicas: true, args: ['--cluster-require-full-coverage', 'no'] });
}, 60_000);
afterAll(() => cluster.stop());
// Each has a new one: a test cuts the connections to a master.
beforeEach(async () => {
  redis = await connect(cluster.url);
});
afterEach(() => redis.disconnect());

async function gatewayWith(log?: Logger): Promise<string> {
  const gateway = await openGateway(cluster.url, log && { log });
  onTestFinished(() => gateway.close());
  return gateway.url;
}

async function dialed(url: string, userId: string): Promise<Client> {
  const client = await dial(url, userId);
  onTestFinished(() => client.leave());
  return client;
}

async function grab(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'grab', rainId });
  return (await client.next('result')).code;
}

/** The first users of a shard, and the first shard of each master. */
const usersIn = (shard: number, count: number) =>
  Array.from({ length: 2_000 }, (_, i) => `user-${i}`)
    .filter((user) => shardOf(user, SHARDS) === shard)
    .slice(0, count);
const shardOfMaster = (rainId: string) =>
  [0, 1, 2].map((master) =>
    Array.from({ length: SHARDS }, (_, shard) => shard).find(
      (shard) => cluster.homeOf(shardKeys(rainId, shard).state) === master,
    )!,
  );

test('a master comes back with another connection: only its users wait while told wins are looked for, and for a bounded time', async () => {
  // Rounds of a campaign share their slots. A win told in the first cannot be looked for later, so that the check does
  // not end.
  for (const rainId of ['cut.1', 'cut.2'])
    await stockRain(redis, { rainId, amounts: Array.from({ length: 240 }, () => '0.01'), shards: SHARDS, winsMax: 2 });
  const url = await gatewayWith();
  const shards = shardOfMaster('cut.2');
  const users = await Promise.all(
    shards.map((shard) => Promise.all(usersIn(shard, 3).map((user) => dialed(url, user)))),
  );
  for (const [first] of users) for (const rainId of ['cut.1', 'cut.2']) expect(await grab(first!, rainId)).toBe('0');
  const { claimed } = shardKeys('cut.1', shards[0]!);
  await redis.del(claimed);
  await redis.set(claimed, 'of another type');
  await at(cluster.masters[0]!, (node) => node.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
  const cutAt = performance.now();
  const waiting = eventually(async () => expect(await grab(users[0]![1]!, 'cut.2')).toBe('0'));
  for (const master of [1, 2])
    for (const user of users[master]!.slice(1))
      expect(await grab(user, 'cut.2'), `a user of master ${master}`).toBe('0');
  await waiting;
  expect(performance.now() - cutAt, 'ms that the users of the master waited').toBeGreaterThan(LOOKING_MS_MAX);
});

test('[R6] a replica without the last told wins is promoted: nobody else gets their packets, and the users of the other masters wait for nothing', async () => {
  await stockRain(redis, { rainId: 'lost', amounts: Array.from({ length: SHARDS }, () => '0.10'), shards: SHARDS });
  await stockRain(redis, {
    rainId: 'beside',
    amounts: Array.from({ length: 200 * SHARDS }, () => '0.01'),
    shards: SHARDS,
  });
  const { log, heard } = listeningLog();
  const url = await gatewayWith(log);
  const shard = shardOfMaster('lost')[0]!;
  // The packet of a told win must not go to another shard either [R13].
  const elsewhere = shardOfMaster('lost')[1]!;
  const [ann, ...others] = await Promise.all(
    [...usersIn(shard, SHARDS), ...usersIn(elsewhere, SHARDS)].map((user) => dialed(url, user)),
  );
  const beside = await Promise.all(
    shardOfMaster('beside')
      .slice(1)
      .flatMap((one) => usersIn(one, 150))
      .map((user) => dialed(url, user)),
  );
  // Each shard is known to the gateway before, and the replica has the rain.
  for (const client of beside.splice(0, 1)) expect(await grab(client, 'beside')).toBe('0');
  expect(await grab(beside.splice(-1, 1)[0]!, 'beside')).toBe('0');
  const replica = cluster.replicas[0]!;
  await eventually(() =>
    at(replica, async (node) => {
      await node.readonly();
      return (await node.llen(shardKeys('lost', shard).packets)) === 1;
    }),
  );
  // From here on the replica is not let in any more.
  await at(replica, (node) => node.config('SET', 'masteruser', 'nobody', 'masterauth', 'wrong'));
  await at(cluster.masters[0]!, (node) => node.call('CLIENT', 'KILL', 'TYPE', 'replica'));
  expect(await grab(ann!, 'lost')).toBe('0');
  const outcomes: string[] = [];
  let over = false;
  const going = (async () => {
    // All the time, and a few times more.
    for (const client of beside) {
      if (over && outcomes.length >= OUTCOMES_MIN) break;
      outcomes.push(await grab(client, 'beside'));
    }
  })();
  process.kill(cluster.masters[0]!.pid, 'SIGKILL');
  await at(replica, (node) => node.call('CLUSTER', 'FAILOVER', 'TAKEOVER'));
  const codes = await Promise.all(
    others.map((other) =>
      eventually(
        async () => {
          const code = await grab(other, 'lost');
          return code !== '-7' && code;
        },
        { everyMs: 5 },
      ),
    ),
  );
  over = true;
  await going;
  expect(new Set(codes), 'whoever asked on the promoted server').toEqual(new Set(['0', '-1']));
  expect(
    codes.filter((code) => code === '0'),
    'the packets of the other shards, and no more',
  ).toHaveLength(SHARDS - 1);
  expect(await grab(ann!, 'lost')).toBe('1');
  expect(outcomes.length).toBeGreaterThanOrEqual(OUTCOMES_MIN);
  expect(new Set(outcomes), 'users of the other masters').toEqual(new Set(['0']));
  expect(heard.filter(({ msg }) => msg.includes('put back'))).toEqual([
    expect.objectContaining({ rainId: 'lost', putBack: 1, contested: 0 }),
  ]);
}, 60_000);

test('[R6] a master that lives on and gives its shards away: no grab follows it to a server without the last told wins', async () => {
  await stockRain(redis, { rainId: 'given', amounts: Array.from({ length: SHARDS }, () => '0.10'), shards: SHARDS });
  const url = await gatewayWith();
  const shard = shardOfMaster('given')[1]!;
  const [master, replica] = [cluster.masters[1]!, cluster.replicas[1]!];
  const [ann, ...others] = await Promise.all(usersIn(shard, 100).map((user) => dialed(url, user)));
  await eventually(() =>
    at(replica, async (node) => {
      await node.readonly();
      return (await node.llen(shardKeys('given', shard).packets)) === 1;
    }),
  );
  await at(replica, (node) => node.config('SET', 'masteruser', 'nobody', 'masterauth', 'wrong'));
  await at(master, (node) => node.call('CLIENT', 'KILL', 'TYPE', 'replica'));
  ann!.say({ type: 'grab', rainId: 'given' });
  const { redPacketId } = await ann!.next('result');
  expect(redPacketId).toBeDefined();
  const told: unknown[] = [];
  const going = (async () => {
    // One after the other, so that one of them is the first to be sent to a master that has just given its shards away.
    for (const other of others) {
      other.say({ type: 'grab', rainId: 'given' });
      told.push((await other.next('result')).redPacketId);
    }
  })();
  await at(replica, (node) => node.call('CLUSTER', 'FAILOVER', 'TAKEOVER'));
  await going;
  expect(told).toHaveLength(99);
  expect(told).not.toContain(redPacketId);
});

test.each([1, Infinity])(
  '[R6] a check that hangs keeps no told win from being put back while grabs still wait; hanging: %d',
  async (hanging) => {
    // A rain of the master that the tests before have left as it was.
    const rainId = Array.from({ length: 100 }, (_, i) => `hangs-${hanging}-${i}`).find(
      (id) => cluster.homeOf(shardKeys(id, 0).state) === 2,
    )!;
    await stockRain(redis, { rainId, amounts: ['0.10'] });
    const { state, claimed } = shardKeys(rainId, 0);
    let begun = 0;
    const { log } = listeningLog();
    const restorer = startRestorer({
      redis,
      signer,
      log,
      retryMs: 10,
      recentWins: [{ rainId, shard: 0, userId: 'ann', redPacketId: `${rainId}-0`, amount: '0.10', at: Date.now() }],
      first: () => (begun++ < hanging ? new Promise(() => {}) : Promise.resolve()),
    });
    onTestFinished(() => restorer.close());
    expect(restorer.looking(state), 'the master as it was from the start').toBe(false);
    if (hanging === 1) {
      restorer.recheck();
      await eventually(() => expect(begun).toBe(1));
    }
    await at(cluster.masters[2]!, (node) => node.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
    await eventually(() => expect(restorer.looking(state)).toBe(true), { everyMs: 1 });
    await eventually(() => expect(restorer.looking(state)).toBe(false), { everyMs: 1 });
    expect(await redis.hexists(claimed, 'ann')).toBe(1);
  },
);
