import { afterAll, expect, test } from 'vitest';
import { registerGatewayMetrics } from '../../src/gateway/telemetry/metrics.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { holdSwitch, releaseSwitch } from '../../src/store/killSwitches.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { openRegistry, startMetricsServer } from '../../src/platform/telemetry/metrics.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { scrape } from '../support/scrape.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url, { limits: { messagesPerSecondMax: 4 } });
const registry = openRegistry();
registerGatewayMetrics(registry, gateway);
const metrics = await startMetricsServer({ registry, host: '127.0.0.1', port: 0, log: createLog('metrics', 'silent') });
afterAll(() => Promise.all([metrics.close(), gateway.close()]));

const grabs = (metricValues: Map<string, number>) =>
  Object.fromEntries(
    [...metricValues].flatMap(([name, value]) => {
      const code = /^rain_gateway_grabs_total\{code="(-?\d)"/.exec(name)?.[1];
      return code !== undefined && value > 0 ? [[code, value]] : [];
    }),
  );

test('the gateway exposes its sockets, every grab by its code, and the faults of its Redis', async () => {
  await stockRain(redis, { rainId: 'g1', amounts: ['5.00'] });
  const [ann, bob, eve] = await Promise.all([
    dial(gateway.url, 'ann'),
    dial(gateway.url, 'bob'),
    dial(gateway.url, 'eve'),
  ]);
  for (const [client, rainId] of [
    [ann, 'g1'],
    [ann, 'g1'],
    [bob, 'g1'],
    [bob, 'nowhere'],
  ] as const) {
    client.say({ type: 'grab', rainId });
    await client.next('result');
  }
  expect(grabs(await scrape(metrics.url))).toEqual({ '0': 1, '1': 1, '-1': 1, '-8': 1 });
  expect((await scrape(metrics.url)).get('rain_gateway_sockets')).toBe(3);

  for (let i = 0; i < 8; i++) eve.say({ type: 'grab', rainId: 'g1' });
  // All are answered, so that none of them meets the broken key below.
  for (let i = 0; i < 8; i++) await eve.next('result');
  expect(grabs(await scrape(metrics.url))['-5']).toBeGreaterThan(0);

  expect((await scrape(metrics.url)).get('rain_gateway_redis_faults_total')).toBe(0);
  const keys = shardKeys('g1', 0);
  await redis.del(keys.claimed);
  await redis.set(keys.claimed, 'of another type');
  // A winner's grab: for losers Redis need not be asked any more.
  ann.say({ type: 'grab', rainId: 'g1' });
  expect(await ann.next('result')).toMatchObject({ code: '-7' });
  const metricValues = await scrape(metrics.url);
  expect([metricValues.get('rain_gateway_redis_faults_total'), grabs(metricValues)['-7']]).toEqual([1, 1]);
  await Promise.all([ann, bob, eve].map((client) => client.leave()));
  await eventually(async () => expect((await scrape(metrics.url)).get('rain_gateway_sockets')).toBe(0));
});

test('the load is exposed: the limit of waiting grabs, the delays of loop and Redis, and each switch with its owner', async () => {
  const metricValues = await scrape(metrics.url);
  expect(metricValues.get('rain_gateway_grabs_pending_limit')).toBeGreaterThan(1_000);
  for (const name of ['loop_delay', 'redis_round_trip'])
    expect(metricValues.get(`rain_gateway_${name}_seconds`)).toBeGreaterThanOrEqual(0);
  await eventually(async () =>
    expect((await scrape(metrics.url)).get('rain_gateway_redis_round_trip_seconds')).toBeGreaterThan(0),
  );
  await holdSwitch(redis, { name: 'joins', position: 'off', reason: 'r', actor: 'test', since: Date.now() });
  await eventually(async () =>
    expect((await scrape(metrics.url)).get('rain_gateway_switch{switch="joins",by="operator"}')).toBe(0),
  );
  await releaseSwitch(redis, 'joins');
  await eventually(async () =>
    expect((await scrape(metrics.url)).get('rain_gateway_switch{switch="joins",by="nobody"}')).toBe(1),
  );
});

test('answer times are exposed for every grab that Redis decided, read once a batch', async () => {
  const before = await scrape(metrics.url);
  await stockRain(redis, { rainId: 'g2', amounts: ['5.00'] });
  const crowd = await Promise.all(['a', 'b', 'c'].map((name) => dial(gateway.url, name)));
  for (const client of crowd) client.say({ type: 'grab', rainId: 'g2' });
  await Promise.all(crowd.map((client) => client.next('result')));
  const metricValues = await scrape(metrics.url);
  const more = (name: string) => metricValues.get(name)! - before.get(name)!;
  expect(more('rain_gateway_answer_seconds_count')).toBe(3);
  expect(more('rain_gateway_batch_grabs_sum')).toBe(3);
  expect(more('rain_gateway_redis_batch_seconds_count')).toBe(more('rain_gateway_batch_grabs_count'));
  expect(more('rain_gateway_answer_seconds_sum')).toBeGreaterThan(0);
  await eventually(async () =>
    expect((await scrape(metrics.url)).get('rain_gateway_redis_probe_seconds_count')).toBeGreaterThan(0),
  );
  expect(metricValues.get('rain_gateway_sockets_limit')).toBe(18_000);
  expect(metricValues.get('rain_ready{part="redis"}')).toBe(1);
  await Promise.all(crowd.map((client) => client.leave()));
});
