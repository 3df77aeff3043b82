import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { explain } from '../../src/bin/exit.ts';
import { readEpoch, writeEpoch } from '../../src/store/epoch.ts';
import { hold } from '../../src/store/holds.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { stockRain } from '../support/rain.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { startPglite } from '../support/servers/pglite.ts';
import { startRedis } from '../support/servers/redis.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  // With a server without fsync, as the tests otherwise use one, it would say that it is not fit for money.
  context = await openTestContext(startPglite);
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});
afterAll(() => context.stop());

interface Report {
  ok: boolean;
  findings: { subject: string; name: string; verdict: string; found: string }[];
}
const report = (stdout: string) => JSON.parse(stdout) as Report;

test('a system that may be used exits 0, for people and for machines, and writes nothing', async () => {
  const before = await context.redis.dbsize();
  const [people, machines] = await Promise.all([
    rain(['doctor'], env),
    rain(['doctor', '--json', '--packets', '500', '--users', '9'], env),
  ]);
  expect(people).toMatchObject({ exit: 0, stderr: '' });
  expect(people.stdout).toMatch(/^ok {7}redis appendfsync: always$/m);
  expect(people.stdout).toMatch(/^warning {2}database kind: PGlite.*\n {9}expected: .*\n {9}to do: set DATABASE_URL/m);
  expect(machines.exit).toBe(0);
  expect(report(machines.stdout)).toMatchObject({ ok: true });
  expect(await context.redis.dbsize()).toBe(before);
});

test('the rules for a user of Redis of its own are printed for each role, without asking anybody', async () => {
  const printed = await rain(['doctor', '--acl'], {});
  expect(printed).toMatchObject({ exit: 0, stderr: '' });
  expect(
    printed.stdout
      .trim()
      .split('\n')
      .map((line) => /^ACL SETUSER (\S+) reset on >PASSWORD ~rain:\* .* -@all .*\+evalsha /.exec(line)?.[1]),
  ).toEqual(['rain-gateway', 'rain-worker', 'rain-operator']);
});

test('a wallet whose bare word "paid" is trusted is a warning; one that must give receipts is well, and our own ledger is not asked', async () => {
  const webhook = {
    ...env,
    PAYOUT_PROVIDER: 'webhook',
    WEBHOOK_URL: 'http://127.0.0.1:1',
    WEBHOOK_SECRET: 's'.repeat(32),
  };
  const receipts = async (settings: Record<string, string>) =>
    report((await rain(['doctor', '--json'], settings)).stdout).findings.filter(({ subject }) => subject === 'wallet');
  expect(await receipts({ ...webhook, WEBHOOK_RECEIPTS: 'trust_status' })).toEqual([
    expect.objectContaining({
      name: 'receipts',
      verdict: 'warning',
      found: expect.stringContaining('trust_status') as string,
    }),
  ]);
  expect(await receipts(webhook)).toMatchObject([{ name: 'receipts', verdict: 'ok' }]);
  expect(await receipts(env)).toEqual([]);
});

test('what is wrong is named with what to set, and exits 1', async () => {
  const server = await startRedis({
    args: ['--appendonly', 'no', '--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
  });
  onTestFinished(() => server.stop());
  const run = await rain(['doctor', '--packets', '1000000', '--users', '1000000'], { ...env, REDIS_URL: server.url });
  expect(run.exit).toBe(1);
  for (const sentence of [
    /^wrong {4}redis append-only file: .*\n.*\n.*set appendonly yes/m,
    /^wrong {4}redis eviction: .*allkeys-lru.*\n.*\n.*noeviction/m,
    /^wrong {4}redis memory: .*\n.*\n.*set maxmemory to at least/m,
    /^3 wrong, .*NOT SAFE FOR MONEY\.$/m,
  ]) {
    expect(run.stdout).toMatch(sentence);
  }
  const verdicts = run.stdout.split('\n').flatMap((line) => /^(ok|warning|wrong) {2}/.exec(line)?.[1] ?? []);
  expect(verdicts, 'what is wrong stands last, where a terminal shows it').toEqual(
    ['ok', 'warning', 'wrong'].flatMap((verdict) => verdicts.filter((one) => one === verdict)),
  );
  expect(verdicts.at(-1)).toBe('wrong');
});

test('a rain that is held because the stores differ, and an older store, are named, and exit 1', async () => {
  onTestFinished(async () => void (await context.redis.flushall()));
  await stockRain(context.redis, { rainId: 'strange', amounts: ['1.00'] });
  await hold(context.redis, 'strange', 1, 'unknown_to_ledger');
  await writeEpoch(
    context.redis,
    { ...(await context.ledger.epoch()), counter: 900 },
    (await readEpoch(context.redis)).runId,
  );
  const run = await rain(['doctor'], env);
  expect(run.exit).toBe(1);
  expect(run.stdout).toMatch(
    /^wrong {4}database epoch: an older state than Redis: step \d+ in the database, 900 in Redis\n.*\n.*rain restore check/m,
  );
  expect(run.stdout).toMatch(/^wrong {4}redis held rains: 1: strange \(unknown_to_ledger\)\n.*\n.*rain restore check/m);
});

test('a server that is not there exits 3, and the other one is examined all the same', async () => {
  const [noRedis, noDatabase] = await Promise.all([
    rain(['doctor', '--json'], { ...env, REDIS_URL: 'redis://:secret@127.0.0.1:1' }),
    rain(['doctor', '--json'], { ...env, DATABASE_URL: 'postgres://rain:secret@127.0.0.1:1/rain' }),
  ]);
  for (const [run, subject] of [
    [noRedis, 'redis'],
    [noDatabase, 'database'],
  ] as const) {
    expect(run.exit).toBe(3);
    expect(run.stdout).not.toContain('secret');
    expect(report(run.stdout).findings.filter((finding) => finding.subject === subject)).toEqual([
      expect.objectContaining({ name: 'reachable', verdict: 'wrong' }),
    ]);
    expect(report(run.stdout).findings.length).toBeGreaterThan(4);
  }
});

test('gateway and worker end with that one sentence on a Redis that evicts', async () => {
  const server = await startRedis({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-ttl'] });
  onTestFinished(() => server.stop());
  const openings = [openGateway(server.url), openWorker({ redisUrl: server.url, databaseUrl: context.databaseUrl })];
  const sentence = expect.stringMatching(
    /^this Redis cannot store wins safely: .*volatile-ttl.*; set maxmemory-policy noeviction in Redis$/,
  ) as string;
  expect(await Promise.all(openings.map((opening) => opening.then(() => 'it opened', explain)))).toEqual(
    openings.map(() => ({ exit: 1, reasons: [sentence] })),
  );
});
