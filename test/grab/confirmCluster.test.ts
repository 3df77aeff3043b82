import { Cluster, Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { confirmedEngine, createConfirm, type Confirm } from '../../src/grab/confirm.ts';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { slotOf } from '../../src/platform/redis/owner.ts';
import { awaitReplicas, readReplicated } from '../../src/relay/replicated.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { dial, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { connect, stockRain } from '../support/rain.ts';
import { startCluster, type TestCluster } from '../support/servers/cluster.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { beginSlotMove } from '../support/servers/slotMove.ts';

const WAIT_MS = 200;
/** For replicas that answer: the test does not depend on how soon. */
const HEALTHY_MS = 1_500;
const SHARDS = 12;
/** So many grabs a gateway always lets wait. */
const WAITING_MAX = 4;

let cluster: TestCluster;
let grabs: RedisClient;
let connections: RedisClient[];
let faults: string[];
let confirm: Confirm;
let bare: GrabEngine;
let engine: GrabEngine;
const frozen = new Set<number>();

beforeAll(async () => {
  cluster = await startCluster({ replicas: true });
  [grabs, ...connections] = (await Promise.all([0, 1, 2, 3, 4].map(() => connect(cluster.url)))) as [
    RedisClient,
    ...RedisClient[],
  ];
}, 60_000);
afterEach(() => {
  for (const pid of frozen) process.kill(pid, 'SIGCONT');
  frozen.clear();
});
afterAll(async () => {
  for (const connection of [grabs, ...connections]) connection.disconnect();
  await cluster.stop();
});
beforeEach(async () => {
  faults = [];
  const onFault = (error: unknown) => faults.push(String(error));
  confirm = createConfirm({ connections, replicas: 1, waitMs: WAIT_MS, onFault });
  bare = createGrabEngine(grabs, onFault);
  engine = confirmedEngine(bare, createConfirm({ connections, replicas: 1, waitMs: HEALTHY_MS, onFault }));
  await eventually(async () => expect(await awaitReplicas(grabs, 1, 500)()).toBe(true));
});

/** The replica of this master receives nothing, and acknowledges nothing. */
function stall(master: number): void {
  const { pid } = cluster.replicas[master]!;
  process.kill(pid, 'SIGSTOP');
  frozen.add(pid);
}

/** One user of each shard, and the master of that shard. */
const usersOf = (rainId: string) =>
  Array.from({ length: SHARDS }, (_, shard) => ({
    shard,
    master: cluster.homeOf(shardKeys(rainId, shard).state),
    userId: Array.from({ length: 1_000 }, (__, i) => `user-${i}`).find((user) => shardOf(user, SHARDS) === shard)!,
  }));
const stock = (rainId: string) =>
  stockRain(grabs, { rainId, amounts: Array.from({ length: SHARDS }, () => '0.10'), shards: SHARDS });

describe('DURABILITY=replicas=1 on a Redis Cluster', () => {
  test('[R4] with healthy replicas every shard tells its wins, new and repeated', async () => {
    await stock('well');
    for (const code of ['0', '1']) {
      const answers = await Promise.all(
        usersOf('well').map(({ shard, userId }) => engine.grab('well', shard, [userId])),
      );
      expect(answers.flat().map((answer) => answer.code)).toEqual(Array.from({ length: SHARDS }, () => code));
    }
    expect(new Set(usersOf('well').map(({ master }) => master)), 'all masters have a part').toEqual(new Set([0, 1, 2]));
    expect(faults).toEqual([]);
  });

  test('[R4] a stalled replica of one master: only the wins of that master are "busy", and the others do not wait for them', async () => {
    await stock('partly');
    stall(1);
    const slow = confirmedEngine(
      bare,
      createConfirm({ connections, replicas: 1, waitMs: HEALTHY_MS, onFault: (error) => faults.push(String(error)) }),
    );
    const order: number[] = [];
    const answers = await Promise.all(
      usersOf('partly').map(async ({ shard, master, userId }) => {
        const [answer] = await slow.grab('partly', shard, [userId]);
        order.push(master);
        return { master, code: answer!.code };
      }),
    );
    for (const { master, code } of answers) expect(code, `a win of master ${master}`).toBe(master === 1 ? '-7' : '0');
    expect(order.lastIndexOf(0), 'a healthy master was not held up by the stalled one').toBeLessThan(order.indexOf(1));
    expect(order.lastIndexOf(2), 'a healthy master was not held up by the stalled one').toBeLessThan(order.indexOf(1));
    expect(faults).toEqual([]);
  });

  test('a stalled replica of one master: its users wait and ask again, and no user of another master is refused for that', async () => {
    await stockRain(grabs, {
      rainId: 'throttled',
      amounts: Array.from({ length: 100 * SHARDS }, () => '0.01'),
      shards: SHARDS,
    });
    const gateway = await openGateway(cluster.url, {
      durability: { mode: 'replicas', replicas: 1 },
      limits: { grabsPendingMin: WAITING_MAX },
    });
    onTestFinished(() => gateway.close());
    const ofMaster = (master: number, count: number) => {
      const shards = usersOf('throttled')
        .filter((user) => user.master === master)
        .map(({ shard }) => shard);
      const users = Array.from({ length: 1_000 }, (_, i) => `u${i}`)
        .filter((user) => shards.includes(shardOf(user, SHARDS)))
        .slice(0, count);
      return Promise.all(users.map((user) => dial(gateway.url, user)));
    };
    const [its, others] = await Promise.all([ofMaster(1, 4 * WAITING_MAX), ofMaster(2, 20)]);
    onTestFinished(async () => {
      await Promise.all([...its, ...others].map((client) => client.leave()));
    });
    const ask = async (client: Client) => {
      client.say({ type: 'grab', rainId: 'throttled' });
      return (await client.next('result')).code;
    };
    stall(1);
    let [isOver, refused] = [false, 0];
    const asking = its.map(async (client) => {
      for (; !isOver; refused++) expect(await ask(client)).toBe('-7');
    });
    await eventually(() => refused >= its.length);
    const codes: string[] = [];
    for (const client of others) codes.push(await ask(client));
    isOver = true;
    await Promise.all(asking);
    expect(codes).toEqual(others.map(() => '0'));
  });

  test('[R4] a stalled replica of one master: the relay carries no claim of that master, and no money goes back', async () => {
    await stock('carried');
    for (const { shard, userId } of usersOf('carried')) await bare.grab('carried', shard, [userId]);
    await eventually(async () => expect(await awaitReplicas(grabs, 1, 500)()).toBe(true));
    stall(2);
    // Earlier writes are replicated; a write after them is not, and WAIT counts it.
    for (const { shard } of usersOf('carried')) await grabs.hset(shardKeys('carried', shard).state, 'title', 'again');
    const read = readReplicated(connections[0]!, 1, WAIT_MS);
    for (const { shard, master } of usersOf('carried')) {
      expect((await read(shardKeys('carried', shard).claims, 0, 10)).length, `entries of master ${master}`).toBe(
        master === 2 ? 0 : 1,
      );
    }
    expect(await awaitReplicas(connections[1]!, 1, WAIT_MS)()).toBe(false);
  });

  test('[R4] a master that has lost a slot confirms nothing of it, whatever the table of the client says', async () => {
    await stock('moved');
    const { shard, userId, master } = usersOf('moved')[0]!;
    const other = (master + 1) % 3;
    const [win] = await bare.grab('moved', shard, [userId]);
    const told = [{ userId, redPacketId: (win as { redPacketId: string }).redPacketId }];
    const slot = slotOf(grabs, shardKeys('moved', shard).claimed);
    await eventually(async () => expect(await confirm('moved', shard, told)).toEqual([true]));
    const move = await beginSlotMove(cluster, slot, cluster.masters[master]!, cluster.masters[other]!);
    await move.moveKeys();
    await move.end();
    faults.splice(0);
    // As if no client had heard of it.
    for (const connection of connections)
      (connection as Cluster).slots[slot] = [`127.0.0.1:${cluster.masters[master]!.port}`];
    expect(await confirm('moved', shard, told)).toEqual([false]);
    expect(faults).toEqual([expect.stringMatching(/MOVED/)]);
    // The fault made the clients ask for the owners.
    await eventually(async () => expect(await confirm('moved', shard, told)).toEqual([true]));
  });

  test('a win that a lost slot keeps from being confirmed does not keep the others of its master from it', async () => {
    await stock('beside');
    const users = usersOf('beside');
    const wins = await Promise.all(
      users.map(async (one) => ({
        ...one,
        redPacketId: ((await bare.grab('beside', one.shard, [one.userId]))[0] as { redPacketId: string }).redPacketId,
      })),
    );
    const [gone, ...others] = wins.filter(({ master }) => master === wins[0]!.master);
    const slot = slotOf(grabs, shardKeys('beside', gone!.shard).claimed);
    const move = await beginSlotMove(
      cluster,
      slot,
      cluster.masters[gone!.master]!,
      cluster.masters[(gone!.master + 1) % 3]!,
    );
    await move.moveKeys();
    await move.end();
    for (const connection of connections)
      (connection as Cluster).slots[slot] = [`127.0.0.1:${cluster.masters[gone!.master]!.port}`];
    const confirmAll = createConfirm({
      connections: connections.slice(0, 1),
      replicas: 1,
      waitMs: HEALTHY_MS,
      onFault: () => {},
    });
    const confirmed = await Promise.all(
      [gone!, ...others].map(({ shard, userId, redPacketId }) =>
        confirmAll('beside', shard, [{ userId, redPacketId }]),
      ),
    );
    expect(confirmed.flat()).toEqual([false, ...others.map(() => true)]);
  });

  test('[R4] a replica that lacks the last wins is promoted: none of them was told, and every told one is there', async () => {
    await stockRain(grabs, { rainId: 'promoted', amounts: Array.from({ length: 600 }, () => '0.01'), shards: SHARDS });
    const { shard } = usersOf('promoted').find(({ master }) => master === 0)!;
    const here = Array.from({ length: 1_000 }, (_, i) => `u${i}`)
      .filter((user) => shardOf(user, SHARDS) === shard)
      .slice(0, 30);
    const [before, after] = [here.slice(0, 10), here.slice(10)];
    const gateway = await openGateway(cluster.url, {
      durability: { mode: 'replicas', replicas: 1 },
      durabilityWaitMs: WAIT_MS,
    });
    onTestFinished(() => gateway.close());
    const told = new Map<string, string>();
    const ask = async (userId: string) => {
      const socket = await dial(gateway.url, userId);
      socket.say({ type: 'grab', rainId: 'promoted' });
      const answer = await socket.next('result');
      if ('redPacketId' in answer) told.set(userId, answer.redPacketId!);
      await socket.leave();
      return answer.code;
    };
    for (const user of before) expect(await ask(user)).toBe('0');
    const [master, replica] = [new Redis(cluster.masters[0]!.url), new Redis(cluster.replicas[0]!.url)];
    onTestFinished(() => {
      master.disconnect();
      replica.disconnect();
    });
    // From here on the replica is not let in any more.
    await replica.config('SET', 'masteruser', 'nobody');
    await replica.config('SET', 'masterauth', 'wrong');
    await master.call('CLIENT', 'KILL', 'TYPE', 'replica');
    for (const user of after) expect(await ask(user)).toBe('-7');
    await replica.call('CLUSTER', 'FAILOVER', 'TAKEOVER');
    await eventually(async () => expect(await replica.info('replication')).toContain('role:master'));
    const claimed = await replica.hgetall(shardKeys('promoted', shard).claimed);
    expect(Object.keys(claimed).sort()).toEqual([...told.keys()].sort());
    for (const [user, redPacketId] of told) expect(JSON.parse(claimed[user]!)).toMatchObject({ redPacketId });
    // The former master follows now, and wins are told again as soon as it does.
    await eventually(async () => expect(await ask(after[0]!)).toMatch(/^[01]$/));
  });
});
