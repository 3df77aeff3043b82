import { expect, onTestFinished, test } from 'vitest';
import { shardKeys } from '../../../src/store/keys.ts';
import { holdSwitch, releaseSwitch } from '../../../src/store/killSwitches.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { dial, type Client } from '../../support/client.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { handshake } from '../../support/handshake.ts';
import { TcpProxy } from '../../support/servers/proxy.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { buy, stockSale, tee } from '../sales/stage.ts';
import { enter, narrow, retryAfterIn, refusedHere, SHOWN_IN } from '../sockets/upgradeServers.ts';

const { server, redis } = await openRedis();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Grabs, and retries as told, until the result is known. */
async function grabUntilDecided(client: Client, rainId: string): Promise<{ code: string; busy: number }> {
  for (let busy = 0; ; busy++) {
    client.say({ type: 'grab', rainId, ref: String(busy) });
    const { code, ref, retryInMs } = await client.next('result');
    expect(ref).toBe(String(busy));
    if (code !== '-7') return { code, busy };
    expect(retryInMs).toBeGreaterThan(0);
    expect(retryInMs).toBeLessThanOrEqual(1_000);
    await pause(retryInMs!);
  }
}

test('[R1][R6] far more grabs than a slow Redis can take: all are answered, "busy" says when to retry, a retry succeeds, and no packet is won twice', async () => {
  const line = await TcpProxy.open(server.port);
  onTestFinished(() => line.close());
  const gateway = await openGateway(`redis://127.0.0.1:${line.port}`, {
    limits: { grabsPendingMax: 40, grabsPendingMin: 10 },
  });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'slow', amounts: Array.from({ length: 30 }, () => '1.00') });
  const clients = await Promise.all(Array.from({ length: 150 }, (_, i) => dial(gateway.url, `slow-${i}`)));
  line.delay(150);
  const results = await Promise.all(clients.map((client) => grabUntilDecided(client, 'slow')));
  expect(results.filter(({ code }) => code === '0')).toHaveLength(30);
  expect(results.filter(({ code }) => code === '-1')).toHaveLength(120);
  // Grabs beyond the limit were answered at once, without Redis.
  expect(results.filter(({ busy }) => busy > 0).length).toBeGreaterThanOrEqual(100);
  expect(gateway.counters.refused.grabs_pending).toBeGreaterThanOrEqual(100);
  expect(new Set((await claimLog({ redis }, 'slow')).map(({ userId }) => userId)).size).toBe(30);
  line.pass();
  await Promise.all(clients.map((client) => client.leave()));
}, 60_000);

