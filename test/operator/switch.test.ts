import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENTS_CHANNEL, SWITCHES_KEY } from '../../src/store/keys.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { letGoOfSwitch, listSwitches, throwSwitch } from '../../src/operator/switch.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

async function recorded(): Promise<{ actor: string; details: unknown }[]> {
  const database = connectDatabase(context.databaseUrl);
  try {
    return await database.operatorAction.findMany({
      where: { verb: 'switch' },
      orderBy: { id: 'asc' },
      select: { actor: true, details: true },
    });
  } finally {
    await database.$disconnect();
  }
}

test('a switch shows position, reason, operator and end; it is recorded, announced, listed, replaced and released', async () => {
  const ears = await connect(context.redisUrl);
  const heard: string[] = [];
  await ears.subscribe(EVENTS_CHANNEL);
  ears.on('message', (_channel, frame: string) => heard.push(frame));
  expect(await listSwitches(context)).toEqual([
    { name: 'ticker' },
    { name: 'joins' },
    { name: 'sockets' },
    { name: 'grabs' },
  ]);
  expect(await throwSwitch(context, 'joins', 'off', { reason: ' the finale ', forMs: 600_000 })).toMatchObject({
    ok: true,
    held: { name: 'joins', position: 'off', reason: 'the finale', actor: 'test' },
  });
  const { since, until } = (await listSwitches(context))[1]!.held!;
  expect(until! - since).toBe(600_000);
  expect(Math.abs(since - Date.now())).toBeLessThan(5_000);
  expect(await throwSwitch(context, 'joins', 'on', { reason: 'come in' })).toMatchObject({ ok: true });
  expect((await listSwitches(context))[1]).toMatchObject({
    name: 'joins',
    held: { position: 'on', reason: 'come in' },
  });
  await letGoOfSwitch(context, 'joins');
  await letGoOfSwitch(context, 'joins');
  expect((await listSwitches(context))[1]).toEqual({ name: 'joins' });
  expect(await recorded()).toEqual([
    { actor: 'test', details: { name: 'joins', position: 'off', reason: 'the finale', until } },
    { actor: 'test', details: { name: 'joins', position: 'on', reason: 'come in' } },
    { actor: 'test', details: { name: 'joins', position: 'auto' } },
    { actor: 'test', details: { name: 'joins', position: 'auto' } },
  ]);
  await eventually(() => heard.length === 4);
  expect(new Set(heard)).toEqual(new Set(['{"type":"switches"}']));
  ears.disconnect();
});

test.each<[string, { reason: string; forMs?: number }, string, RegExp]>([
  ['no reason', { reason: '  ' }, 'reason', /1 to 500/],
  ['a long reason', { reason: 'x'.repeat(501) }, 'reason', /1 to 500/],
  ['no time at all', { reason: 'r', forMs: 0 }, 'for', /1s to 31d/],
  ['a year', { reason: 'r', forMs: 366 * 86_400_000 }, 'for', /1s to 31d/],
])('[R12] %s: refused, and nothing is changed or recorded', async (_, options, field, sentence) => {
  const before = [await context.redis.hgetall(SWITCHES_KEY), await recorded()];
  expect(await throwSwitch(context, 'ticker', 'off', options)).toMatchObject({
    ok: false,
    refusals: [{ field, reason: expect.stringMatching(sentence) as string }],
  });
  expect([await context.redis.hgetall(SWITCHES_KEY), await recorded()]).toEqual(before);
});
