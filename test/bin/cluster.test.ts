import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import type { Durability } from '../../src/platform/redis/durability.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { close } from '../../src/store/transitions.ts';
import { rain } from '../support/call.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { startCluster, type TestCluster } from '../support/servers/cluster.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';
import { signer } from '../support/signer.ts';

const DURABILITY: Durability = { mode: 'replicas', replicas: 1 };
const SHARDS = 4;
let cluster: TestCluster;
let book: TestDatabase;
let redis: RedisClient;
let database: Database;
beforeAll(async () => {
  [cluster, book] = await Promise.all([startCluster({ replicas: true }), startDatabase()]);
  redis = await connect(cluster.url);
  database = connectDatabase(book.url);
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await database.$disconnect();
  await Promise.all([cluster.stop(), book.stop()]);
});

test('a whole rain on a Redis Cluster with DURABILITY=replicas=1: told, credited, and the rest goes back', async () => {
  const context: OperatorContext = { redis, ledger: openLedger(database), signer, actor: 'test' };
  const worker = await openWorker({ redisUrl: cluster.url, databaseUrl: book.url }, { durability: DURABILITY });
  const gateway = await openGateway(cluster.url, { durability: DURABILITY });
  onTestFinished(async () => {
    await Promise.all([gateway.close(), worker.close()]);
  });
  const now = await redisNow(redis);
  expect(
    await createRain(context, {
      id: 'whole',
      plan: { budget: '40.00', packets: 40 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      shards: SHARDS,
    }),
  ).toMatchObject({ ok: true });
  await loadRain(context, 'whole');
  const codes = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const client = await dial(gateway.url, `user-${i}`);
      const code = await eventually(async () => {
        client.say({ type: 'grab', rainId: 'whole' });
        const answer = await client.next('result');
        return answer.code !== '-7' && answer.code;
      });
      await client.leave();
      return code;
    }),
  );
  const won = codes.filter((code) => code === '0' || code === '1').length;
  expect(won).toBeGreaterThan(10);
  await eventually(async () => expect(await context.ledger.book('whole')).toMatchObject({ credited: { count: won } }));
  expect(await close(redis, 'whole', SHARDS, 'early')).toBe(true);
  await eventually(async () => expect((await context.ledger.rain('whole'))!.settledAt).toBeDefined());
});

describe('the masters of a rain of three shards', () => {
  const plan = ['--budget', '3.00', '--packets', '3', '--shards', '3', '--start', '+1h', '--duration', '1h', '--json'];
  const command = async (...args: string[]) => {
    const { exit, stdout, stderr } = await rain(args, { REDIS_URL: cluster.url, DATABASE_URL: book.url });
    expect(exit, stderr).toBe(0);
    return { stderr, value: JSON.parse(stdout) as { rainId: string; campaignId: string; uneven?: string } };
  };
  const mastersOf = (id: string) => new Set([0, 1, 2].map((shard) => cluster.homeOf(shardKeys(id, shard).state))).size;
  const ids = (prefix: string) => Array.from({ length: 1_000 }, (_, i) => `${prefix}${i}`);

  test('a rain, and a campaign, that get their ids from us have one on each master; all rounds have the masters of their campaign', async () => {
    for (let i = 0; i < 5; i++) {
      const { value, stderr } = await command('create', ...plan);
      expect(mastersOf(value.rainId)).toBe(3);
      expect(value.uneven).toBeUndefined();
      expect(stderr).not.toContain('masters');
      const {
        value: { campaignId },
      } = await command('campaign', 'create', '--wins-per-user', '1', '--shards', '3', '--json');
      expect([mastersOf(campaignId), mastersOf(`${campaignId}.1`), mastersOf(`${campaignId}.2`)]).toEqual([3, 3, 3]);
    }
  });

  test('an id of the operator is taken as it is, and a sentence says what it costs, in the dry run as well', async () => {
    const id = ids('mine').find((one) => mastersOf(one) === 2)!;
    const said = `the 3 shards of ${id} are on 2 of 3 masters of the Redis Cluster, 2 of them on one`;
    expect((await command('create', '--id', id, ...plan, '--dry-run')).value.uneven).toContain(said);
    const created = await command('create', '--id', id, ...plan);
    expect([created.value.rainId, created.stderr]).toEqual([id, expect.stringContaining(said)]);
    const campaign = await command(
      'campaign',
      'create',
      '--id',
      `c${id}`,
      '--wins-per-user',
      '1',
      '--shards',
      '3',
      '--json',
    );
    expect(campaign.value.uneven === undefined).toBe(mastersOf(`c${id}`) === 3);
    const good = ids('good').find((one) => mastersOf(one) === 3)!;
    expect((await command('create', '--id', good, ...plan)).value.uneven).toBeUndefined();
  });
});
