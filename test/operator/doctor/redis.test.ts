import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkClock } from '../../../src/operator/doctor/finding.ts';
import { neededBytes } from '../../../src/operator/doctor/memory.ts';
import { examineRedis, checkLatency, checkServer } from '../../../src/operator/doctor/redis.ts';
import { LOCAL, type Durability } from '../../../src/platform/redis/durability.ts';
import { parseInfo } from '../../../src/platform/redis/facts.ts';
import { startCluster } from '../../support/servers/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { connect } from '../../support/rain.ts';
import { startRedis } from '../../support/servers/redis.ts';

const PLANNED = { packets: 1_000, users: 1_000 };
const master = await startRedis();
afterAll(() => master.stop());

async function examine(url: string, durability = LOCAL, planned = PLANNED) {
  const redis = await connect(url);
  try {
    return await examineRedis(redis, durability, planned);
  } finally {
    redis.disconnect();
  }
}

async function redisWith(...args: string[]): Promise<string> {
  const server = await startRedis({ args });
  onTestFinished(() => server.stop());
  return server.url;
}

const verdicts = (findings: Awaited<ReturnType<typeof examine>>) =>
  Object.fromEntries(findings.map(({ name, verdict }) => [name, verdict]));
const ALL_WELL = {
  version: 'ok',
  role: 'ok',
  'append-only file': 'ok',
  appendfsync: 'ok',
  eviction: 'ok',
  memory: 'ok',
  replicas: 'ok',
  clock: 'ok',
  commands: 'ok',
  scripts: 'ok',
};

test('a Redis as it should be: every check is ok, and none has advice', async () => {
  const findings = await examine(await redisWith('--maxmemory', '1gb'));
  expect(verdicts(findings)).toMatchObject(ALL_WELL);
  expect(Object.keys(verdicts(findings))).toEqual([
    ...Object.keys(ALL_WELL).slice(0, 7),
    'round trip',
    'clock',
    'commands',
    'scripts',
  ]);
  expect(findings.filter(({ verdict, advice }) => (verdict === 'ok') !== (advice === undefined))).toEqual([]);
});

test.each<[string, string[], Record<string, string>, Durability]>([
  ['a replica', ['--replicaof', '127.0.0.1', String(master.port)], { role: 'wrong' }, LOCAL],
  ['no append-only file', ['--appendonly', 'no'], { 'append-only file': 'wrong' }, LOCAL],
  [
    'no append-only file, and nobody minds',
    ['--appendonly', 'no'],
    { 'append-only file': 'ok', appendfsync: 'ok' },
    { mode: 'relaxed' },
  ],
  ['synced every second', ['--appendfsync', 'everysec'], { 'append-only file': 'ok', appendfsync: 'warning' }, LOCAL],
  ['evicting', ['--maxmemory', '1gb', '--maxmemory-policy', 'allkeys-lru'], { eviction: 'wrong' }, LOCAL],
  ['evicting as soon as there is a limit', ['--maxmemory-policy', 'allkeys-lru'], { eviction: 'warning' }, LOCAL],
  ['too small', ['--maxmemory', '50mb'], { memory: 'wrong' }, LOCAL],
  ['without a limit of memory', ['--maxmemory', '0'], { memory: 'warning', eviction: 'ok' }, LOCAL],
  ['without the replicas that are to confirm', [], { replicas: 'wrong' }, { mode: 'replicas', replicas: 1 }],
  [
    'silent about its settings',
    ['--rename-command', 'CONFIG', '""'],
    { appendfsync: 'warning', eviction: 'ok', 'append-only file': 'ok', role: 'ok' },
    LOCAL,
  ],
])('%s', async (_, args, expected, durability) => {
  const findings = await examine(await redisWith(...args), durability);
  expect(verdicts(findings)).toMatchObject(expected);
  for (const { verdict, advice } of findings) if (verdict !== 'ok') expect(advice).toMatch(/\S/);
});

test('a user of Redis who may not call a command is told which, and where the rules are', async () => {
  const redis = await connect(master.url);
  onTestFinished(() => redis.disconnect());
  await redis.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-bzpopmin');
  const commands = async () =>
    (await examine(master.url.replace('//', '//limited:secret@'))).find(({ name }) => name === 'commands');
  const advice = expect.stringContaining('rain doctor --acl') as string;
  expect(await commands()).toMatchObject({
    verdict: 'warning',
    found: 'this user cannot be a worker: no bzpopmin',
    advice,
  });
  await redis.call('ACL', 'SETUSER', 'limited', '-exec');
  expect(await commands()).toMatchObject({
    verdict: 'wrong',
    found: expect.stringContaining('this user cannot be an operator: no exec') as string,
    advice,
  });
});

