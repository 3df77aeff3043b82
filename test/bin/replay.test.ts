import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { createDeadQueue } from '../../src/credit/queue.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { QUEUE_PREFIX, shardKeys, shardOf } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { openReplay } from '../../src/operator/replay.ts';
import { beginComparison } from '../../src/operator/replayDiff.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { loadRain } from '../../src/operator/load.ts';
import { connectRedis } from '../../src/platform/redis/connect.ts';
import { rain } from '../support/call.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { withoutAllocation } from '../support/withoutTriggers.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});
afterAll(() => context.stop());

/** Twenty packets of 1.00 in two shards, open; these users win, one after the other. */
async function wonBy(id: string, users: readonly string[]): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '20.00', packets: 20, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    shards: 2,
  });
  await loadRain(context, id);
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (const user of users) {
    expect(await engine.grab(id, shardOf(user, 2), [user])).toEqual([expect.objectContaining({ code: '0' })]);
    await new Promise((resolve) => {
      setTimeout(resolve, 3);
    });
  }
}

const claims = async (id: string) => [...(await claimLog(context, id, 0)), ...(await claimLog(context, id, 1))];
const users = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { userId: string }).userId);

test('lists all wins in order of time over all shards; claims on their way are no difference', async () => {
  const winners = ['ann', 'bob', 'eve', 'joe', 'sue', 'tom'];
  expect(new Set(winners.map((user) => shardOf(user, 2))).size).toBe(2);
  await wonBy('full', winners);
  await context.ledger.credit((await claims('full')).filter(({ userId }) => userId !== 'joe'));
  const run = await rain(['replay', 'full', '--format', 'ndjson'], env);
  expect(run.exit).toBe(0);
  expect(users(run.stdout)).toEqual(winners);
  expect(JSON.parse(run.stdout.split('\n')[0]!)).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    rainId: 'full',
    redPacketId: expect.stringMatching(/^full-\d+$/) as string,
    amount: '1.00',
    userId: 'ann',
    shard: shardOf('ann', 2),
    index: 0,
  });
  expect(run.stderr).toMatch(
    /^on its way: full-\d+, 1\.00 won by joe\nThe log and the ledger agree: 6 claims, 1 of them on their way to the ledger\.\n$/,
  );
  await context.ledger.credit(await claims('full'));
  expect((await rain(['replay', 'full'], env)).stderr).toBe('The log and the ledger agree: 6 claims.\n');
});

test('csv: a spreadsheet does not run what a user calls himself', async () => {
  await wonBy('sheet', ['=HYPERLINK("http://evil")', '+49', '-1', '@x', 'plain, "quoted"']);
  const run = await rain(['replay', 'sheet', '--no-diff'], env);
  expect(run).toMatchObject({ exit: 0, stderr: '' });
  const [head, ...lines] = run.stdout.trim().split('\n');
  expect(head).toBe('at,rainId,redPacketId,amount,userId,shard,index');
  expect(lines.map((line) => /^\S+Z,sheet,sheet-\d+,1\.00,(.*),\d,\d+$/.exec(line)![1])).toEqual([
    '"\'=HYPERLINK(""http://evil"")"',
    "'+49",
    "'-1",
    "'@x",
    '"plain, ""quoted"""',
  ]);
});

test('[R5] a final difference is reported and exits 1: unreadable, another user, another amount, only in the ledger', async () => {
  await wonBy('torn', ['ann', 'bob', 'eve', 'joe']);
  const [first, second, third, fourth] = (await claims('torn')).toSorted((a, b) => Number(a.at) - Number(b.at));
  await withoutAllocation(context, 'torn');
  await context.ledger.credit([
    { ...first!, userId: 'mallory' },
    { ...second!, amount: '1.01' },
    { ...third!, redPacketId: 'torn-99' },
    fourth!,
  ]);
  await context.redis.lpush(shardKeys('torn', 1).claims, 'no claim', JSON.stringify({ ...first, rainId: 'other' }));
  const run = await rain(['replay', 'torn', '--format', 'ndjson'], env);
  expect(run.exit).toBe(1);
  expect(users(run.stdout)).toEqual(['ann', 'bob', 'eve', 'joe']);
  for (const sentence of [
    /^differs: torn-\d+ was won by ann and is credited to mallory$/m,
    /^differs: torn-\d+ of bob is 1\.00 in the log and 1\.01 in the ledger$/m,
    /^differs: torn-\d+ was won by eve, who is credited with torn-99$/m,
    /^only in book: torn-99, 1\.00 credited to eve/m,
    /^unreadable: entry \d of shard 1 is not a claim of this rain: not JSON$/m,
    /^unreadable: .* it is of rain other$/m,
    /^THE LOG AND THE LEDGER DIFFER: 2 only in book, 3 differs, 2 unreadable; 6 entries in the log\.$/m,
  ])
    expect(run.stderr).toMatch(sentence);
});

