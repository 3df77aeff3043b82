import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { shardKeys } from '../../../src/store/keys.ts';
import { announceChange } from '../../../src/store/transitions.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { registerGatewayMetrics } from '../../../src/gateway/telemetry/metrics.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { openRegistry } from '../../../src/platform/telemetry/metrics.ts';
import { dial, type Client } from '../../support/client.ts';
import { dialCrowd } from '../../support/crowd.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { TcpProxy } from '../../support/servers/proxy.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { chance, SEED } from './fairStartServers.ts';

/** Long enough for a busy machine to receive all grabs. */
const FAIR_START_MS = 400;
const USERS = 100;
const FAST = 10;
const PACKETS = 10;
/** Number of simultaneous rains, and number of rounds: forty rains in sequence would take half a minute of waiting. */
const RAINS_PER_TURN = 10;
const TURNS = 4;

const { server, redis } = await openRedis();

async function openFair(fairStartMs = FAIR_START_MS, redisUrl = server.url): Promise<Gateway> {
  // The crowd and its gateway are one busy process here.
  const gateway = await openGateway(redisUrl, {
    limits: { fairStartMs, turnMsMax: 60_000 },
    chance: chance('fair start'),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function untilRedis(moment: number): Promise<void> {
  for (let left = moment - (await redisNow(redis)); left > 0; left = moment - (await redisNow(redis)))
    await sleep(left);
}

const opensAt = async (rainId: string) => Number(await redis.hget(shardKeys(rainId, 0).state, 'opensAt'));
const winners = async (rainId: string) => await redis.hkeys(shardKeys(rainId, 0).claimed);

/** The codes of the results that each client received, by rain. */
async function resultsOf(clients: readonly Client[], rainIds: readonly string[]): Promise<Map<string, string[]>> {
  const codes = new Map(rainIds.map((rainId): [string, string[]] => [rainId, []]));
  await Promise.all(
    clients.map(async (client) => {
      for (let n = 0; n < rainIds.length; n++) {
        const { rainId, code } = await client.next('result');
        codes.get(rainId)!.push(code);
      }
    }),
  );
  return codes;
}

/**
 * Runs rains that open together; in each, the first ten users grab before all others.
 * @returns the number of packets they won
 */
async function race(clients: readonly Client[], rainIds: readonly string[]): Promise<number> {
  const moment = (await redisNow(redis)) + 300;
  for (const rainId of rainIds) {
    await stockRain(redis, {
      rainId,
      amounts: Array.from({ length: PACKETS }, () => '1.00'),
      opensInMs: moment - (await redisNow(redis)),
    });
    await announceChange(redis, rainId);
  }
  await untilRedis(Math.max(...(await Promise.all(rainIds.map(opensAt)))) + 2);
  const [fast, slow] = [clients.slice(0, FAST), clients.slice(FAST)];
  const ask = (some: readonly Client[]) => {
    for (const rainId of rainIds) for (const client of some) client.say({ type: 'grab', rainId });
  };
  ask(fast);
  await sleep(15);
  ask(slow);
  for (const codes of (await resultsOf(clients, rainIds)).values()) {
    expect(codes.filter((code) => code === '0')).toHaveLength(PACKETS);
    expect(codes.filter((code) => code === '-1')).toHaveLength(USERS - PACKETS);
  }
  const names = new Set(fast.map((_, i) => `user-${i}`));
  return (await Promise.all(rainIds.map(winners))).flat().filter((user) => names.has(user)).length;
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

test(`ten users who are always first, of a hundred, win about one packet in ten; without a fair start they win all (FAIR_SEED ${SEED.slice(0, 8)})`, async () => {
  const gateway = await openFair(2 * FAIR_START_MS);
  const clients = await dialCrowd(gateway, USERS);
  let won = 0;
  for (let loopBudget = 0; loopBudget < TURNS; loopBudget++)
    won += await race(clients, named(`fair-${loopBudget}`, RAINS_PER_TURN));
  const rains = TURNS * RAINS_PER_TURN;
  // Otherwise some came too late for a draw, and what they won says nothing.
  expect(gateway.counters.gathered).toBe(rains * USERS);
  const share = won / (rains * PACKETS);
  // 400 packets: five standard deviations to either side.
  expect(share).toBeGreaterThan(0.03);
  expect(share).toBeLessThan(0.18);
  const registry = openRegistry();
  registerGatewayMetrics(registry, gateway);
  expect(await registry.metrics()).toContain(`rain_gateway_fair_start_grabs_total ${rains * USERS}\n`);
  expect((await race(await dialCrowd(await openFair(0), USERS), named('race', 3))) / (3 * PACKETS)).toBeGreaterThan(
    0.9,
  );
}, 180_000);

test('[R1][R6] a user who grabs on two sockets, and again, has one lot and one packet, and each message is answered', async () => {
  const gateway = await openFair();
  const ann = await Promise.all(Array.from({ length: 2 }, () => dial(gateway.url, 'ann')));
  const bob = await dial(gateway.url, 'bob');
  onTestFinished(async () => {
    await Promise.all([...ann, bob].map((client) => client.leave()));
  });
  await stockRain(redis, { rainId: 'twice', amounts: ['1.00', '2.00', '3.00'], opensInMs: 300 });
  await announceChange(redis, 'twice');
  await untilRedis((await opensAt('twice')) + 2);
  for (const ref of ['a', 'b', 'c']) for (const client of ann) client.say({ type: 'grab', rainId: 'twice', ref });
  bob.say({ type: 'grab', rainId: 'twice' });
  await eventually(() => gateway.grabsPending() === 7);
  const results = await Promise.all(
    ann.map(async (client) => [await client.next('result'), await client.next('result'), await client.next('result')]),
  );
  expect(
    results
      .flat()
      .map(({ code }) => code)
      .sort(),
  ).toEqual(['0', '1', '1', '1', '1', '1']);
  expect(new Set(results.flat().map(({ redPacketId }) => redPacketId)).size).toBe(1);
  for (const own of results) expect(own.map(({ ref }) => ref)).toEqual(['a', 'b', 'c']);
  expect((await bob.next('result')).code).toBe('0');
  expect(await redis.llen(shardKeys('twice', 0).claims)).toBe(2);
  expect(gateway.grabsPending()).toBe(0);
});

test('[R6] a user who disconnects before the draw is still decided about, and gets the result at the next join', async () => {
  const gateway = await openFair();
  const ann = await dial(gateway.url, 'ann');
  await stockRain(redis, { rainId: 'gone', amounts: ['7.10'], opensInMs: 300 });
  await announceChange(redis, 'gone');
  await untilRedis((await opensAt('gone')) + 2);
  ann.say({ type: 'grab', rainId: 'gone' });
  await eventually(() => gateway.grabsPending() === 1);
  ann.socket.terminate();
  await eventually(async () => expect(await winners('gone')).toEqual(['ann']));
  const back = await dial(gateway.url, 'ann');
  onTestFinished(() => back.leave());
  back.say({ type: 'join', rainId: 'gone' });
  expect(await back.next('result')).toMatchObject({ code: '1', amount: '7.10' });
});

test('a gateway that closes meanwhile decides all gathered grabs before its goodbye', async () => {
  const gateway = await openFair();
  const clients = await Promise.all(Array.from({ length: 20 }, (_, i) => dial(gateway.url, `user-${i}`)));
  await stockRain(redis, { rainId: 'drain', amounts: Array.from({ length: 20 }, () => '1.00'), opensInMs: 300 });
  await announceChange(redis, 'drain');
  await untilRedis((await opensAt('drain')) + 2);
  for (const client of clients) client.say({ type: 'grab', rainId: 'drain' });
  await eventually(() => gateway.grabsPending() === 20);
  const closed = gateway.close();
  for (const client of clients) {
    expect((await client.next('result')).code).toBe('0');
    expect((await client.next('goodbye')).reason).toBe('service_restart');
  }
  await closed;
  expect(gateway.grabsPending()).toBe(0);
});

test('[R7] a script that grabs constantly from before the opening, so that one grab is always in flight, wins no more than its share', async () => {
  const proxy = await TcpProxy.open(server.port);
  onTestFinished(() => proxy.close());
  const gateway = await openFair(FAIR_START_MS, `redis://127.0.0.1:${proxy.port}`);
  const clients = await dialCrowd(gateway, 60);
  // As slow as a network to another city.
  proxy.delay(20);
  // Eight rains at once, each with its own script; in the other rains each script behaves like a user with one grab.
  const rainIds = named('script', 8);
  for (const rainId of rainIds) {
    await stockRain(redis, { rainId, amounts: ['1.00', '1.00', '1.00'], opensInMs: 600 });
    await announceChange(redis, rainId);
  }
  const moments = await Promise.all(rainIds.map(opensAt));
  const last = Math.max(...moments);
  await untilRedis(Math.min(...moments) - 100);
  for (let now = await redisNow(redis); now < last + 40; now = await redisNow(redis)) {
    rainIds.forEach((rainId, i) => clients[i]!.say({ type: 'grab', rainId, ref: 'script' }));
    await sleep(8);
  }
  await Promise.all(
    rainIds.map(async (rainId, script) => {
      const others = clients.filter((_, i) => i !== script);
      for (const client of others) client.say({ type: 'grab', rainId, ref: 'once' });
    }),
  );
  await Promise.all(
    clients.map(async (client, i) => {
      for (let received = 0, awaited = rainIds.length - (i < rainIds.length ? 1 : 0); received < awaited;)
        if ((await client.next('result')).ref === 'once') received++;
    }),
  );
  const won = (await Promise.all(rainIds.map(winners))).filter((users, script) =>
    users.includes(`user-${script}`),
  ).length;
  // With one packet in twenty it has an expected 0.4 of eight rains.
  expect(won).toBeLessThanOrEqual(3);
}, 60_000);
