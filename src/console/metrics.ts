import type { FastifyInstance } from 'fastify';
import { registerMetric, registerHistogram, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import { Histogram, WAITS_SECONDS } from '../platform/telemetry/histogram.ts';

/** What the console was asked, and how that went, since it opened. */
export interface ConsoleCounters {
  /** By route, method and status. Routes are ours, not what was asked for, so that visitors cannot make them grow [R10]. */
  requests: Map<string, { labels: Record<'route' | 'method' | 'status', string>; histogram: Histogram }>;
  /** Logins that were refused: wrong, or too many. */
  loginFailures: Record<'wrong' | 'too_many', number>;
}

/** Where an operator logs in. */
const LOGIN = '/api/console/session';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

export function createConsoleCounters(): ConsoleCounters {
  return { requests: new Map(), loginFailures: { wrong: 0, too_many: 0 } };
}

/** Counts every answer from now on; to be called before routes are added. */
export function countRequests(server: FastifyInstance, { requests, loginFailures }: ConsoleCounters): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const method = METHODS.has(request.method) ? request.method : 'other';
    const status = String(reply.statusCode);
    const name = `${method} ${route} ${status}`;
    let asked = requests.get(name);
    if (!asked) requests.set(name, asked = { labels: { route, method, status }, histogram: new Histogram(WAITS_SECONDS) });
    asked.histogram.add(reply.elapsedTime / 1_000);
    if (route !== LOGIN || method !== 'POST') return;
    if (status === '401') loginFailures.wrong++;
    else if (status === '429') loginFailures.too_many++;
  });
}

export function registerConsoleMetrics(registry: MetricsRegistry, { requests, loginFailures }: ConsoleCounters): void {
  registerHistogram(registry, {
    name: 'rain_console_request_seconds', help: 'HTTP requests to the console, by route and status; `none` is what no route is for. A stream of 5xx: see the log by its requestId', labels: ['route', 'method', 'status'],
    read: () => [...requests.values()],
  });
  registerMetric(registry, {
    kind: 'counter', name: 'rain_console_login_failures_total', help: 'Logins of operators that were refused. A forgotten password makes a few; hundreds are a guessing attack', labels: ['why'],
    read: () => Object.entries(loginFailures).map(([why, value]) => ({ labels: { why }, value })),
  });
}
