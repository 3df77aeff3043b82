import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/gateway/limits.ts';
import type { Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { handshake, through } from '../../support/handshake.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { ask, enter, narrow, retryAfterIn, refusedHere, SHOWN_IN } from '../sockets/upgradeServers.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });

test('messages per user: counted on all sockets together; a refused grab gets a retry delay, and succeeds after it', async () => {
  const gateway = await narrow(server.url, { messagesPerSecondMax: 4 });
  const [phone, laptop, other] = [
    await enter(gateway, 'ann'),
    await enter(gateway, 'ann'),
    await enter(gateway, 'bob'),
  ];
  const codes: string[] = [];
  let retryInMs = 0;
  for (let i = 0; i < 4; i++) {
    for (const client of [phone, laptop]) {
      const result = await ask(client);
      codes.push(result.code);
      if (result.code === '-5') retryInMs = result.retryInMs!;
    }
  }
  expect(codes.slice(0, 4)).not.toContain('-5');
  expect(codes.filter((code) => code === '-5').length).toBeGreaterThanOrEqual(2);
  expect(retryInMs).toBeGreaterThan(0);
  expect(retryInMs).toBeLessThan(1_001);
  expect((await ask(other)).code).not.toBe('-5');
  await new Promise((resolve) => setTimeout(resolve, retryInMs));
  expect((await ask(laptop)).code).not.toBe('-5');
  // No client waits for an answer to messages that are not grabs.
  for (let i = 0; i < 10; i++) phone.say({ type: 'ping', t: i });
  expect((await ask(phone, 'last')).ref).toBe('last');
  expect(gateway.counters.refused.messages_per_user).toBeGreaterThanOrEqual(2);
});

test('messages per address: a bot farm is refused, another address is not; by default neither is an office of 5,000 players', async () => {
  const gateway = await narrow(server.url, { messagesPerAddressPerSecondMax: 10 });
  const farm = await Promise.all(Array.from({ length: 8 }, (_, i) => enter(gateway, `bot-${i}`, '198.51.100.7')));
  const codes = (await Promise.all(farm.map(async (bot) => [await ask(bot), await ask(bot), await ask(bot)])))
    .flat()
    .map(({ code }) => code);
  expect(codes.filter((code) => code === '-5').length).toBeGreaterThanOrEqual(10);
  expect(gateway.counters.refused).toMatchObject({
    messages_per_user: 0,
    messages_per_address: codes.filter((code) => code === '-5').length,
  });
  expect((await ask(await enter(gateway, 'ann', '203.0.113.5'))).code).not.toBe('-5');
  expect(LIMITS.messagesPerAddressPerSecondMax).toBeGreaterThanOrEqual(5_000 * 15);
  expect(LIMITS.socketsPerAddressMax).toBeGreaterThanOrEqual(5_000);
});

test('pings count as messages, and so do unrequested pongs', async () => {
  for (const [n, flood] of [
    (client: Client) => client.socket.ping(),
    (client: Client) => client.socket.pong(),
  ].entries()) {
    const gateway = await narrow(server.url, { messagesPerSecondMax: 5, offencesMax: 50 });
    const client = await enter(gateway, `flooder-${n}`);
    let pongs = 0;
    client.socket.on('pong', () => pongs++);
    client.socket.ping();
    await eventually(() => pongs === 1);
    for (let i = 0; i < 100; i++) flood(client);
    expect(await client.closed).toBe(4430);
    expect(pongs).toBeLessThan(10);
  }
});

test('a user who ignores refusals is closed with 4430, refused at the upgrade with 429 for a while, and then admitted', async () => {
  const gateway = await narrow(server.url, { messagesPerSecondMax: 5, offencesMax: 20, bannedMs: 1_500, retryMs: 100 });
  const [script, second, neighbour] = [
    await enter(gateway, 'script'),
    await enter(gateway, 'script'),
    await enter(gateway, 'neighbour'),
  ];
  for (let i = 0; i < 60; i++) script.say({ type: 'grab', rainId: 'r1', ref: String(i) });
  expect(await script.closed).toBe(4430);
  // A ban is of the user: the other socket is closed without another message.
  expect(await second.closed).toBe(4430);
  const refused = await handshake(gateway.url, 'script');
  expect(refused).toMatchObject({ status: 429, retryAfter: retryAfterIn(1, 2) });
  expect((await ask(neighbour)).code).not.toBe('-5');
  expect((await handshake(gateway.url, 'another', through('203.0.113.1'))).status).toBe('open');
  expect([gateway.counters.closes[4430], gateway.counters.refused.offences]).toEqual([2, 3]);
  await new Promise((resolve) => setTimeout(resolve, refused.body.retryInMs));
  expect((await handshake(gateway.url, 'script')).status).toBe('open');
});

test('a closed client that keeps sending is cut, and its messages are not read', async () => {
  const gateway = await narrow(server.url, { messagesPerSecondMax: 2, offencesMax: 5, hangUpMs: 300 });
  const client = await enter(gateway, 'deaf');
  // A peer that ignores the close.
  client.socket.close = () => {};
  const raw = (client.socket as unknown as { _socket: Socket })._socket;
  for (let i = 0; i < 20; i++) client.say({ type: 'grab', rainId: 'r1' });
  raw.removeAllListeners('data');
  raw.resume();
  await eventually(() => gateway.sockets() === 0, { timeoutMs: 2_000 });
  expect(gateway.counters.refused.messages_per_user).toBe(5);
  client.socket.terminate();
});

test('many banned users of one address: the address is refused for a while, before any token is verified', async () => {
  const gateway = await narrow(server.url, { messagesPerSecondMax: 2, offencesMax: 3, bansPerAddressMin: 3 });
  for (let n = 0; n < 3; n++) {
    const bot = await enter(gateway, `bot-${n}`, '198.51.100.9');
    for (let i = 0; i < 10; i++) bot.say({ type: 'grab', rainId: 'r1' });
    expect(await bot.closed).toBe(4430);
  }
  expect(
    (await handshake(gateway.url, 'bot-4', { ...through('198.51.100.9'), authorization: 'Bearer a.b.c' })).status,
  ).toBe(429);
  expect((await handshake(gateway.url, 'ann', through('198.51.100.10'))).status).toBe('open');
});

test('every rate limit has refused somebody in a test', () => {
  expect([...refusedHere()].sort()).toEqual([...SHOWN_IN['ratelimit/rateLimiter.test.ts']].sort());
});
