import type { FastifyInstance } from 'fastify';
import { sessionApi } from './contract/session.ts';
import { registerMetric, registerHistogram, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import { Histogram, WAITS_SECONDS } from '../platform/telemetry/histogram.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Requests and refused logins since the start of the console. */
export function createConsoleCounters() {
  return {
    /**
     * By route, method and status. The label is our route, not the requested path, so that visitors cannot add labels
     * [R10].
     */
    requests: new Map<string, { labels: Record<'route' | 'method' | 'status', string>; histogram: Histogram }>(),
    loginFailures: { wrong: 0, too_many: 0 },
  };
}
export type ConsoleCounters = ReturnType<typeof createConsoleCounters>;

/** Counts every answer. Call it before routes are added. */
export function countRequests(server: FastifyInstance, { requests, loginFailures }: ConsoleCounters): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const method = METHODS.has(request.method) ? request.method : 'other';
    const status = String(reply.statusCode);
    const name = `${method} ${route} ${status}`;
    let counted = requests.get(name);
    if (!counted)
      requests.set(name, (counted = { labels: { route, method, status }, histogram: new Histogram(WAITS_SECONDS) }));
    counted.histogram.add(reply.elapsedTime / 1_000);
    if (route !== sessionApi.open.path || method !== sessionApi.open.method) return;
    if (status === '401') loginFailures.wrong++;
    else if (status === '429') loginFailures.too_many++;
  });
}

export function registerConsoleMetrics(registry: MetricsRegistry, { requests, loginFailures }: ConsoleCounters): void {
  registerHistogram(registry, {
    name: 'rain_console_request_seconds',
    help: 'HTTP requests to the console, by route and status; `none`: no route matched. For many 5xx: find the requestId in the log',
    labels: ['route', 'method', 'status'],
    read: () => [...requests.values()],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_console_login_failures_total',
    help: 'Refused operator logins. A forgotten password causes a few; hundreds are a guessing attack',
    labels: ['why'],
    read: () => Object.entries(loginFailures).map(([why, value]) => ({ labels: { why }, value })),
  });
}