test('a connected replica is shown with its lag, and satisfies a required replica', async () => {
  await redisWith('--replicaof', '127.0.0.1', String(master.port));
  const redis = await connect(master.url);
  onTestFinished(() => redis.disconnect());
  await eventually(
    async () =>
      expect(
        (await examineRedis(redis, { mode: 'replicas', replicas: 1 }, PLANNED)).find(({ name }) => name === 'replicas'),
      ).toMatchObject({
        verdict: 'ok',
        found: expect.stringMatching(/^1 \(\d+ bytes behind, last seen \d+ s ago\)$/) as string,
      }),
    { timeoutMs: 20_000, everyMs: 100 },
  );
});

test('a user who may neither load scripts nor read the configuration of Redis', async () => {
  const url = await redisWith();
  const owner = await connect(url);
  await owner.acl('SETUSER', 'shy', 'on', '>secret', '~*', '&*', '+@all', '-info', '-config', '-script');
  owner.disconnect();
  const findings = await examine(url.replace('redis://', 'redis://shy:secret@'));
  expect(verdicts(findings)).toMatchObject({
    ...ALL_WELL,
    commands: 'wrong',
    scripts: 'wrong',
    version: 'warning',
    role: 'warning',
    'append-only file': 'warning',
    appendfsync: 'warning',
    eviction: 'warning',
    memory: 'warning',
    replicas: 'warning',
  });
  expect(findings.filter(({ found }) => found === 'could not be checked')).toHaveLength(7);
});

test('a Cluster: every master is checked, and missing slots are an error', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const findings = await examine(cluster.url);
  expect(findings.filter(({ name }) => name.startsWith('role (127.0.0.1:')).map(({ verdict }) => verdict)).toEqual([
    'ok',
    'ok',
    'ok',
  ]);
  expect(findings.find(({ name }) => name === 'cluster')).toMatchObject({
    verdict: 'ok',
    found: 'cluster_state:ok, 16384 slots of 16384',
  });
  const node = await connect(`redis://${/127\.0\.0\.1:\d+/.exec(cluster.url)![0]}`);
  const whole = await connect(cluster.url);
  onTestFinished(() => {
    node.disconnect();
    whole.disconnect();
  });
  await node.call('CLUSTER', 'DELSLOTS', '0');
  // Whichever node is asked: the others learn it from this one.
  await eventually(
    async () =>
      expect((await examineRedis(whole, LOCAL, PLANNED)).find(({ name }) => name === 'cluster')?.verdict).toBe('wrong'),
    { timeoutMs: 20_000, everyMs: 100 },
  );
});

test('old versions, slow round trips and clocks that are apart', () => {
  const version = (text: string) =>
    checkServer({ node: '', ...parseInfo(`redis_version:${text}\r\n`) }, LOCAL, 1, PLANNED).find(
      ({ name }) => name === 'version',
    )!.verdict;
  expect(['5.0.14', '6.0.16', '6.2.0', '7.0.15', '8.0.1'].map(version)).toEqual([
    'wrong',
    'wrong',
    'warning',
    'ok',
    'ok',
  ]);
  expect([0.2, 20, 200].map((ms) => checkLatency(Array.from({ length: 100 }, () => ms)).verdict)).toEqual([
    'ok',
    'warning',
    'wrong',
  ]);
  expect(checkLatency([...Array.from({ length: 99 }, () => 1), 900])).toMatchObject({
    verdict: 'ok',
    found: 'p50 1.00 ms, max 900.00 ms of 100',
  });
  expect([-3, 2_000, -60_000].map((ms) => checkClock('redis', ms).verdict)).toEqual(['ok', 'warning', 'wrong']);
});

test('memory: what is planned, against the limit or the machine', () => {
  expect(neededBytes({ packets: 1_000_000, users: 100 })).toBe(64 * 1024 * 1024 + 60_000_000 + 51_200);
  const memory = (used: number, max: number, machine: number) =>
    checkServer({ node: '', usedMemoryBytes: used, maxMemoryBytes: max, systemMemoryBytes: machine }, LOCAL, 1, {
      packets: 1_000_000,
      users: 1_000_000,
    }).find(({ name }) => name === 'memory')!;
  const gb = 1024 ** 3;
  expect(memory(0.1 * gb, gb, 8 * gb)).toMatchObject({ verdict: 'ok' });
  expect(memory(0.6 * gb, gb, 8 * gb)).toMatchObject({
    verdict: 'wrong',
    advice: expect.stringMatching(/^set maxmemory to at least \d+ MiB/) as string,
  });
  expect(memory(0.1 * gb, 0, 0.5 * gb)).toMatchObject({
    verdict: 'wrong',
    advice: expect.stringMatching(/^set maxmemory to at least \d+ MiB/) as string,
  });
  // In a container with a limit of 1 GiB, INFO tells the memory of the node.
  expect(memory(0.1 * gb, 0, 64 * gb)).toMatchObject({
    verdict: 'warning',
    found: expect.stringMatching(/^maxmemory is 0 \(no limit\); \d+ MiB free of the machine's 65536 MiB$/) as string,
    advice: expect.stringMatching(
      /^set maxmemory to at least \d+ MiB.*does not know the limit of a container/,
    ) as string,
  });
});
