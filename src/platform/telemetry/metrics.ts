import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Registry, type Metric } from 'prom-client';
import { answerJson, type Readiness } from './health.ts';
import type { Logger } from './log.ts';
import { inTime } from '../concurrency/deadline.ts';
import type { Histogram } from './histogram.ts';
import { VERSION } from '../process/version.ts';

/** Figures for Prometheus. Names by its convention: `rain_…`, `_total` for what only grows, `_seconds`, `_bytes`. */
export type MetricsRegistry = Registry;

/** One number, with what tells it from its neighbours. */
export interface Sample {
  labels?: Record<string, string>;
  value: number;
}

interface Figure {
  /** `counter` for what only grows while the process lives. */
  kind: 'gauge' | 'counter';
  name: string;
  help: string;
  labels?: readonly string[];
  /** Asked at each scrape; what is no longer told disappears. */
  read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

interface HistogramFigure extends Pick<Figure, 'name' | 'help' | 'labels'> {
  /** Asked at each scrape. */
  read: () => readonly { labels?: Record<string, string>; histogram: Histogram }[];
}

/** A source that does not answer is left out of a scrape after this time, so that the others are still told. */
const READ_MS_MAX = 2_000;

/** Each protects the process from one careless visitor [R10]. */
const LIMITS = { connectionsMax: 32, headerBytesMax: 8_192, requestMsMax: 5_000 } as const;

/** With the figures of the process itself: CPU, memory, event loop, garbage collection. */
export function openRegistry(): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_build_info', help: 'Always 1; which version runs, on which Node. Two versions at once for longer than a rollout takes is a rollout that got stuck',
    labels: ['version', 'node'], read: () => [{ labels: { version: VERSION, node: process.version }, value: 1 }],
  });
  return registry;
}

/** Has the figure told from now on. Counting costs nothing here: the numbers are kept by whom they belong to, and read when asked for. */
export function registerMetric(registry: MetricsRegistry, { kind, name, help, labels = [], read }: Figure): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  const metric = kind === 'gauge' ? new Gauge({ ...options, collect }) : new Counter({ ...options, collect });
  async function collect(): Promise<void> {
    const samples = await inTime((async () => read())(), READ_MS_MAX) ?? [];
    metric.reset();
    // prom-client begins a figure without labels at 0; one that cannot be told must not be told as 0.
    metric.remove({});
    for (const { labels: named = {}, value } of samples) metric.inc(named, value);
  }
}

/** Has a histogram told from now on, from a spread that is counted where it belongs to. */
export function registerHistogram(registry: MetricsRegistry, { name, help, labels: labelNames = [], read }: HistogramFigure): void {
  const get = () => ({
    name, help, type: 'histogram', aggregator: 'sum',
    values: read().flatMap(({ labels = {}, histogram: { bounds, counts, count, sum } }) => {
      let below = 0;
      return [
        ...[...bounds, '+Inf'].map((le, i) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: below += counts[i]! })),
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    }),
  });
  // prom-client's own histogram looks its labels up each time it counts, and cannot be told many at once.
  registry.registerMetric({ name, help, labelNames: [...labelNames], get } as unknown as Metric);
}

export function registerReadiness(registry: MetricsRegistry, { standing }: Pick<Readiness, 'standing'>): void {
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_ready', help: '1: this part answers; 0: it does not, and /readyz says since when and why. `open` is 0 while the process closes', labels: ['part'],
    read: () => standing().map(({ part, ready }) => ({ labels: { part }, value: ready ? 1 : 0 })),
  });
}

interface MetricsServer {
  /** `http://host:port` */
  url: string;
  close(): Promise<void>;
}

/** Where the page of figures comes from. */
export type MetricDescription = Pick<MetricsRegistry, 'metrics' | 'contentType'>;

interface MetricsServerOptions {
  registry: MetricDescription;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** What `/readyz` says; without one the process is ready as long as it answers. */
  readiness?: Pick<Readiness, 'report'> | undefined;
  log: Logger;
}

/**
 * `GET /metrics` in Prometheus's text format, `GET /healthz` and `GET /readyz`; nothing else.
 * @throws when the port cannot be had, with one sentence
 */
export async function startMetricsServer({ registry, host, port, readiness, log }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ maxHeaderSize: LIMITS.headerBytesMax, headersTimeout: LIMITS.requestMsMax, requestTimeout: LIMITS.requestMsMax }, (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'GET only\n');
    switch (request.url?.split('?', 1)[0]) {
      case '/healthz': return answerJson(response, 200, { status: 'ok' });
      case '/readyz': {
        const report = readiness?.report() ?? { ready: true };
        return answerJson(response, report.ready ? 200 : 503, report);
      }
      case '/metrics': return void registry.metrics().then(
        (text) => answer(response, 200, text, registry.contentType),
        (error: unknown) => { log.error({ err: error }, 'the metrics cannot be told'); answer(response, 500, 'failed\n'); },
      );
      default: return answer(response, 404, 'see /metrics\n');
    }
  });
  server.maxConnections = LIMITS.connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(`port ${port} of ${host} cannot be opened for metrics (${error.code}); choose another with METRICS_PORT`, { cause: error })));
    server.listen(port, host, resolve);
  });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  log.info({ url: `${url}/metrics` }, 'metrics open');
  return {
    url,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, connection: 'close' }).end(text);
}