test('[R14] an entry whose packet or amount the plan does not have is a difference of its own, paid or not', async () => {
  await wonBy('lies', ['ann', 'bob', 'eve']);
  const log = shardKeys('lies', shardOf('eve', 2)).claims;
  const entry = (await context.redis.lrange(log, 0, -1)).find((text) => text.includes('"eve"'))!;
  const [raised, madeUp] = [
    entry.replace('"1.00"', '"2.00"'),
    entry.replace(/lies-\d+/, 'lies-20').replace('"eve"', '"thief"'),
  ];
  await context.redis.lset(log, (await context.redis.lpos(log, entry)) ?? -1, raised);
  await context.redis.lpush(log, madeUp);
  await withoutAllocation(context, 'lies');
  await context.ledger.credit((await claims('lies')).filter(({ userId }) => userId !== 'eve'));
  const run = await rain(['replay', 'lies', '--format', 'ndjson'], env);
  expect(run.exit).toBe(1);
  expect(users(run.stdout).sort()).toEqual(['ann', 'bob', 'eve', 'thief']);
  for (const sentence of [
    /^not in plan: entry \d of shard \d says that thief won lies-20, 1\.00; the plan has no packet lies-20; it is credited$/m,
    /^not in plan: entry \d of shard \d says that eve won lies-\d+, 2\.00; in the plan lies-\d+ holds 1\.00$/m,
    /^THE LOG AND THE LEDGER DIFFER: 2 not in plan; 4 entries in the log\.$/m,
  ])
    expect(run.stderr).toMatch(sentence);
});

test('packets of a top-up that comes during a replay are in the plan', async () => {
  await wonBy('grows', []);
  const comparison = await beginComparison(context, (await context.ledger.rain('grows'))!, async (entries) =>
    entries.map(() => false),
  );
  await topUpRain(context, 'grows', { budget: '10.00', packets: 10, split: { method: 'even' } });
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (let shard = 0; shard < 2; shard++)
    await engine.grab(
      'grows',
      shard,
      Array.from({ length: 30 }, (_, i) => `u${i}`).filter((user) => shardOf(user, 2) === shard),
    );
  const opened = await openReplay(context, 'grows');
  if (!opened.ok) throw new Error(JSON.stringify(opened.refusals));
  for await (const entry of opened.entries) await comparison.compare(entry);
  expect(await comparison.end()).toMatchObject({ counts: { not_in_plan: 0 }, pending: 30 });
});

test('a claim among the dead letters, and one that a closed ledger lacks, count as missing', async () => {
  await wonBy('lacking', ['ann', 'bob']);
  await context.ledger.credit((await claims('lacking')).filter(({ userId }) => userId === 'ann'));
  expect(await rain(['replay', 'lacking'], env)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('on its way') as string,
  });
  const shard = shardOf('bob', 2);
  const log = (await context.redis.lrange(shardKeys('lacking', shard).claims, 0, -1)).reverse();
  const index = log.findIndex((entry) => entry.includes('"bob"'));
  const connection = connectRedis(context.redisUrl, { purpose: 'queue', onError: () => {} });
  const dead = createDeadQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
  onTestFinished(async () => {
    await dead.close();
    connection.disconnect();
  });
  const letter = { rainId: 'lacking', shard, index, entry: log[index]! };
  const job = await dead.add('refused', { ...letter, reason: 'refused', detail: 'x' }, { jobId: deadLetterId(letter) });
  expect(await rain(['replay', 'lacking'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^missing: .* won by bob, is not in the ledger; it is a dead letter$/m) as string,
  });
  await job.remove();
  await context.ledger.settle('lacking');
  expect(await rain(['replay', 'lacking'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^missing: .* won by bob, is not in the ledger, which is settled$/m) as string,
  });
});

test('[R12] no log, no replay: never made, lost, or expired, and since when', async () => {
  expect(await rain(['replay', 'nowhere'], env)).toEqual({
    exit: 1,
    stdout: '',
    stderr: 'rain: id: there is no rain nowhere\n',
  });
  await wonBy('gone', ['ann']);
  await context.redis.del(shardKeys('gone', 1).state);
  expect(await rain(['replay', 'gone'], env), 'without the state the log is still read').toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('won by ann') as string,
  });
  await context.redis.del(Object.values(shardKeys('gone', 1)));
  expect((await rain(['replay', 'gone'], env)).stderr).toMatch(/^rain: id: Redis has no claim log of the rain gone/);
  const settledAt = await context.ledger.settle('gone');
  const run = await rain(['replay', 'gone'], env);
  expect(run).toMatchObject({ exit: 1, stdout: '' });
  expect(run.stderr).toContain(`its claim log expired at ${new Date(settledAt + 86_400_000).toISOString()}`);
  expect((await rain(['replay', 'gone', '--format', 'xml'], env)).exit).toBe(2);
});

test('thousands of claims are streamed, each once', async () => {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id: 'many',
    plan: { budget: '6000.00', packets: 6_000, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, 'many');
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (let at = 0; at < 5_500; at += 500)
    await engine.grab(
      'many',
      0,
      Array.from({ length: 500 }, (_, i) => `u${at + i}`),
    );
  const run = await rain(['replay', 'many', '--format', 'ndjson'], env);
  expect(users(run.stdout)).toEqual(Array.from({ length: 5_500 }, (_, i) => `u${i}`));
  expect(run.stderr).toMatch(/… and 5400 more on their way/);
  expect(run.exit).toBe(0);
});
