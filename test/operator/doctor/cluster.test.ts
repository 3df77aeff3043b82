import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../src/operator/doctor/finding.ts';
import { examineRedis } from '../../../src/operator/doctor/redis.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { LOCAL, type Durability } from '../../../src/platform/redis/durability.ts';
import { slotOf } from '../../../src/platform/redis/owner.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { connect, stockRain } from '../../support/rain.ts';
import { eventually } from '../../support/eventually.ts';
import { at, startCluster, type TestCluster } from '../../support/servers/cluster.ts';
import { startRedis, type TestRedis } from '../../support/servers/redis.ts';
import { beginSlotMove } from '../../support/servers/slotMove.ts';

const PLANNED = { packets: 1_000, users: 1_000 };
const ONE: Durability = { mode: 'replicas', replicas: 1 };
const TWO: Durability = { mode: 'replicas', replicas: 2 };
/** As the doctor wants them; by default Redis has yes, yes and 15 s. */
const SETTINGS = ['--cluster-allow-replica-migration', 'no', '--cluster-require-full-coverage', 'no'];

let cluster: TestCluster;
let redis: RedisClient;
beforeAll(async () => {
  cluster = await startCluster({ replicas: true, args: SETTINGS });
  redis = await connect(cluster.url);
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await cluster.stop();
});

const examine = async (durability: Durability): Promise<Finding[]> => examineRedis(redis, durability, PLANNED);
const nameOf = ({ port }: TestRedis) => `127.0.0.1:${port}`;
const find = (findings: readonly Finding[], name: string) =>
  findings.filter((finding) => finding.name.startsWith(name) && finding.verdict !== 'ok');

test('a Cluster as it should be: nothing is wrong with any of its six servers', async () => {
  const findings = await examine(ONE);
  expect(findings.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
  for (const name of ['cluster-allow-replica-migration', 'cluster-require-full-coverage', 'cluster-node-timeout']) {
    expect(findings.filter((finding) => finding.name.startsWith(name)).map((finding) => finding.verdict)).toEqual(
      Array.from({ length: 6 }, () => 'ok'),
    );
  }
  for (const name of ['all its replicas', 'slots on their way'])
    expect(findings.filter((finding) => finding.name.startsWith(name)).map((finding) => finding.verdict)).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
});

test.each([
  ['cluster-allow-replica-migration', 'yes', 'no', 'no', 'wrong', 'warning'],
  ['cluster-require-full-coverage', 'yes', 'no', 'no', 'warning', 'warning'],
  ['cluster-node-timeout', '15000', '2000', '5000 ms at most', 'warning', 'warning'],
] as const)(
  '%s is %s at one replica: it is named, with what it is and what it should be',
  async (name, found, before, expected, withReplicas, local) => {
    const replica = cluster.replicas[1]!;
    await at(replica, (node) => node.config('SET', name, found));
    onTestFinished(async () => void (await at(replica, (node) => node.config('SET', name, before))));
    const finding = {
      name: `${name} (${nameOf(replica)})`,
      found,
      expected,
      advice: expect.stringContaining(`set ${name} ${expected.split(' ')[0]}`) as string,
    };
    expect(find(await examine(ONE), 'cluster-')).toEqual([
      expect.objectContaining({ ...finding, verdict: withReplicas }),
    ]);
    expect(find(await examine(LOCAL), 'cluster-')).toEqual([expect.objectContaining({ ...finding, verdict: local })]);
  },
);

test('DURABILITY waits for more replicas than a master has: each master is named', async () => {
  const findings = await examine(TWO);
  expect(
    find(findings, 'all its replicas')
      .map(({ name, verdict, found }) => ({ name, verdict, found }))
      .sort((a, b) => a.name.localeCompare(b.name)),
  ).toEqual(
    cluster.masters
      .map((master, i) => ({
        name: `all its replicas (${nameOf(master)})`,
        verdict: 'wrong',
        found: `1: ${nameOf(cluster.replicas[i]!)}`,
      }))
      .sort((a, b) => a.name.localeCompare(b.name)),
  );
  expect(find(findings, 'replicas (')).toHaveLength(3);
  expect(find(await examine(LOCAL), 'all its replicas')).toEqual([]);
});

test('a master has more replicas than DURABILITY waits for: one that lacks a told win could be promoted', async () => {
  const id = (server: TestRedis) => at(server, async (node) => String(await node.call('CLUSTER', 'MYID')));
  const follow = (master: TestRedis) =>
    at(cluster.replicas[2]!, async (node) => void (await node.call('CLUSTER', 'REPLICATE', await id(master))));
  await follow(cluster.masters[0]!);
  onTestFinished(() => follow(cluster.masters[2]!));
  await eventually(async () =>
    expect(find(await examine(ONE), 'all its replicas')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: `all its replicas (${nameOf(cluster.masters[0]!)})`,
          verdict: 'wrong',
          found: expect.stringMatching(/^2: /) as string,
          advice: expect.stringContaining('DURABILITY=replicas=2') as string,
        }),
        expect.objectContaining({
          name: `all its replicas (${nameOf(cluster.masters[2]!)})`,
          verdict: 'wrong',
          found: 'none',
        }),
      ]),
    ),
  );
});

