import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Gateway } from '../../../src/gateway/server.ts';
import { readEpoch, writeEpoch } from '../../../src/store/epoch.ts';
import { EPOCH_KEY, shardKeys } from '../../../src/store/keys.ts';
import { dial } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { listeningLog, type HeardLine } from '../../support/log.ts';
import { connect, openRedis, stockRain } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';

const { server, redis } = await openRedis();
const LEDGER = { storeId: '4bf92f35-77b3-4da6-a3ce-929d0e0e4736', counter: 7 };
const gateways: Gateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await redis.flushall();
});

async function open(): Promise<{ gateway: Gateway; heard: HeardLine[] }> {
  const { log, heard } = listeningLog();
  const gateway = await openGateway(server.url, { log });
  gateways.push(gateway);
  return { gateway, heard };
}

async function grab({ url }: Gateway, userId: string): Promise<string> {
  const client = await dial(url, userId);
  client.say({ type: 'grab', rainId: 'later' });
  const { code } = await client.next('result');
  await client.leave();
  return code;
}

/** As a worker does when it has compared the stores in this run of Redis. */
const adopt = async () => writeEpoch(redis, LEDGER, (await readEpoch(redis)).runId);

test('a gateway that starts before anybody has compared a restarted Redis answers "busy", is not ready, and says what it waits for', async () => {
  await stockRain(redis, { rainId: 'later', amounts: ['1.00', '2.00', '3.00', '4.00'] });
  await adopt();
  const there = await open();
  await redis.hset(EPOCH_KEY, 'runId', 'an earlier run');
  const fresh = await open();
  expect(await grab(fresh.gateway, 'ann')).toBe('-7');
  expect(fresh.gateway.readiness.report()).toMatchObject({
    ready: false,
    notReady: [{ part: 'stores', reason: 'waits until a worker has compared Redis with the database' }],
  });
  expect(fresh.heard.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('until a worker runs'));
  // It was there before: it knows what it told.
  expect(await grab(there.gateway, 'ann')).toBe('0');
  await adopt();
  await eventually(async () => expect(await grab(fresh.gateway, 'bob')).toBe('0'));
  await eventually(() => expect(fresh.gateway.readiness.report()).toEqual({ ready: true }));
  // From now on it was there before, too.
  await redis.hset(EPOCH_KEY, 'runId', 'an earlier run');
  expect(await grab(fresh.gateway, 'cat')).toBe('0');
  // The counter has gone back: it is an earlier state, and older than what a gateway remembers.
  await redis.hset(EPOCH_KEY, 'counter', 3);
  await eventually(() => expect(fresh.gateway.readiness.report()).toMatchObject({ ready: false }));
  expect(await grab(fresh.gateway, 'dan')).toBe('-7');
  await adopt();
  await eventually(() => expect(fresh.gateway.readiness.report()).toEqual({ ready: true }));
});

test('a Redis that no worker has used makes nobody wait', async () => {
  await stockRain(redis, { rainId: 'later', amounts: ['1.00'] });
  const { gateway } = await open();
  expect(gateway.readiness.report()).toEqual({ ready: true });
  expect(await grab(gateway, 'ann')).toBe('0');
});

test('[R6] a gateway that sees the counter go back restores what it told, although its connection was never lost', async () => {
  await stockRain(redis, { rainId: 'later', amounts: ['1.00'] });
  await adopt();
  const { gateway, heard } = await open();
  const { claimed, claims, packets } = shardKeys('later', 0);
  const listed = await redis.lrange(packets, 0, -1);
  expect(await grab(gateway, 'ann')).toBe('0');
  await redis
    .multi()
    .hset(EPOCH_KEY, 'counter', 3)
    .del(claimed, claims)
    .lpush(packets, ...listed)
    .exec();
  await eventually(async () => expect(await redis.hexists(claimed, 'ann')).toBe(1));
  await eventually(() =>
    expect(heard.filter(({ level }) => level === 'warn')).toMatchObject([{ rainId: 'later', putBack: 1 }]),
  );
});

test('of two counters the greater one stands, and a comparison that began before a restart does not count', async () => {
  await adopt();
  expect(await writeEpoch(redis, { ...LEDGER, counter: 6 }, undefined)).toMatchObject({ counter: 7 });
  await redis.hset(EPOCH_KEY, 'runId', 'an earlier run');
  expect(await writeEpoch(redis, { ...LEDGER, counter: 8 }, 'an earlier run')).toMatchObject({
    counter: 8,
    comparedRunId: 'an earlier run',
    runId: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
  });
  expect(await writeEpoch(redis, { storeId: 'another', counter: 1 }, undefined)).toMatchObject({
    storeId: 'another',
    counter: 1,
  });
  await redis.hset(EPOCH_KEY, 'counter', 'soon');
  expect(await readEpoch(redis)).toMatchObject({ counter: undefined });
});

test('a worker whose user may not call INFO compares for gateways whose user may', async () => {
  await redis.call('ACL', 'SETUSER', 'blind', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-info');
  const blind = await connect(server.url.replace('//', '//blind:secret@'));
  onTestFinished(async () => {
    blind.disconnect();
    await redis.call('ACL', 'DELUSER', 'blind');
  });
  const adoptBlindly = async () => writeEpoch(blind, LEDGER, (await readEpoch(blind)).runId);
  await stockRain(redis, { rainId: 'later', amounts: ['1.00', '2.00'] });
  await adoptBlindly();
  const fresh = await open();
  expect(await grab(fresh.gateway, 'ann')).toBe('-7');
  await adoptBlindly();
  await eventually(async () => expect(await grab(fresh.gateway, 'ann')).toBe('0'));
  // Redis was restarted: nobody has seen it yet who may, so what was compared stands for the run before.
  await redis.hset(EPOCH_KEY, { runId: 'before', server: 'before' });
  await adoptBlindly();
  const after = await open();
  expect(await grab(after.gateway, 'bob')).toBe('-7');
  await adoptBlindly();
  await eventually(async () => expect(await grab(after.gateway, 'bob')).toBe('0'));
  expect((await readEpoch(redis)).comparedRunId).toBe((await readEpoch(redis)).runId);
});
