import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readHeartbeats, sendHeartbeat } from '../../../src/store/gatewayHeartbeat.ts';
import { heldRains, hold, release } from '../../../src/store/holds.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { hold as holdSale } from '../../../src/store/saleTransitions.ts';
import { restoreApi } from '../../../src/console/contract/restore.ts';
import { systemApi } from '../../../src/console/contract/system.ts';
import { stockSale, tee } from '../../gateway/sales/stage.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { parsedAnswer } from './parsedAnswer.ts';

let testConsole: TestConsole;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  opal = await testConsole.signIn('opal');
  const opensAt = (await redisNow(testConsole.redis)) + 60_000;
  for (const id of ['made', 'whole'])
    await opal.ask('POST', '/api/console/rains', {
      id,
      plan: { budget: '10.00', packets: 20 },
      opensAt,
      closesAt: opensAt + 60_000,
    });
});
afterAll(() => testConsole?.stop());

describe('blocks and switches', () => {
  test("are created, listed and lifted, with the operator's name", async () => {
    const blocked = await opal.ask('POST', '/api/console/blocks', {
      kind: 'address',
      who: '203.0.113.9/24',
      reason: 'phones',
      forMs: 60_000,
    });
    expect(blocked).toMatchObject({
      status: 201,
      body: { block: { who: '203.0.113.0/24', actor: 'console:opal', until: expect.any(String) as string } },
    });
    expect((await opal.ask('GET', '/api/console/blocks')).body).toMatchObject({
      blocks: [{ kind: 'address', who: '203.0.113.0/24' }],
    });
    expect(
      await opal.ask('DELETE', `/api/console/blocks/address/${encodeURIComponent('203.0.113.0/24')}`),
    ).toMatchObject({ status: 200 });
    expect((await opal.ask('GET', '/api/console/blocks')).body).toEqual({ blocks: [] });
    expect(await opal.ask('DELETE', '/api/console/blocks/user/nobody')).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'who' }] },
    });
    expect(await opal.ask('POST', '/api/console/blocks', { kind: 'user', who: 'eve', reason: ' ' })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'reason' }] },
    });
  });

  test('a switch is set, shown and returned to auto', async () => {
    expect(
      await opal.ask('PUT', '/api/console/switches/ticker', { position: 'off', reason: 'a test', forMs: 60_000 }),
    ).toMatchObject({
      status: 200,
      body: { name: 'ticker', position: 'off', held: { actor: 'console:opal', reason: 'a test' } },
    });
    expect((await opal.ask('GET', '/api/console/switches')).body).toMatchObject({
      switches: [
        { name: 'ticker', position: 'off' },
        { name: 'joins', position: 'auto' },
        { name: 'sockets' },
        { name: 'grabs' },
      ],
    });
    expect(await opal.ask('PUT', '/api/console/switches/ticker', { position: 'auto' })).toMatchObject({
      status: 200,
      body: { name: 'ticker', position: 'auto' },
    });
    expect(await opal.ask('PUT', '/api/console/switches/door', { position: 'off' })).toMatchObject({ status: 400 });
  });
});

