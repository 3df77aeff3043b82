import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Registry, type Metric } from 'prom-client';
import { answerJson, type Readiness } from './health.ts';
import type { Logger } from './log.ts';
import { inTime } from '../concurrency/deadline.ts';
import type { Histogram } from './histogram.ts';
import { VERSION } from '../process/version.ts';

/** Metrics for Prometheus. Names follow its convention: `rain_…`, `_total` for counters, `_seconds`, `_bytes`. */
export type MetricsRegistry = Registry;

/** One value with its labels. */
export interface Sample {
  labels?: Record<string, string>;
  value: number;
}

interface MetricOptions {
  /** `counter` for values that only grow while the process runs. */
  kind: 'gauge' | 'counter';
  name: string;
  help: string;
  labels?: readonly string[];
  /** Called at each scrape; a missing sample disappears. */
  read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

interface HistogramOptions extends Pick<MetricOptions, 'name' | 'help' | 'labels'> {
  read: () => readonly { labels?: Record<string, string>; histogram: Histogram }[];
}

/** A metric whose `read` takes longer is left out of the scrape, so that the others are still reported, ms. */
const READ_MS_MAX = 2_000;
/** Each limit protects the process from a careless client [R10]. */
const CONNECTIONS_MAX = 32;
const LIMITS = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 5_000 } as const;

/** A registry that already has the metrics of the process: CPU, memory, event loop, garbage collection. */
export function openRegistry(): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_build_info',
    help: 'Always 1; the labels name the version and the Node version. If two versions run for longer than a rollout takes, the rollout is stuck',
    labels: ['version', 'node'],
    read: () => [{ labels: { version: VERSION, node: process.version }, value: 1 }],
  });
  return registry;
}

/** Exports a metric. Counting costs nothing here: the owner keeps the numbers, and they are read at each scrape. */
export function registerMetric(
  registry: MetricsRegistry,
  { kind, name, help, labels = [], read }: MetricOptions,
): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  const metric = kind === 'gauge' ? new Gauge({ ...options, collect }) : new Counter({ ...options, collect });
  async function collect(): Promise<void> {
    const samples = (await inTime((async () => read())(), READ_MS_MAX)) ?? [];
    metric.reset();
    // prom-client starts a metric without labels at 0, but an unknown value must not be reported as 0.
    metric.remove({});
    for (const { labels: named = {}, value } of samples) metric.inc(named, value);
  }
}

/** Exports histograms, whose counts stay with their owner. */
export function registerHistogram(
  registry: MetricsRegistry,
  { name, help, labels: labelNames = [], read }: HistogramOptions,
): void {
  const get = () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: read().flatMap(({ labels = {}, histogram: { bounds, counts, count, sum } }) => {
      let below = 0;
      return [
        ...[...bounds, '+Inf'].map((le, i) => ({
          metricName: `${name}_bucket`,
          labels: { ...labels, le },
          value: (below += counts[i]!),
        })),
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    }),
  });
  // prom-client's own histogram looks up its labels at each count, and cannot count many values at once.
  registry.registerMetric({ name, help, labelNames: [...labelNames], get } as unknown as Metric);
}

export function registerReadiness(registry: MetricsRegistry, { standing }: Pick<Readiness, 'standing'>): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_ready',
    help: '1: this part answers; 0: it does not answer, and /readyz shows the reason and the time. `open` is 0 while the process closes',
    labels: ['part'],
    read: () => standing().map(({ part, ready }) => ({ labels: { part }, value: ready ? 1 : 0 })),
  });
}

/** The source of the metrics page. */
export type MetricDescription = Pick<MetricsRegistry, 'metrics' | 'contentType'>;

interface MetricsServerOptions {
  registry: MetricDescription;
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Source of `/readyz`; without it the process is ready as long as it answers. */
  readiness?: Pick<Readiness, 'report'> | undefined;
  log: Logger;
}

/**
 * `GET /metrics` in Prometheus's text format, `GET /healthz` and `GET /readyz`; nothing else.
 * @throws one sentence when the port cannot be opened
 */
export async function startMetricsServer({ registry, host, port, readiness, log }: MetricsServerOptions) {
  const server = createServer(LIMITS, (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'GET only\n');
    switch (request.url?.split('?', 1)[0]) {
      case '/healthz':
        return answerJson(response, 200, { status: 'ok' });
      case '/readyz': {
        const report = readiness?.report() ?? { ready: true };
        return answerJson(response, report.ready ? 200 : 503, report);
      }
      case '/metrics':
        return void registry.metrics().then(
          (text) => answer(response, 200, text, registry.contentType),
          (error: unknown) => {
            log.error({ err: error }, 'the metrics cannot be read');
            answer(response, 500, 'failed\n');
          },
        );
      default:
        return answer(response, 404, 'see /metrics\n');
    }
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new Error(
          `port ${port} of ${host} cannot be opened for metrics (${cause.code}); choose another with METRICS_PORT`,
          { cause },
        ),
      );
    });
    server.listen(port, host, resolve);
  });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  log.info({ url: `${url}/metrics` }, 'metrics open');
  return {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, connection: 'close' }).end(text);
}
