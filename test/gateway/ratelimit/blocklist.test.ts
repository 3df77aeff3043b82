import { afterAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { BLOCKS_MAX, liftBlock, putBlock, readBlocks, type Block } from '../../../src/store/blocks.ts';
import { BLOCKS_KEY, shardKeys } from '../../../src/store/keys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { dial, follow, tokenFor, type Client } from '../../support/client.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { handshake, through } from '../../support/handshake.ts';
import { openRedis, stockRain } from '../../support/rain.ts';

const { server, redis } = await openRedis();
const options = { trustedProxies: 1 };
const [one, two] = await Promise.all([openGateway(server.url, options), openGateway(server.url, options)]);
afterAll(() => Promise.all([one.close(), two.close()]));

async function block(kind: Block['kind'], who: string, forMs?: number): Promise<void> {
  const since = await redisNow(redis);
  await putBlock(redis, {
    kind,
    who,
    reason: 'case 17: two thousand accounts',
    actor: 'test',
    since,
    ...(forMs !== undefined && { until: since + forMs }),
  });
  onTestFinished(async () => {
    await liftBlock(redis, { kind, who });
  });
}

async function enter(gateway: Gateway, user: string, address: string): Promise<Client> {
  const client = follow(
    new WebSocket(gateway.url, ['rain.v1'], {
      headers: { authorization: `Bearer ${await tokenFor(user)}`, ...through(address) },
    }),
  );
  await client.next('welcome');
  return client;
}

test('a block takes effect on all gateways within a second: grabs get -6, sockets close with 4403, the upgrade answers 403, others play on', async () => {
  await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00', '3.00'] });
  const blockedClients = [await dial(one.url, 'mallory'), await dial(two.url, 'mallory')];
  const other = await dial(one.url, 'ann');
  const since = performance.now();
  await block('user', 'mallory');
  for (const client of blockedClients) {
    await eventually(
      async () => {
        client.say({ type: 'grab', rainId: 'r1', ref: 'x' });
        expect(await client.next('result')).toMatchObject({ code: '-6', reason: 'blocked', ref: 'x' });
      },
      { everyMs: 1 },
    );
  }
  expect(await Promise.all(blockedClients.map(({ closed }) => closed))).toEqual([4403, 4403]);
  expect(performance.now() - since).toBeLessThan(1_000);
  for (const gateway of [one, two]) {
    const refused = await handshake(gateway.url, 'mallory');
    expect(refused).toMatchObject({ status: 403, body: { reason: 'blocked' } });
    // The reason and the actor are for operators only.
    expect(JSON.stringify(refused.body)).not.toContain('case 17');
  }
  other.say({ type: 'grab', rainId: 'r1' });
  expect(await other.next('result')).toMatchObject({ code: '0' });
  await other.leave();
  expect(one.counters.closes[4403] + two.counters.closes[4403]).toBe(2);
});

test('a blocked user keeps earlier wins, and they are credited: a block touches no claim', async () => {
  await stockRain(redis, { rainId: 'r2', amounts: ['7.10'] });
  const client = await dial(one.url, 'winner');
  client.say({ type: 'grab', rainId: 'r2' });
  expect(await client.next('result')).toMatchObject({ code: '0', amount: '7.10' });
  await block('user', 'winner');
  expect(await client.closed).toBe(4403);
  expect(await claimLog({ redis }, 'r2')).toMatchObject([{ userId: 'winner', amount: '7.10' }]);
  expect(await redis.hexists(shardKeys('r2', 0).claimed, 'winner')).toBe(1);
  await liftBlock(redis, { kind: 'user', who: 'winner' });
  await eventually(async () => expect((await handshake(two.url, 'winner')).status).toBe('open'));
  const back = await dial(two.url, 'winner');
  back.say({ type: 'join', rainId: 'r2' });
  expect(await back.next('result')).toMatchObject({ code: '1', amount: '7.10' });
  await back.leave();
});

test('an answer that was pending at the time of the block still reaches the user', async () => {
  await stockRain(redis, { rainId: 'r3', amounts: ['1.00'] });
  const client = await dial(one.url, 'quick');
  client.say({ type: 'grab', rainId: 'r3' });
  await block('user', 'quick');
  expect(await client.next('result')).toMatchObject({ code: '0' });
  expect(await client.closed).toBe(4403);
});

test('blocks by address, by network and by the site of an IPv6 address, as the proxy reports them', async () => {
  const inside = await Promise.all(
    ['198.51.100.7', '203.0.113.200', '2001:db8:1:2::9', '2001:db8:2222:1::9'].map((address, i) =>
      enter(i % 2 ? two : one, `farm-${i}`, address),
    ),
  );
  const beside = await Promise.all(
    ['198.51.100.8', '203.0.112.1', '2001:db8:1:3::9', '2001:db9::1'].map((address, i) =>
      enter(i % 2 ? two : one, `beside-${i}`, address),
    ),
  );
  for (const network of ['198.51.100.7', '203.0.113.0/24', '2001:db8:1:2::/64', '2001:db8:2222::/48'])
    await block('address', network);
  expect(await Promise.all(inside.map(({ closed }) => closed))).toEqual([4403, 4403, 4403, 4403]);
  expect(
    await handshake(one.url, 'somebody', { ...through('203.0.113.9'), authorization: 'Bearer a.b.c' }),
  ).toMatchObject({ status: 403, body: { reason: 'blocked' } });
  for (const client of beside) {
    client.say({ type: 'ping', t: 1 });
    await client.next('pong');
    await client.leave();
  }
});

test('a block whose event was lost is noticed within about a second', async () => {
  const client = await dial(one.url, 'lost-event');
  const entry: Block = { kind: 'user', who: 'lost-event', reason: 'r', actor: 'test', since: await redisNow(redis) };
  await redis.hset(BLOCKS_KEY, { 'user:lost-event': JSON.stringify(entry), version: 'another' });
  expect(await client.closed).toBe(4403);
  await redis.hdel(BLOCKS_KEY, 'user:lost-event');
  await redis.hset(BLOCKS_KEY, 'version', 'yet another');
  await eventually(async () => expect((await handshake(one.url, 'lost-event')).status).toBe('open'));
});

test('an expired block ends by itself, and its entry is removed', async () => {
  const client = await dial(two.url, 'briefly');
  await block('user', 'briefly', 1_500);
  expect(await client.closed).toBe(4403);
  expect((await handshake(two.url, 'briefly')).status).toBe(403);
  await eventually(async () => expect((await handshake(two.url, 'briefly')).status).toBe('open'), {
    timeoutMs: 6_000,
    everyMs: 100,
  });
  await eventually(
    async () => expect((await readBlocks(redis)).blocks.map(({ who }) => who)).not.toContain('briefly'),
    { timeoutMs: 6_000 },
  );
});

test('a gateway that starts later refuses blocked users from the first handshake; invalid entries block nobody', async () => {
  await block('user', 'early');
  await redis.hset(BLOCKS_KEY, {
    'user:x': 'nonsense',
    'user:y': '{"kind":"user"}',
    'address:z': JSON.stringify({ kind: 'address', who: 'nowhere', reason: 'r', actor: 'a', since: 1 }),
  });
  const late = await openGateway(server.url);
  onTestFinished(() => late.close());
  expect((await handshake(late.url, 'early')).status).toBe(403);
  for (const name of ['x', 'y', 'z']) expect((await handshake(late.url, name)).status).toBe('open');
  await redis.hdel(BLOCKS_KEY, 'user:x', 'user:y', 'address:z');
});

test('while Redis is unreachable the last list stays in force', async () => {
  const own = await openGateway(server.url);
  onTestFinished(() => own.close());
  const client = await dial(own.url, 'held');
  await block('user', 'held');
  expect(await client.closed).toBe(4403);
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await eventually(async () => expect((await handshake(own.url, 'ann')).status).toBe('open'));
  expect((await handshake(own.url, 'held')).status).toBe(403);
});

test('[R10] ten thousand blocks, users and networks: the list is read quickly, and a handshake costs no more', async () => {
  const since = await redisNow(redis);
  const entries: Record<string, string> = { version: 'many' };
  for (let i = 0; i < BLOCKS_MAX; i++) {
    const network = i % 10 === 0;
    const [kind, who] = network
      ? ['address', `100.${64 + (i >> 12)}.${(i >> 4) & 255}.0/24`]
      : ['user', `blocked-${i}`];
    entries[`${kind}:${who}`] = JSON.stringify({ kind, who, reason: 'r', actor: 'test', since });
  }
  await redis.hset(BLOCKS_KEY, entries);
  onTestFinished(async () => {
    await redis.del(BLOCKS_KEY);
  });
  const own = await openGateway(server.url, { trustedProxies: 1 });
  onTestFinished(() => own.close());
  expect((await handshake(own.url, `blocked-${BLOCKS_MAX - 1}`)).status).toBe(403);
  expect((await handshake(own.url, 'ann', through('100.64.0.9'))).status).toBe(403);
  // The processor time of this process (client and gateway): unlike elapsed time, a busy machine does not lengthen it.
  const began = process.cpuUsage();
  for (let i = 0; i < 50; i++) expect((await handshake(own.url, 'ann', through('203.0.113.1'))).status).toBe('open');
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000 / 50).toBeLessThan(50);
});