test('a new master has no replica yet: it is named before slots are moved to it', async () => {
  const added = await startRedis({
    args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', ...SETTINGS],
  });
  const id = await at(added, async (node) => String(await node.call('CLUSTER', 'MYID')));
  onTestFinished(async () => {
    for (const server of [...cluster.masters, ...cluster.replicas])
      await at(server, (node) => node.call('CLUSTER', 'FORGET', id));
    await added.stop();
  });
  await at(cluster.masters[0]!, (node) => node.call('CLUSTER', 'MEET', '127.0.0.1', String(added.port)));
  await eventually(async () => {
    for (const server of [...cluster.masters, ...cluster.replicas])
      expect(await at(server, (node) => node.call('CLUSTER', 'NODES'))).toMatch(
        new RegExp(`^${id} \\S+ master .* connected$`, 'm'),
      );
  });
  expect(find(await examine(ONE), 'a master without slots')).toEqual([
    expect.objectContaining({
      name: `a master without slots (${nameOf(added)})`,
      verdict: 'warning',
      found: 'no replica',
      expected: '1, as many as DURABILITY waits for',
    }),
  ]);
  expect(find(await examine(LOCAL), 'a master without slots')).toEqual([]);
});

test('a slot of a live rain is on its way: both masters and the rain are named; a slot without one is no fault', async () => {
  await stockRain(redis, { rainId: 'moving', amounts: ['1.00'] });
  const key = shardKeys('moving', 0).state;
  const [from, to] = [cluster.homeOf(key), (cluster.homeOf(key) + 1) % 3];
  const slot = slotOf(redis, key);
  const other = Array.from({ length: 100 }, (_, i) => `nothing-${i}`).find(
    (name) => cluster.homeOf(name) === from && slotOf(redis, name) !== slot,
  )!;
  const idle = await beginSlotMove(cluster, slotOf(redis, other), cluster.masters[from]!, cluster.masters[to]!);
  expect(find(await examine(LOCAL), 'slots on their way')).toEqual([]);
  await idle.end();
  const move = await beginSlotMove(cluster, slot, cluster.masters[from]!, cluster.masters[to]!);
  const met = find(await examine(LOCAL), 'slots on their way');
  expect(met.map(({ name }) => name).sort()).toEqual(
    [from, to].map((i) => `slots on their way (${nameOf(cluster.masters[i]!)})`).sort(),
  );
  for (const finding of met)
    expect(finding).toMatchObject({
      verdict: 'wrong',
      found: `${slot} with shard 0 of rain moving`,
      expected: 'none with a live rain or sale',
    });
  await move.moveKeys();
  await move.end();
  expect(find(await examine(LOCAL), 'slots on their way')).toEqual([]);
});
