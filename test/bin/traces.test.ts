import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisNow } from '../../src/grab/reading.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { TRAIL } from '../../src/rain/trail.ts';
import { spanIdOf, traceIdOf } from '../../src/runtime/traces.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { dial, SECRET } from '../support/client.ts';
import { startCollector, type Collector } from '../support/collector.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';

let desk: TestDesk;
let collector: Collector;
let servers: CliProcess[];
let url: string;

beforeAll(async () => {
  [desk, collector] = await Promise.all([openTestDesk(), startCollector()]);
  const env = { REDIS_URL: desk.redisUrl, DATABASE_URL: desk.databaseUrl, JWT_SECRET: SECRET, GATEWAY_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACES_ONE_IN: '1' };
  servers = [startCli(['gateway'], env), startCli(['worker'], env)];
  const port = await eventually(() => /"port":(\d+),"msg":"gateway open"/.exec(servers[0]!.stderr())?.[1] ?? false, { timeoutMs: 30_000 });
  await eventually(() => servers[1]!.stderr().includes('worker open'), { timeoutMs: 30_000 });
  url = `ws://127.0.0.1:${port}/v1`;
});
afterAll(async () => {
  for (const { child } of servers) child.kill('SIGTERM');
  await Promise.all(servers.map(({ done }) => done));
  await Promise.all([collector.close(), desk.stop()]);
});

test('a win is one trace from its socket to the book and back, over processes that hand each other nothing for it', async () => {
  const now = await redisNow(desk.redis);
  await createRain(desk, { id: 't1', plan: { budget: '3456.78', packets: 2, split: { method: 'even' } }, opensAt: now - 1_000, closesAt: now + 600_000 });
  await loadRain(desk, 't1');
  const [ann, bob, eve] = await Promise.all([dial(url, 'ann'), dial(url, 'bob'), dial(url, 'eve')]);
  const ids: string[] = [];
  for (const client of [ann, bob, eve]) {
    client.say({ type: 'grab', rainId: 't1' });
    const result = await client.next('result');
    if (result.code === '0') ids.push(String(result.redPacketId));
  }
  expect(ids).toHaveLength(2);
  await Promise.all([ann.next('credited'), bob.next('credited')]);

  await eventually(() => expect(collector.heard).toHaveLength(2 * TRAIL.length));
  for (const id of ids) {
    const of = `t1/${id}`;
    const spans = TRAIL.map((name) => collector.heard.find((one) => one.traceId === traceIdOf(of) && one.name === name)!);
    expect(spans.map(({ name, service, spanId, parentSpanId }) => [name, service, spanId, parentSpanId || undefined])).toEqual([
      ['grab', 'rain-gateway', spanIdOf(of, 'grab'), undefined],
      ['relay', 'rain-worker', spanIdOf(of, 'relay'), spanIdOf(of, 'grab')],
      ['credit', 'rain-worker', spanIdOf(of, 'credit'), spanIdOf(of, 'relay')],
      ['announce', 'rain-worker', spanIdOf(of, 'announce'), spanIdOf(of, 'credit')],
      ['told', 'rain-gateway', spanIdOf(of, 'told'), spanIdOf(of, 'announce')],
    ]);
    for (const { attributes, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(attributes).toMatchObject({ 'rain.id': 't1', 'rain.red_packet_id': id });
      expect(endTimeUnixNano).toBeGreaterThanOrEqual(startTimeUnixNano);
    }
    // Milliseconds of two clocks: a step may seem to begin a little before the one before it has ended, never before it began.
    spans.reduce((before, span) => {
      expect(span.endTimeUnixNano + 2_000_000n).toBeGreaterThan(before.startTimeUnixNano);
      return span;
    });
  }
  // 3456.78 in two packets, the users, and what opens doors.
  for (const text of collector.raw) expect(text).not.toMatch(/1728\.39|3456\.78|"(ann|bob|eve)"|eyJ|for-tests-only|redis:|postgres:/);
  await Promise.all([ann, bob, eve].map((client) => client.leave()));
});
