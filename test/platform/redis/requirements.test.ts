import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startWorker } from '../../../src/bin/servers/worker.ts';
import { LOCAL, type Durability } from '../../../src/platform/redis/durability.ts';
import { requireFit, checkRedis } from '../../../src/platform/redis/requirements.ts';
import { parseInfo, readFacts } from '../../../src/platform/redis/facts.ts';
import { startCluster } from '../../support/servers/cluster.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { listeningLog } from '../../support/log.ts';
import { connect } from '../../support/rain.ts';
import { startRedis, type TestRedis } from '../../support/servers/redis.ts';
import { signer } from '../../support/signer.ts';

const RELAXED: Durability = { mode: 'relaxed' };
const master = await startRedis();
afterAll(() => master.stop());

async function redisWith(...args: string[]): Promise<TestRedis> {
  const server = await startRedis({ args });
  onTestFinished(() => server.stop());
  return server;
}

async function check(url: string, durability = LOCAL) {
  const redis = await connect(url);
  const { log, heard } = listeningLog();
  try {
    await requireFit(redis, durability, log);
    return { heard };
  } finally {
    redis.disconnect();
  }
}

describe('[R4] a server checks its Redis before it opens', () => {
  test('a Redis that syncs every write and never evicts passes without a message', async () => {
    expect((await check(master.url)).heard).toEqual([]);
    expect(
      (await check((await redisWith('--maxmemory', '100mb', '--maxmemory-policy', 'noeviction')).url)).heard,
    ).toEqual([]);
  });

  test.each<[string, string[], RegExp, Durability]>([
    [
      'a replica',
      ['--replicaof', '127.0.0.1', String(master.port)],
      /is a replica.*set REDIS_URL to its master/,
      RELAXED,
    ],
    [
      'one that evicts',
      ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
      /allkeys-lru.*set maxmemory-policy noeviction/,
      RELAXED,
    ],
    ['one that keeps no log', ['--appendonly', 'no'], /no append-only file.*set appendonly yes/, LOCAL],
  ])(
    '%s is refused by gateway and worker, in one sentence that says what to set',
    async (_, args, sentence, durability) => {
      const { url } = await redisWith(...args);
      await expect(check(url, durability)).rejects.toThrow(sentence);
      await expect(openGateway(url, { durability })).rejects.toThrow(sentence);
      const { log } = listeningLog();
      await expect(startWorker(url, 'postgres://nobody@127.0.0.1:1/none', log, { signer, durability })).rejects.toThrow(
        sentence,
      );
      await check(url, durability).catch(({ message }: Error) => expect(message).not.toContain('\n'));
    },
  );

  test('explicit settings are accepted: relaxed durability, and an eviction policy without a memory limit', async () => {
    expect((await check((await redisWith('--appendonly', 'no')).url, RELAXED)).heard).toEqual([]);
    expect((await check((await redisWith('--maxmemory-policy', 'allkeys-lru')).url)).heard).toEqual([]);
  });

  test('one that syncs every second is warned of, loudly', async () => {
    const { url } = await redisWith('--appendfsync', 'everysec');
    expect((await check(url)).heard).toEqual([
      expect.objectContaining({
        level: 'warn',
        problem: 'fsync',
        msg: expect.stringMatching(/appendfsync is everysec.*set appendfsync always/) as string,
      }),
    ]);
    expect((await check(url, RELAXED)).heard).toEqual([]);
    const gateway = await openGateway(url);
    await gateway.close();
  });

  test('a refused CONFIG does not stop the server, and a refused INFO is logged', async () => {
    const { url } = await redisWith('--rename-command', 'CONFIG', '""');
    expect((await check(url)).heard).toEqual([
      expect.objectContaining({ level: 'info', msg: expect.stringContaining('appendfsync') as string }),
    ]);
    await (await openGateway(url)).close();
    await expect(
      check((await redisWith('--rename-command', 'CONFIG', '""', '--appendonly', 'no')).url),
    ).rejects.toThrow(/no append-only file/);

    const shy = await redisWith();
    const owner = await connect(shy.url);
    await owner.acl('SETUSER', 'shy', 'on', '>secret', '~*', '&*', '+@all', '-info', '-config');
    owner.disconnect();
    const { heard } = await check(shy.url.replace('redis://', 'redis://shy:secret@'));
    expect(heard).toEqual([
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('refuses INFO') as string }),
    ]);
  });
});

test('every master of a Cluster is checked, and the error names the faulty one', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  expect((await check(cluster.url)).heard).toEqual([]);
  const address = /127\.0\.0\.1:\d+$/.exec(cluster.url)![0];
  const node = await connect(`redis://${address}`);
  onTestFinished(() => node.disconnect());
  await node.config('SET', 'appendonly', 'no');
  await expect(check(cluster.url)).rejects.toThrow(`this Redis (${address}) cannot store wins safely`);
});

test('facts: the fields of INFO, and the replicas', async () => {
  const replica = await redisWith('--replicaof', '127.0.0.1', String(master.port));
  const redis = await connect(master.url);
  const follower = await connect(replica.url);
  onTestFinished(() => {
    redis.disconnect();
    follower.disconnect();
  });
  expect((await readFacts(redis))[0]).toMatchObject({
    node: '',
    role: 'master',
    aofEnabled: true,
    aofWriteOk: true,
    appendfsync: 'always',
    evictionPolicy: 'noeviction',
    maxMemoryBytes: 0,
    evictedKeys: 0,
  });
  expect((await readFacts(redis))[0]!.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await readFacts(follower))[0]).toMatchObject({ role: 'slave' });
  expect(
    parseInfo(
      'role:master\r\nconnected_slaves:2\r\nslave0:ip=10.0.0.1,port=6379,state=online,offset=90,lag=1\r\nslave1:ip=10.0.0.2,port=6379,state=wait_bgsave,offset=0,lag=7\r\nmaster_repl_offset:100\r\n',
    ),
  ).toEqual({
    role: 'master',
    replicas: [
      { online: true, silentSeconds: 1, behindBytes: 10 },
      { online: false, silentSeconds: 7, behindBytes: 100 },
    ],
  });
});

test('a log that cannot be written any more is a reason to stop', () => {
  const facts = { node: '', ...parseInfo('role:master\r\naof_enabled:1\r\naof_last_write_status:err\r\n') };
  expect(checkRedis(facts, LOCAL)).toEqual([expect.objectContaining({ problem: 'aof_write', severity: 'wrong' })]);
  expect(checkRedis(facts, RELAXED)).toEqual([]);
});
