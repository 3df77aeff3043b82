import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import type { Durability } from '../../src/platform/redis/durability.ts';
import { redisNow } from '../../src/store/rains.ts';
import { close } from '../../src/store/transitions.ts';
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
  onTestFinished(async () => { await Promise.all([gateway.close(), worker.close()]); });
  const now = await redisNow(redis);
  expect(await createRain(context, { id: 'whole', plan: { budget: '40.00', packets: 40 }, opensAt: now - 1_000, closesAt: now + 600_000, shards: SHARDS })).toMatchObject({ ok: true });
  await loadRain(context, 'whole');
  const codes = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const client = await dial(gateway.url, `user-${i}`);
    const code = await eventually(async () => {
      client.say({ type: 'grab', rainId: 'whole' });
      const answer = await client.next('result');
      return answer.code !== '-7' && answer.code;
    });
    await client.leave();
    return code;
  }));
  const won = codes.filter((code) => code === '0' || code === '1').length;
  expect(won).toBeGreaterThan(10);
  await eventually(async () => expect(await context.ledger.book('whole')).toMatchObject({ credited: { count: won } }));
  expect(await close(redis, 'whole', SHARDS, 'early')).toBe(true);
  await eventually(async () => expect((await context.ledger.rain('whole'))!.settledAt).toBeDefined());
});
