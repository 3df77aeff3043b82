import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { reschedule } from '../../src/store/transitions.ts';
import { redisNow } from '../../src/store/rains.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { dial, follow, SECRET, tokenFor, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { server, redis } = await openRedis();
const PRELOAD = fileURLToPath(new URL('./processes/shifted-clock.mjs', import.meta.url));
/** Tolerance of a sent time, and of a moment, ms; test machines are busy. */
const CLOSE = 1_000;
const TEN_MINUTES = 600_000;

// Most of the time is spent waiting for the protocol's seconds, so the tests run concurrently, each with its own rains
// and users.
describe.concurrent.each([
  ['ahead', TEN_MINUTES],
  ['behind', -TEN_MINUTES],
])('[R7] a gateway whose machine is ten minutes %s', (where, shiftMs) => {
  let gateway: CliProcess;
  let url: string;
  beforeAll(async () => {
    gateway = startCli(['gateway'], {
      REDIS_URL: server.url,
      JWT_SECRET: SECRET,
      GATEWAY_PORT: '0',
      LOG_LEVEL: 'info',
      CLOCK_SHIFT_MS: String(shiftMs),
      NODE_OPTIONS: `--import=${PRELOAD}`,
    });
    const [time, port] = await eventually(
      () => /"time":(\d+),.*"port":(\d+),"msg":"gateway open"/.exec(gateway.stderr())!.slice(1),
      { timeoutMs: 20_000 },
    );
    // The date of the process is really wrong.
    expect(Math.abs(Number(time) - Date.now() - shiftMs)).toBeLessThan(10_000);
    url = `ws://127.0.0.1:${port}/v1`;
  });
  afterAll(async () => {
    gateway.child.kill('SIGTERM');
    expect((await gateway.done).exit).toBe(0);
  });

  /**
   * The next snapshot of this rain, in this state if given, and its arrival by Redis's clock; snapshots of other rains
   * are skipped.
   */
  async function sees(client: Client, rainId: string, state?: string) {
    for (;;) {
      const snapshot = await client.next('rain');
      if (snapshot.rainId === rainId && (state === undefined || snapshot.state === state))
        return { ...snapshot, at: await redisNow(redis) };
    }
  }
  const asks = async (client: Client, rainId: string) => {
    client.say({ type: 'grab', rainId });
    return (await client.next('result')).code;
  };
  const bearer = async (userId: string, expiresInSeconds: number) =>
    new WebSocket(url, ['rain.v1', `bearer.${await tokenFor(userId, expiresInSeconds)}`]);

  test('opens nothing early, refuses nothing late, and announces both moments on time', async () => {
    const rainId = `window-${where}`;
    await stockRain(redis, { rainId, amounts: ['1.00', '2.00'], opensInMs: 60_000 });
    const ann = await dial(url, 'ann');
    ann.say({ type: 'join', rainId });
    await sees(ann, rainId, 'loaded');
    expect(await asks(ann, rainId)).toBe('-2');
    // Not before she has joined, however long a busy machine takes for that.
    const now = await redisNow(redis);
    const [opensAt, closesAt] = [now + 1_500, now + 4_500];
    expect(await reschedule(redis, rainId, 1, { opensAt, closesAt })).toBe('moved');
    expect(await asks(ann, rainId)).toBe('-2');
    expect(Math.abs((await sees(ann, rainId, 'open')).at - opensAt)).toBeLessThan(CLOSE);
    expect(await asks(ann, rainId)).toBe('0');
    expect(Math.abs((await sees(ann, rainId, 'closed')).at - closesAt)).toBeLessThan(CLOSE);
    const bob = await dial(url, 'bob');
    expect(await asks(bob, rainId)).toBe('-3');
    await Promise.all([ann.leave(), bob.leave()]);
  });

  test("sends Redis's time in welcome, rain and pong, so that a countdown is right", async () => {
    const rainId = `told-${where}`;
    await stockRain(redis, { rainId, amounts: ['1.00'], opensInMs: 60_000 });
    const ann = await dial(url, 'ann');
    const welcome = await ann.next('welcome');
    const off = async (sent: number) => Math.abs(sent - (await redisNow(redis)));
    expect(await off(welcome.serverTime)).toBeLessThan(CLOSE);
    ann.say({ type: 'join', rainId });
    const rain = await sees(ann, rainId);
    expect(await off(rain.serverTime)).toBeLessThan(CLOSE);
    expect(Math.abs(rain.opensAt - rain.serverTime - 60_000)).toBeLessThan(1_000);
    ann.say({ type: 'ping', t: 1 });
    expect(await off((await ann.next('pong')).serverTime)).toBeLessThan(CLOSE);
    await ann.leave();
  });

  test('[R9] closes no socket whose token has five minutes left, and admits no token that expired five minutes ago', async () => {
    const valid = follow(await bearer('ann', 300));
    await valid.next('welcome');
    // Two heartbeat checks later the socket is still open.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    valid.say({ type: 'ping', t: 1 });
    await valid.next('pong');
    await valid.leave();
    const late = await bearer('eve', -300);
    late.on('error', () => {});
    const [, response] = (await once(late, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(401);
    late.terminate();
  });

  test("[R9] closes a socket when its token expires by Redis's clock", async () => {
    const signedAt = await redisNow(redis);
    const [brief, lasting] = [follow(await bearer('ann', 3)), follow(await bearer('ann', 8))];
    await Promise.all([brief.next('welcome'), lasting.next('welcome')]);
    expect(await brief.closed).toBe(4401);
    // A token's seconds are whole: it lasts for two to three of them.
    expect((await redisNow(redis)) - signedAt).toBeGreaterThan(1_900);
    // The heartbeat checks once a second. It was on time if the other socket, with five more seconds, is still open.
    lasting.say({ type: 'ping', t: 1 });
    await lasting.next('pong');
    expect(await lasting.closed).toBe(4401);
  });
});
