import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import {
  openRegistry,
  startMetricsServer,
  registerMetric,
  registerHistogram,
  type Sample,
} from '../../../src/platform/telemetry/metrics.ts';
import { Histogram } from '../../../src/platform/telemetry/histogram.ts';
import { scrape } from '../../support/scrape.ts';

const log = createLog('metrics', 'silent');

async function serve(registry = openRegistry()) {
  const server = await startMetricsServer({ registry, host: '127.0.0.1', port: 0, log });
  onTestFinished(() => server.close());
  return { registry, url: server.url };
}

test('/metrics has the metrics of the process, /healthz answers, and no other path exists', async () => {
  const { url } = await serve();
  const told = await scrape(url);
  expect(told.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(told.get('nodejs_eventloop_lag_seconds')).toBeDefined();
  expect((await fetch(`${url}/metrics`)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
});

test('a metric is read at each scrape, and a missing label disappears', async () => {
  const { registry, url } = await serve();
  let samples: Sample[] = [
    { labels: { rain: 'a' }, value: 1 },
    { labels: { rain: 'b' }, value: 2 },
  ];
  let total = 5;
  registerMetric(registry, { kind: 'gauge', name: 'rain_x', help: 'x', labels: ['rain'], read: () => samples });
  registerMetric(registry, { kind: 'counter', name: 'rain_y_total', help: 'y', read: () => [{ value: total }] });
  let told = await scrape(url);
  expect([told.get('rain_x{rain="a"}'), told.get('rain_x{rain="b"}'), told.get('rain_y_total')]).toEqual([1, 2, 5]);
  samples = [{ labels: { rain: 'b' }, value: 3 }];
  total = 6;
  told = await scrape(url);
  expect([told.get('rain_x{rain="a"}'), told.get('rain_x{rain="b"}'), told.get('rain_y_total')]).toEqual([
    undefined,
    3,
    6,
  ]);
});

test('a histogram is cumulative, with sum and count, for each label', async () => {
  const { registry, url } = await serve();
  const [fast, slow] = [new Histogram([0.1, 1]), new Histogram([0.1, 1])];
  for (const [value, times] of [
    [0.05, 3],
    [0.1, 1],
    [0.5, 2],
    [7, 1],
  ] as const)
    fast.add(value, times);
  slow.add(1);
  registerHistogram(registry, {
    name: 'rain_z_seconds',
    help: 'z',
    labels: ['way'],
    read: () => [
      { labels: { way: 'fast' }, histogram: fast },
      { labels: { way: 'slow' }, histogram: slow },
    ],
  });
  const told = await scrape(url);
  const of = (way: string) =>
    ['0.1', '1', '+Inf'].map((le) => told.get(`rain_z_seconds_bucket{way="${way}",le="${le}"}`));
  expect([of('fast'), of('slow')]).toEqual([
    [4, 6, 7],
    [0, 1, 1],
  ]);
  expect(told.get('rain_z_seconds_sum{way="fast"}')).toBeCloseTo(8.25);
  expect(told.get('rain_z_seconds_count{way="fast"}')).toBe(7);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('# TYPE rain_z_seconds histogram\n');
});

test('the running version is exported', async () => {
  const { url } = await serve();
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect((await scrape(url)).get(`rain_build_info{version="${version}",node="${process.version}"}`)).toBe(1);
});

test('[R10] a metric whose source fails or hangs is left out, never reported as 0, and the others are reported', async () => {
  const { registry, url } = await serve();
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_failing',
    help: 'x',
    read: () => Promise.reject(new Error('away')),
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_hanging',
    help: 'x',
    read: () => new Promise<Sample[]>(() => {}),
  });
  registerMetric(registry, { kind: 'gauge', name: 'rain_well', help: 'x', read: () => [{ value: 7 }] });
  const told = await scrape(url);
  expect([told.has('rain_failing'), told.has('rain_hanging'), told.get('rain_well')]).toEqual([false, false, 7]);
});

test('a port that is taken: one sentence that names the setting', async () => {
  const { url } = await serve();
  await expect(
    startMetricsServer({ registry: openRegistry(), host: '127.0.0.1', port: Number(new URL(url).port), log }),
  ).rejects.toThrow(/cannot be opened for metrics \(EADDRINUSE\); choose another with METRICS_PORT/);
});