test('a "busy" answer does not wait for others: it comes at once, even if Redis does not answer', async () => {
  await stockRain(redis, { rainId: 'stopped', amounts: ['1.00'] });
  const gateway = await narrow(server.url, { grabsPendingMax: 3 });
  const clients = await Promise.all(Array.from({ length: 20 }, (_, i) => enter(gateway, `stopped-${i}`)));
  const order: string[] = [];
  process.kill(server.pid, 'SIGSTOP');
  try {
    for (const client of clients) client.say({ type: 'grab', rainId: 'stopped', ref: 'x' });
    const answers = clients.map((client) =>
      client.next('result').then((result) => {
        order.push(result.retryInMs === undefined ? 'decided' : result.code);
        return result;
      }),
    );
    await eventually(() => order.length === 17);
    expect(order).toEqual(Array.from({ length: 17 }, () => '-7'));
    process.kill(server.pid, 'SIGCONT');
    const codes = (await Promise.all(answers)).map(({ code }) => code);
    expect(codes.filter((code) => code !== '-7').sort()).toEqual(['-1', '-1', '0']);
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
});

test('who asks again before the time that "busy" told is left unread until then; a close is still noticed', async () => {
  for (const rainId of ['full', 'asked']) await stockRain(redis, { rainId, amounts: ['1.00'] });
  const gateway = await narrow(server.url, { grabsPendingMin: 1, grabsPendingMax: 1, busyRetryMsMin: 600 });
  const [first, client, leaver] = await Promise.all(['full', 'eager', 'leaver'].map((user) => enter(gateway, user)));
  process.kill(server.pid, 'SIGSTOP');
  try {
    first!.say({ type: 'grab', rainId: 'full', ref: 'x' });
    first!.say({ type: 'ping', t: 1 });
    await first!.next('pong');
    const askedAt = performance.now();
    for (const ref of ['a', 'b']) client!.say({ type: 'grab', rainId: 'asked', ref });
    const { code, retryInMs } = await client!.next('result');
    expect([code, (await client!.next('result')).code]).toEqual(['-7', '-7']);
    expect(gateway.load().unread).toBe(1);
    client!.say({ type: 'grab', rainId: 'asked', ref: 'c' });
    client!.say({ type: 'ping', t: 2 });
    expect((await client!.next('result')).ref).toBe('c');
    await client!.next('pong');
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(retryInMs!);
    for (const ref of ['a', 'b']) leaver!.say({ type: 'grab', rainId: 'asked', ref });
    await leaver!.next('result');
    await leaver!.leave();
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  await first!.next('result');
});

test('so is a buyer who asks again before that time', async () => {
  await stockSale(redis, { saleId: 'queue', items: [tee(1)] });
  const gateway = await narrow(server.url, { busyRetryMsMin: 600 });
  const client = await enter(gateway, 'hasty');
  expect((await buy(client, 'queue', { sku: 'hat', ref: 'hat' })).code).toBe('-14');
  await holdSwitch(redis, { name: 'grabs', position: 'off', reason: 'r', actor: 'test', since: await redisNow(redis) });
  onTestFinished(() => releaseSwitch(redis, 'grabs'));
  await eventually(() => gateway.load().switches.find((one) => one.name === 'grabs')!.off, { timeoutMs: 1_000 });
  const askedAt = performance.now();
  const { code, retryInMs } = await buy(client, 'queue', { ref: 'a' });
  expect([code, (await buy(client, 'queue', { ref: 'b' })).code, gateway.load().unread]).toEqual(['-7', '-7', 1]);
  await releaseSwitch(redis, 'grabs');
  expect((await buy(client, 'queue', { ref: 'c' })).code).toBe('0');
  expect(performance.now() - askedAt).toBeGreaterThanOrEqual(retryInMs!);
  expect(gateway.load().unread).toBe(0);
});

test('grabs of one socket for one rain in one turn are one decision, and every grab gets its answer', async () => {
  await stockRain(redis, { rainId: 'tapping', amounts: ['1.00', '2.00'] });
  await stockRain(redis, { rainId: 'other', amounts: ['3.00'] });
  const gateway = await narrow(server.url, {});
  const client = await enter(gateway, 'tapping');
  process.kill(server.pid, 'SIGSTOP');
  try {
    for (const ref of ['a', 'b', 'c']) client.say({ type: 'grab', rainId: 'tapping', ref });
    client.say({ type: 'grab', rainId: 'other', ref: 'd' });
    client.say({ type: 'grab', rainId: 'tapping' });
    client.say({ type: 'ping', t: 1 });
    await client.next('pong');
    // Two rains; and the last grab, which follows one for another rain, is a new decision.
    expect(gateway.grabsPending()).toBe(3);
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  const results = await Promise.all(Array.from({ length: 5 }, () => client.next('result')));
  const of = (rainId: string) =>
    results.filter((result) => result.rainId === rainId).map(({ ref, code, redPacketId }) => [ref, code, redPacketId]);
  const packet = of('tapping')[0]![2];
  expect(of('tapping')).toHaveLength(4);
  expect(of('tapping')[0]).toEqual(['a', '0', packet]);
  for (const [, code, redPacketId] of of('tapping').slice(1)) expect([code, redPacketId]).toEqual(['1', packet]);
  expect(new Set(of('tapping').map(([ref]) => ref))).toEqual(new Set(['a', 'b', 'c', undefined]));
  expect(of('other')).toEqual([['d', '0', expect.any(String)]]);
  expect(await redis.hlen(shardKeys('tapping', 0).claimed)).toBe(1);
  await client.leave();
});

test('a turn that is too long: its remaining grabs get a retry delay and are decided then; no message is lost', async () => {
  await stockRain(redis, { rainId: 'long', amounts: ['1.00'] });
  // Every second message of a turn is beyond the limit.
  const gateway = await narrow(server.url, { turnMsMax: 0, turnMessagesMin: 2 });
  const client = await enter(gateway, 'patient');
  client.say({ type: 'ping', t: 0 });
  client.say({ type: 'grab', rainId: 'long', ref: 'too late' });
  for (let t = 1; t <= 40; t++) client.say({ type: 'ping', t });
  const refused = await client.next('result');
  expect(refused).toMatchObject({ code: '-7', ref: 'too late', retryInMs: expect.any(Number) as number });
  expect(gateway.counters.refused.turn).toBe(1);
  for (let t = 0; t <= 40; t++) expect((await client.next('pong')).t).toBe(t);
  await pause(refused.retryInMs!);
  client.say({ type: 'grab', rainId: 'long', ref: 'again' });
  expect(await client.next('result')).toMatchObject({ code: '0', ref: 'again' });
  await client.leave();
});

test('switches set by the operator: joins are deferred, sockets refused, grabs answered "busy", each until the switch is released', async () => {
  const gateway = await narrow(server.url, {});
  await stockRain(redis, { rainId: 'held', amounts: ['1.00', '2.00'] });
  const [client, winner] = [await enter(gateway, 'ann'), await enter(gateway, 'winner')];
  winner.say({ type: 'grab', rainId: 'held' });
  await winner.next('result');
  const hold = async (name: 'joins' | 'sockets' | 'grabs') => {
    await holdSwitch(redis, { name, position: 'off', reason: 'r', actor: 'test', since: await redisNow(redis) });
    onTestFinished(() => releaseSwitch(redis, name));
    await eventually(() => gateway.load().switches.find((one) => one.name === name)!.off, { timeoutMs: 1_000 });
  };
  await hold('grabs');
  client.say({ type: 'grab', rainId: 'held', ref: 'x' });
  const busy = await client.next('result');
  expect(busy).toMatchObject({ code: '-7', ref: 'x' });
  expect(busy.retryInMs).toBeGreaterThan(0);
  // Read-only: snapshots and own results are still served.
  winner.say({ type: 'join', rainId: 'held' });
  expect(await winner.next('rain')).toMatchObject({ state: 'open' });
  expect(await winner.next('result')).toMatchObject({ code: '1' });
  await hold('joins');
  client.say({ type: 'join', rainId: 'held' });
  const putOff = await client.next('result');
  expect(putOff).toMatchObject({ code: '-7', rainId: 'held' });
  expect(putOff.retryInMs).toBeGreaterThanOrEqual(1_000);
  await hold('sockets');
  expect(await handshake(gateway.url, 'eve')).toMatchObject({ status: 503, retryAfter: retryAfterIn(2, 4) });
  for (const name of ['joins', 'sockets', 'grabs'] as const) await releaseSwitch(redis, name);
  await eventually(async () => expect((await handshake(gateway.url, 'eve')).status).toBe('open'));
  client.say({ type: 'join', rainId: 'held' });
  expect(await client.next('rain')).toMatchObject({ rainId: 'held' });
  client.say({ type: 'grab', rainId: 'held' });
  expect(await client.next('result')).toMatchObject({ code: '0' });
  await Promise.all([client.leave(), winner.leave()]);
});

test('refusals that are known locally are given even if a switch is off or a turn is overdue', async () => {
  const gateway = await narrow(server.url, { turnMsMax: 0, turnMessagesMin: 2 });
  await stockRain(redis, { rainId: 'gone', amounts: ['1.00'] });
  const [winner, loser] = [await enter(gateway, 'first'), await enter(gateway, 'loser')];
  winner.say({ type: 'grab', rainId: 'gone' });
  await winner.next('result');
  await holdSwitch(redis, { name: 'grabs', position: 'off', reason: 'r', actor: 'test', since: await redisNow(redis) });
  onTestFinished(() => releaseSwitch(redis, 'grabs'));
  await eventually(() => gateway.load().switches.find((one) => one.name === 'grabs')!.off, { timeoutMs: 1_000 });
  await releaseSwitch(redis, 'grabs');
  await eventually(async () => {
    loser.say({ type: 'grab', rainId: 'gone' });
    expect((await loser.next('result')).code).toBe('-1');
  });
  await pause(300);
  await holdSwitch(redis, { name: 'grabs', position: 'off', reason: 'r', actor: 'test', since: await redisNow(redis) });
  await eventually(() => gateway.load().switches.find((one) => one.name === 'grabs')!.off, { timeoutMs: 1_000 });
  await redis.config('RESETSTAT');
  loser.say({ type: 'ping', t: 1 });
  loser.say({ type: 'grab', rainId: 'gone', ref: 'y' });
  expect(await loser.next('result')).toMatchObject({ code: '-1', ref: 'y' });
  winner.say({ type: 'grab', rainId: 'gone', ref: 'z' });
  expect(await winner.next('result')).toMatchObject({ code: '-7', ref: 'z' });
  await Promise.all([winner.leave(), loser.leave()]);
});

test('every overload limit has refused somebody in a test', () => {
  for (const name of SHOWN_IN['overload/overload.test.ts']) expect([...refusedHere()]).toContain(name);
});
