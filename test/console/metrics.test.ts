import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { countRequests, createConsoleCounters, registerConsoleMetrics } from '../../src/console/metrics.ts';
import { startConsole, type ConsoleOptions } from '../../src/console/server.ts';
import { openReadiness } from '../../src/platform/telemetry/health.ts';
import { openRegistry } from '../../src/platform/telemetry/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';

const pageFolder = mkdtempSync(join(tmpdir(), 'rain-test-page-'));
writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><title>a page</title>');
afterAll(() => rmSync(pageFolder, { recursive: true, force: true }));

async function start(options: Partial<ConsoleOptions> = {}) {
  const { log, heard } = listeningLog();
  const counters = createConsoleCounters();
  const registry = openRegistry();
  registerConsoleMetrics(registry, counters);
  const testConsole = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder,
    counters,
    log,
    ...options,
  });
  onTestFinished(() => testConsole.close());
  return { url: testConsole.url, heard, counters, told: () => registry.metrics() };
}

test('every request is counted with its duration, by route and status', async () => {
  const { url, told } = await start();
  await fetch(`${url}/api/config`);
  await fetch(`${url}/api/config`);
  await fetch(`${url}/api/guest`, { method: 'POST' });
  await eventually(async () => {
    const text = await told();
    expect(text).toContain('rain_console_request_seconds_count{route="/api/config",method="GET",status="200"} 2\n');
    expect(text).toContain('rain_console_request_seconds_count{route="/api/guest",method="POST",status="404"} 1\n');
  });
});

test('[R10] all unknown addresses share one label, and so do all unknown methods', async () => {
  const { url, counters } = await start();
  for (let i = 0; i < 30; i++) await fetch(`${url}/nothing/${i}?x=${i}`);
  await eventually(() =>
    expect([...counters.requests.values()].reduce((sum, { histogram }) => sum + histogram.count, 0)).toBe(30),
  );
  expect(counters.requests.size).toBe(1);
});

test("an error is logged with the request id of its answer, which is ours and not the visitor's", async () => {
  const { url, heard } = await start({
    entry: { guests: { issue: () => Promise.reject(new Error('broken')), renew: async () => undefined } },
  });
  const answer = await fetch(`${url}/api/guest`, {
    method: 'POST',
    headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
  });
  const id = answer.headers.get('x-request-id');
  expect([answer.status, id]).toEqual([500, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(heard).toEqual([
    expect.objectContaining({ level: 'error', requestId: id, method: 'POST', route: '/api/guest' }),
  ]);
});

test('/readyz reports the dependencies of the console', async () => {
  let broken = true;
  const readiness = await openReadiness({
    parts: [
      {
        name: 'database',
        ask: async () => {
          if (broken) throw new Error('away');
        },
      },
    ],
    everyMs: 5,
  });
  onTestFinished(() => readiness.close());
  const { url } = await start({ readiness });
  await eventually(async () => {
    const answer = await fetch(`${url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { ready: false, notReady: [{ part: 'database', since: expect.any(String), reason: 'away' }] },
    ]);
  });
  broken = false;
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
});

test('refused logins are counted, wrong ones and too many ones separately', async () => {
  const server = Fastify();
  onTestFinished(() => server.close());
  const counters = createConsoleCounters();
  countRequests(server, counters);
  const statuses = [401, 401, 429, 200];
  server.post('/api/console/session', (_request, reply) => reply.code(statuses.shift()!).send({}));
  server.get('/api/console/session', (_request, reply) => reply.code(401).send({}));
  for (let i = 0; i < 4; i++) await server.inject({ method: 'POST', url: '/api/console/session' });
  await server.inject({ method: 'GET', url: '/api/console/session' });
  await eventually(() => expect(counters.loginFailures).toEqual({ wrong: 2, too_many: 1 }));
});
