import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { LIVE_RAINS_KEY } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { LOCAL } from '../../src/platform/redis/durability.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { startRedisMonitor, type RedisMonitor } from '../../src/maintenance/redisMonitor.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog, type HeardLine } from '../support/log.ts';
import { connect } from '../support/rain.ts';
import { startRedis, type TestRedis } from '../support/servers/redis.ts';
import { signer } from '../support/signer.ts';

let book: TestDatabase;
let database: Database;
let ledger: Ledger;
let server: TestRedis;
let redis: RedisClient;
let redisMonitor: RedisMonitor;
let heard: HeardLine[];

beforeAll(async () => {
  book = await startDatabase();
  database = connectDatabase(book.url);
  ledger = openLedger(database);
});
afterAll(async () => {
  await database.$disconnect();
  await book.stop();
});

/** A Redis and its guard, of one test. */
async function watchOver(...args: string[]): Promise<void> {
  server = await startRedis({ args });
  redis = await connect(server.url);
  ({ heard, redisMonitor } = open());
  onTestFinished(async () => {
    await redisMonitor.close();
    redis.disconnect();
    await server.stop();
  });
}

function open() {
  const { log, ...listening } = listeningLog();
  return {
    heard: listening.heard,
    redisMonitor: startRedisMonitor({
      context: { redis, ledger, signer, actor: 'guard' },
      durability: LOCAL,
      log,
      everyMs: 30,
      momentMs: 400,
    }),
  };
}

const quiet = () =>
  eventually(() => expect(Object.values(redisMonitor.currentProblems()).every((count) => count === 0)).toBe(true));
const begins = (problem: string) =>
  eventually(() => expect(redisMonitor.currentProblems()).toMatchObject({ [problem]: 1 }));
/** Log levels of this problem, in order. */
const told = (problem: string) => heard.filter((line) => line['problem'] === problem).map(({ level }) => level);

/** Ten packets, loaded; in the book of all tests, so a test settles it in the end. */
async function loadedRain(id: string, opensInMs = -1_000): Promise<void> {
  const now = await redisNow(redis);
  const context = { redis, ledger, signer, actor: 'test' };
  await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now + opensInMs,
    closesAt: now + 600_000,
  });
  const loaded = await loadRain(context, id);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.refusals));
  onTestFinished(() => ledger.settle(id).then(() => {}));
}

beforeEach(() => {
  heard = [];
});

test('a Redis that turns into a replica, and back', async () => {
  await watchOver();
  const master = await startRedis();
  onTestFinished(() => master.stop());
  await quiet();
  await redis.replicaof('127.0.0.1', master.port);
  await begins('replica');
  await redis.replicaof('NO', 'ONE');
  await quiet();
  expect(told('replica')).toEqual(['error', 'info']);
});

test('an append-only file that is switched off, and one that is no longer synced at each write', async () => {
  await watchOver();
  await redis.config('SET', 'appendonly', 'no');
  await begins('no_aof');
  await redis.config('SET', 'appendonly', 'yes');
  await redis.config('SET', 'appendfsync', 'everysec');
  await begins('fsync');
  await redis.config('SET', 'appendfsync', 'always');
  await quiet();
  expect([told('no_aof'), told('fsync')]).toEqual([
    ['error', 'info'],
    ['warn', 'info'],
  ]);
});

test('keys that are evicted, by the policy and in fact', async () => {
  await watchOver();
  await quiet();
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await redis.config('SET', 'maxmemory', '3mb');
  await begins('evicts');
  for (let i = 0; i < 100; i++) await redis.set(`key-${i}`, 'x'.repeat(50_000));
  await begins('evicted');
  expect(heard.find((line) => line['problem'] === 'evicted')!.msg).toMatch(/has evicted \d+ keys for lack of memory/);
  await redis.config('SET', 'maxmemory', '0');
  await quiet();
  expect([told('evicts'), told('evicted')]).toEqual([
    ['error', 'info'],
    ['error', 'info'],
  ]);
});

