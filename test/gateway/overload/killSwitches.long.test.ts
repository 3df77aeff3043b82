import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Pressure } from '../../../src/gateway/overload/pressure.ts';
import { KillSwitches } from '../../../src/gateway/overload/killSwitches.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import {
  holdSwitch,
  releaseSwitch,
  readSwitches,
  type HeldSwitch,
  type SwitchName,
} from '../../../src/store/killSwitches.ts';
import { EVENTS_CHANNEL, SWITCHES_KEY } from '../../../src/store/keys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { dial } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { creditedEvent } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const [one, two] = await Promise.all([openGateway(server.url), openGateway(server.url)]);
afterAll(() => Promise.all([one.close(), two.close()]));

async function held(name: SwitchName, position: HeldSwitch['position'], forMs?: number): Promise<HeldSwitch> {
  const since = await redisNow(redis);
  onTestFinished(() => releaseSwitch(redis, name));
  return {
    name,
    position,
    reason: 'the finale',
    actor: 'test',
    since,
    ...(forMs !== undefined && { until: since + forMs }),
  };
}

const stands = (gateway: Gateway, name: SwitchName) => {
  const { off, by } = gateway.load().switches.find((each) => each.name === name)!;
  return { off, by };
};

test('a switch takes effect on all gateways within a second, and so does its release', async () => {
  await holdSwitch(redis, await held('joins', 'off'));
  for (const gateway of [one, two])
    await eventually(() => expect(stands(gateway, 'joins')).toEqual({ off: true, by: 'operator' }), {
      timeoutMs: 1_000,
    });
  expect(stands(one, 'sockets')).toEqual({ off: false, by: undefined });
  await releaseSwitch(redis, 'joins');
  for (const gateway of [one, two])
    await eventually(() => expect(stands(gateway, 'joins')).toEqual({ off: false, by: undefined }), {
      timeoutMs: 1_000,
    });
});

test('a switch whose event was lost is noticed within about a second, and an expired one is released by itself', async () => {
  await redis.hset(SWITCHES_KEY, 'grabs', JSON.stringify(await held('grabs', 'off', 1_500)));
  await eventually(() => expect(stands(one, 'grabs')).toEqual({ off: true, by: 'operator' }), { timeoutMs: 2_000 });
  await eventually(() => expect(stands(one, 'grabs')).toEqual({ off: false, by: undefined }), { timeoutMs: 4_000 });
});

test('a gateway that starts later reads the switches; invalid entries have no effect', async () => {
  await holdSwitch(redis, await held('sockets', 'off'));
  await redis.hset(
    SWITCHES_KEY,
    'joins',
    'nonsense',
    'lights',
    JSON.stringify(await held('ticker', 'off')),
    'grabs',
    JSON.stringify(await held('ticker', 'off')),
  );
  expect((await readSwitches(redis)).map(({ name }) => name)).toEqual(['sockets']);
  const late = await openGateway(server.url);
  onTestFinished(() => late.close());
  expect(
    late
      .load()
      .switches.filter(({ off }) => off)
      .map(({ name }) => name),
  ).toEqual(['sockets']);
  await redis.del(SWITCHES_KEY);
});

test('while Redis is unreachable the last setting stays in force', async () => {
  await holdSwitch(redis, await held('joins', 'off'));
  await eventually(() => stands(two, 'joins').off);
  process.kill(server.pid, 'SIGSTOP');
  try {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(stands(two, 'joins')).toEqual({ off: true, by: 'operator' });
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
}, 20_000);

test('Redis does not answer for three seconds: the gateway itself answers grabs "busy", and they are decided again when it answers', async () => {
  await eventually(() => !one.pressed());
  await stockRain(redis, { rainId: 'silent', amounts: ['1.00'] });
  const client = await dial(one.url, 'ann');
  client.say({ type: 'join', rainId: 'silent' });
  await client.next('rain');
  process.kill(server.pid, 'SIGSTOP');
  try {
    await eventually(() => expect(stands(one, 'grabs')).toEqual({ off: true, by: 'pressure' }), { timeoutMs: 10_000 });
    expect(one.pressed()).toBe(true);
    const before = one.counters.refused.switch_grabs;
    client.say({ type: 'grab', rainId: 'silent', ref: 'x' });
    // The own result, which a join also reads, may fail while Redis is stopped; it carries no ref.
    let answer = await client.next('result');
    if (answer.ref === undefined) answer = await client.next('result');
    expect(answer).toMatchObject({ code: '-7', ref: 'x', retryInMs: expect.any(Number) as number });
    expect(one.counters.refused.switch_grabs).toBe(before + 1);
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  await eventually(() => expect(stands(one, 'grabs')).toEqual({ off: false, by: undefined }), { timeoutMs: 10_000 });
  await eventually(async () => {
    client.say({ type: 'grab', rainId: 'silent' });
    expect((await client.next('result')).amount).toBe('1.00');
  });
  await client.leave();
}, 40_000);

test('the operator can hold a switch on under any load, and off without load', async () => {
  let now = 0;
  const pressure = new Pressure(LIMITS, () => now);
  const rainCache = new KillSwitches({
    redis,
    pressure,
    now: () => Date.now(),
    log: createLog('test', 'silent'),
    onFault: (error) => {
      throw error;
    },
    pollMs: 60_000,
  });
  onTestFinished(() => rainCache.close());
  await rainCache.start();
  for (; now < 1_000; now += 50) pressure.update({ loopDelayMs: 5_000, roundTripMs: 1, silentMs: 1 });
  rainCache.apply();
  expect([rainCache.off, rainCache.heldBy('ticker'), rainCache.heldBy('grabs')]).toEqual([
    { ticker: true, joins: true, sockets: true, grabs: false },
    'pressure',
    undefined,
  ]);
  await holdSwitch(redis, await held('ticker', 'on'));
  await rainCache.refresh();
  expect([rainCache.off.ticker, rainCache.heldBy('ticker'), rainCache.off.joins]).toEqual([false, 'operator', true]);
  await releaseSwitch(redis, 'ticker');
  await rainCache.refresh();
  expect([rainCache.off.ticker, rainCache.heldBy('ticker')]).toEqual([true, 'pressure']);
});

test('with the ticker off viewers get no winners, but winners still get their own credit message', async () => {
  await stockRain(redis, { rainId: 'shown', amounts: ['1.00'] });
  await eventually(() => !two.pressed());
  const client = await dial(two.url, 'bob');
  const received: string[] = [];
  client.socket.on('message', (data) => received.push((JSON.parse(String(data)) as { type: string }).type));
  client.say({ type: 'join', rainId: 'shown' });
  await client.next('rain');
  await holdSwitch(redis, await held('ticker', 'off'));
  await eventually(() => stands(two, 'ticker').off);
  const credited = creditedEvent('shown', [{ userId: 'bob', redPacketId: 'shown-0', amount: '1.00' }]);
  await redis.publish(EVENTS_CHANNEL, credited);
  await client.next('credited');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(received).not.toContain('winners');
  await releaseSwitch(redis, 'ticker');
  await eventually(() => !stands(two, 'ticker').off);
  // Pressure may have switched it off again on a busy machine.
  await eventually(
    async () => {
      await redis.publish(EVENTS_CHANNEL, credited);
      expect(received).toContain('winners');
    },
    { timeoutMs: 20_000 },
  );
  await client.leave();
});
