import { afterAll, beforeAll, expect, test } from 'vitest';
import { BLOCKS_MAX } from '../../src/store/blocks.ts';
import { BLOCKS_KEY, EVENTS_CHANNEL } from '../../src/store/keys.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../src/operator/block.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { redisNow } from '../../src/store/rains.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

async function recorded(): Promise<{ verb: string; actor: string; details: unknown }[]> {
  const database = connectDatabase(context.databaseUrl);
  try {
    return await database.operatorAction.findMany({
      where: { verb: { in: ['block', 'unblock'] } },
      orderBy: { id: 'asc' },
      select: { verb: true, actor: true, details: true },
    });
  } finally {
    await database.$disconnect();
  }
}

test('a block shows target, reason, operator and end; it is recorded, announced, listed, replaced and lifted', async () => {
  const ears = await connect(context.redisUrl);
  const heard: string[] = [];
  await ears.subscribe(EVENTS_CHANNEL);
  ears.on('message', (_channel, frame: string) => heard.push(frame));
  const blocked = await blockCaller(context, 'user', 'mallory', {
    reason: ' two thousand accounts ',
    forMs: 7_200_000,
  });
  expect(blocked).toMatchObject({
    ok: true,
    block: { kind: 'user', who: 'mallory', reason: 'two thousand accounts', actor: 'test' },
  });
  const { since, until } = (await listBlocks(context))[0]!;
  expect(until! - since).toBe(7_200_000);
  expect(Math.abs(since - Date.now())).toBeLessThan(5_000);
  expect(await blockCaller(context, 'address', '203.0.113.77/24', { reason: 'a farm' })).toMatchObject({
    ok: true,
    block: { who: '203.0.113.0/24' },
  });
  expect(await blockCaller(context, 'user', 'mallory', { reason: 'for good' })).toMatchObject({ ok: true });
  expect((await listBlocks(context)).map(({ who, reason, until: end }) => [who, reason, end])).toEqual([
    ['mallory', 'for good', undefined],
    ['203.0.113.0/24', 'a farm', undefined],
  ]);
  expect(await liftCallerBlock(context, 'address', '203.0.113.1/24')).toMatchObject({
    ok: true,
    block: { reason: 'a farm' },
  });
  expect(await liftCallerBlock(context, 'user', 'mallory')).toMatchObject({ ok: true });
  expect(await listBlocks(context)).toEqual([]);
  expect(await recorded()).toEqual([
    { verb: 'block', actor: 'test', details: { kind: 'user', who: 'mallory', reason: 'two thousand accounts', until } },
    { verb: 'block', actor: 'test', details: { kind: 'address', who: '203.0.113.0/24', reason: 'a farm' } },
    { verb: 'block', actor: 'test', details: { kind: 'user', who: 'mallory', reason: 'for good' } },
    { verb: 'unblock', actor: 'test', details: { kind: 'address', who: '203.0.113.0/24' } },
    { verb: 'unblock', actor: 'test', details: { kind: 'user', who: 'mallory' } },
  ]);
  await eventually(() => heard.length === 5);
  expect(new Set(heard)).toEqual(new Set(['{"type":"blocks"}']));
  ears.disconnect();
});

test.each<[string, 'user' | 'address', string, { reason: string; forMs?: number }, string, RegExp]>([
  ['no user', 'user', '', { reason: 'r' }, 'who', /1 to 128/],
  ['no address', 'address', 'example.org', { reason: 'r' }, 'who', /not an address/],
  ['the whole internet', 'address', '0.0.0.0/0', { reason: 'r' }, 'who', /at least \/8/],
  ['no reason', 'user', 'ann', { reason: '  ' }, 'reason', /1 to 500/],
  ['a long reason', 'user', 'ann', { reason: 'x'.repeat(501) }, 'reason', /1 to 500/],
  ['no time at all', 'user', 'ann', { reason: 'r', forMs: 0 }, 'for', /1s to 366d/],
  ['a hundred years', 'user', 'ann', { reason: 'r', forMs: 36_500 * 86_400_000 }, 'for', /1s to 366d/],
])('[R12] %s: refused, and nothing is changed or recorded', async (_, kind, who, options, field, sentence) => {
  const before = [await context.redis.hgetall(BLOCKS_KEY), await recorded()];
  expect(await blockCaller(context, kind, who, options)).toMatchObject({
    ok: false,
    refusals: [{ field, reason: expect.stringMatching(sentence) as string }],
  });
  expect([await context.redis.hgetall(BLOCKS_KEY), await recorded()]).toEqual(before);
});

test('[R12] lifting what is not blocked is refused', async () => {
  expect(await liftCallerBlock(context, 'user', 'nobody')).toMatchObject({ ok: false, refusals: [{ field: 'who' }] });
  expect(await liftCallerBlock(context, 'address', 'nowhere')).toMatchObject({
    ok: false,
    refusals: [{ field: 'who' }],
  });
});

test('[R10] a full list accepts no new block, but replaces one; an expired block is not listed', async () => {
  const since = await redisNow(context.redis);
  const entry = (who: string) =>
    JSON.stringify({
      kind: 'user',
      who,
      reason: 'r',
      actor: 'test',
      since: since - 2_000,
      until: who === 'u-0' ? since - 1_000 : undefined,
    });
  await context.redis.hset(BLOCKS_KEY, {
    version: 'v',
    ...Object.fromEntries(Array.from({ length: BLOCKS_MAX }, (_, i) => [`user:u-${i}`, entry(`u-${i}`)])),
  });
  expect(await blockCaller(context, 'user', 'one-more', { reason: 'r' })).toMatchObject({
    ok: false,
    refusals: [{ field: 'who', reason: expect.stringContaining('10000 blocks') as string }],
  });
  expect(await blockCaller(context, 'user', 'u-7', { reason: 'again' })).toMatchObject({ ok: true });
  const listed = await listBlocks(context);
  expect([listed.length, listed[0]!.who]).toEqual([BLOCKS_MAX - 1, 'u-7']);
  await context.redis.del(BLOCKS_KEY);
});

test('[R5] a win of a user who is blocked afterwards is credited, and the rain is balanced', async () => {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id: 'fair',
    plan: { budget: '10.00', packets: 2 },
    opensAt: now - 1,
    closesAt: now + 600_000,
  });
  await loadRain(context, 'fair');
  const [answer] = await createGrabEngine(context.redis, (error) => {
    throw error;
  }).grab('fair', 0, ['mallory']);
  expect(answer!.code).toBe('0');
  await blockCaller(context, 'user', 'mallory', { reason: 'too late for that one' });
  const worker = await openWorker(context);
  try {
    await eventually(async () => expect((await context.ledger.book('fair'))!.credited.count).toBe(1), {
      timeoutMs: 20_000,
    });
  } finally {
    await worker.close();
  }
  const audit = await auditRain(context, 'fair');
  expect(audit).toMatchObject({ report: { balanced: true, winners: 1 }, equation: { credited: { count: 1 } } });
});