test('a Redis that comes back as another, empty server: both problems are logged, the restart only once', async () => {
  await watchOver();
  await loadedRain('forgotten');
  await server.stop();
  const { port } = server;
  server = await startRedis({ port });
  // A restart is reported only briefly, which a busy machine may miss.
  await eventually(() => expect([told('restarted')[0], told('lost')]).toEqual(['warn', ['error']]), {
    timeoutMs: 10_000,
  });
  await eventually(() => expect(told('restarted')).toEqual(['warn', 'info']));
  expect(redisMonitor.currentProblems()).toMatchObject({ lost: 1, restarted: 0 });
});

test('a flush of a loaded rain is logged once, opened or not, and is over when the rain is settled', async () => {
  await watchOver();
  await loadedRain('flushed');
  await loadedRain('flushed-before-it-opened', 60_000);
  await quiet();
  await redis.flushall();
  await eventually(() => expect(redisMonitor.currentProblems().lost).toBe(2));
  await redisMonitor.close();
  expect(heard.filter((line) => line['problem'] === 'lost').toSorted((a, b) => a.msg.length - b.msg.length)).toEqual(
    ['flushed', 'flushed-before-it-opened'].map((subject) =>
      expect.objectContaining({
        level: 'error',
        subject,
        msg: expect.stringContaining(`Redis has lost the rain ${subject}`) as string,
      }),
    ),
  );
  // A worker started later reports it too; it ends with the rain.
  ({ redisMonitor, heard } = open());
  await eventually(() => expect(redisMonitor.currentProblems().lost).toBe(2));
  await Promise.all(['flushed', 'flushed-before-it-opened'].map((id) => ledger.settle(id)));
  await quiet();
  expect(told('lost').toSorted()).toEqual(['error', 'error', 'info', 'info']);
});

test('a rain that is missing in the index of Redis counts as lost until the index has it again', async () => {
  await watchOver();
  await loadedRain('unlisted');
  const entry = (await redis.hget(LIVE_RAINS_KEY, 'unlisted'))!;
  await redis.hdel(LIVE_RAINS_KEY, 'unlisted');
  await begins('lost');
  await redis.hset(LIVE_RAINS_KEY, 'unlisted', entry);
  await quiet();
  expect(told('lost')).toEqual(['error', 'info']);
});

test('a rain that was only planned, and a settled one, do not count as lost', async () => {
  await watchOver();
  const now = await redisNow(redis);
  await createRain(
    { redis, ledger, signer, actor: 'test' },
    {
      id: 'planned',
      plan: { budget: '1.00', packets: 1, split: { method: 'even' } },
      opensAt: now + 60_000,
      closesAt: now + 120_000,
    },
  );
  await loadedRain('settled');
  await ledger.settle('settled');
  await loadedRain('missed');
  const looked = redisMonitor;
  await redis.flushall();
  await looked.close();
  ({ redisMonitor, heard } = open());
  // By the look that misses this one.
  await begins('lost');
  expect(heard.flatMap((line) => (line['problem'] === 'lost' ? [line['subject']] : []))).toEqual(['missed']);
  await ledger.settle('planned');
});

test('an unreachable Redis is logged once, and earlier problems remain', async () => {
  await watchOver();
  await loadedRain('unseen');
  await redis.config('SET', 'appendfsync', 'everysec');
  await begins('fsync');
  await server.stop();
  await eventually(() => expect(redisMonitor.currentProblems()).toMatchObject({ fsync: 1, unseen: 2 }), {
    timeoutMs: 10_000,
  });
  expect(told('fsync')).toEqual(['warn']);
});

test('a user who loses INFO, and has it back, sees no restart', async () => {
  await watchOver();
  await quiet();
  const refused = async () => JSON.stringify(await redis.acl('LOG')).match(/"info"/g)?.length ?? 0;
  await redis.acl('SETUSER', 'default', '-info');
  await eventually(refused);
  await redis.acl('SETUSER', 'default', '+info');
  const rounds = async () => Number(/cmdstat_config\|get:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
  const before = await rounds();
  await eventually(async () => expect(await rounds()).toBeGreaterThan(before + 2));
  expect(told('restarted')).toEqual([]);
});