describe('the state of the system', () => {
  test('servers, queues and version; and the OpenAPI document', async () => {
    const told = parsedAnswer(systemApi.system.answer, await opal.ask('GET', '/api/console/system'));
    expect(told).toMatchObject({
      redis: { up: true, version: expect.stringMatching(/^\d+\./) as string },
      database: { up: true },
      queues: { credit: { waiting: 0 }, dead: 0 },
      workers: 1,
    });
    expect((await opal.ask('GET', '/api/console/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
    expect([told.held, told.heldSales]).toEqual([[], []]);
  });

  test('a rain that is held because the stores differ is listed, and says so itself', async () => {
    await hold(testConsole.redis, 'made', 1, 'redis_behind');
    const told = parsedAnswer(systemApi.system.answer, await opal.ask('GET', '/api/console/system'));
    expect(told.held).toEqual([{ rainId: 'made', reason: 'redis_behind' }]);
    expect(await opal.ask('GET', '/api/console/rains/made')).toMatchObject({
      status: 200,
      body: { held: 'redis_behind' },
    });
    await release(testConsole.redis, 'made', 1, 'unknown_to_ledger');
    expect(await heldRains(testConsole.redis)).toEqual(new Map([['made', 'redis_behind']]));
    await release(testConsole.redis, 'made', 1, 'redis_behind');
    expect((await opal.ask('GET', '/api/console/rains/made')).body).not.toHaveProperty('held');
  });

  test('a sale that is held because the stores differ is listed beside the rains, and makes a store "behind"', async () => {
    await stockSale(testConsole.redis, { saleId: 'shop', items: [tee(5)] });
    await holdSale(testConsole.redis, 'shop', 'unknown_to_ledger');
    const told = parsedAnswer(systemApi.system.answer, await opal.ask('GET', '/api/console/system'));
    expect([told.held, told.heldSales, told.stores?.behind]).toEqual([
      [],
      [{ saleId: 'shop', reason: 'unknown_to_ledger' }],
      ['ledger'],
    ]);
    const { rains } = parsedAnswer(restoreApi.check.answer, await opal.ask('GET', '/api/console/restore/check'));
    expect(rains.map(({ rainId, sale }) => [rainId, sale])).toEqual([['shop', true]]);
  });

  test('gateways with a current heartbeat; a silent one is not listed and is removed', async () => {
    const now = await redisNow(testConsole.redis);
    const told = {
      address: 'ws://127.0.0.1:1/v1',
      version: '1',
      startedAt: now - 60_000,
      sockets: 3,
      screens: 1,
      grabsPending: 0,
      pressed: false,
      answers: { 0: 5 },
    };
    await sendHeartbeat(testConsole.redis, { id: 'there', at: now, ...told });
    await sendHeartbeat(testConsole.redis, { id: 'gone', at: now - 6_000, ...told });
    await testConsole.redis.hset('rain:gateways', 'spoiled', 'x');
    const { gateways } = parsedAnswer(systemApi.gateways.answer, await opal.ask('GET', '/api/console/gateways'));
    expect(gateways).toMatchObject([{ id: 'there', sockets: 3, answers: { 0: 5 } }]);
    expect(await testConsole.redis.hkeys('rain:gateways')).toEqual(['there']);
    expect(await testConsole.redis.pttl('rain:gateways')).toBeGreaterThan(0);
    expect(await readHeartbeats(testConsole.redis)).toHaveLength(1);
  });

  test('the audit log: latest first, page by page, also of one rain', async () => {
    const all = (await opal.ask('GET', '/api/console/actions')).body as { actions: { id: string }[] };
    const first = (await opal.ask('GET', '/api/console/actions?limit=2')).body as {
      actions: { id: string }[];
      next: string;
    };
    const second = (await opal.ask('GET', `/api/console/actions?limit=2&cursor=${first.next}`)).body as {
      actions: { id: string }[];
    };
    expect([...first.actions, ...second.actions]).toEqual(all.actions.slice(0, 4));
    const whole = parsedAnswer(systemApi.actions.answer, await opal.ask('GET', '/api/console/actions?rainId=whole'));
    expect(new Set(whole.actions.map(({ rainId }) => rainId))).toEqual(new Set(['whole']));
    expect(JSON.stringify(whole)).not.toMatch(/seed/);
  });

  test('the audit log by verb, operator and time; what is no filter is refused by name', async () => {
    const found = async (query: string) =>
      parsedAnswer(systemApi.actions.answer, await opal.ask('GET', `/api/console/actions?${query}`)).actions;
    const [latest] = await found('rainId=whole&limit=1');
    const at = encodeURIComponent(latest!.at);
    expect(new Set((await found(`verb=${latest!.verb}`)).map(({ verb }) => verb))).toEqual(new Set([latest!.verb]));
    expect((await found('actor=console:opal')).length).toBeGreaterThan(0);
    expect(await found('actor=nobody')).toEqual([]);
    expect((await found(`rainId=whole&since=${at}`)).map(({ id }) => id)).toContain(latest!.id);
    expect((await found(`rainId=whole&until=${at}`)).map(({ id }) => id)).not.toContain(latest!.id);
    for (const [query, field] of [
      ['verb=creates', 'verb'],
      ['actor=', 'actor'],
      ['since=yesterday', 'since'],
      [`since=${at}&until=${at}`, 'until'],
    ]) {
      expect(await opal.ask('GET', `/api/console/actions?${query}`), query).toMatchObject({
        status: 400,
        body: { refusals: [{ field, reason: expect.stringContaining('expected') as string }] },
      });
    }
  });
});
