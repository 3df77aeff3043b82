import { expect, onTestFinished, test } from 'vitest';
import { openReadiness, type Part, type ReadinessOptions } from '../../../src/platform/telemetry/health.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { openRegistry, startMetricsServer, registerReadiness } from '../../../src/platform/telemetry/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { scrape } from '../../support/scrape.ts';

async function watch(parts: readonly Part[], options: Partial<ReadinessOptions> = {}) {
  const readiness = await openReadiness({ parts, everyMs: 5, answerMsMax: 100, ...options });
  onTestFinished(() => readiness.close());
  return readiness;
}

test('a part that fails is named with why and since when, and is forgotten when it answers again', async () => {
  let broken = true;
  let now = Date.UTC(2030, 0, 1);
  const readiness = await watch(
    [
      {
        name: 'redis',
        ask: async () => {
          if (broken) throw new Error('a line\nECONNREFUSED 10.1.2.3:6379 at redis://user:pass@host');
        },
      },
      { name: 'database', ask: async () => {} },
    ],
    { now: () => now },
  );
  await eventually(() => expect(readiness.report().ready).toBe(false));
  now += 5_000;
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  expect(readiness.report()).toEqual({
    ready: false,
    notReady: [{ part: 'redis', since: '2030-01-01T00:00:00.000Z', reason: 'ECONNREFUSED … at …' }],
  });
  broken = false;
  await eventually(() => expect(readiness.report()).toEqual({ ready: true }));
});

test('the opening waits for a part that is still connecting, and reports nothing before', async () => {
  let asked = 0;
  const readiness = await watch(
    [
      {
        name: 'redis',
        ask: async () => {
          if (++asked < 3) throw new Error('the connection is away');
        },
      },
    ],
    { everyMs: 60_000, answerMsMax: 60_000 },
  );
  expect([asked >= 3, readiness.report()]).toEqual([true, { ready: true }]);
});

test('a missing or silent part is reported from the beginning', async () => {
  const readiness = await watch(
    [
      {
        name: 'redis',
        ask: async () => {
          throw new Error('away');
        },
      },
      { name: 'database', ask: () => new Promise(() => {}) },
    ],
    { everyMs: 60_000 },
  );
  expect(readiness.report()).toMatchObject({
    ready: false,
    notReady: [
      { part: 'redis', reason: 'away' },
      { part: 'database', reason: 'no answer within 100 ms' },
    ],
  });
});

test('[R10] a silent part is not ready, and no second check starts meanwhile', async () => {
  let asked = 0;
  const readiness = await watch([
    {
      name: 'redis',
      ask: () => {
        asked++;
        return new Promise(() => {});
      },
    },
  ]);
  await eventually(() =>
    expect(readiness.report()).toMatchObject({
      ready: false,
      notReady: [{ part: 'redis', reason: 'no answer within 100 ms' }],
    }),
  );
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  expect(asked).toBe(1);
});

test('a process that did not listen itself does not call another silent', async () => {
  const readiness = await watch([
    {
      name: 'redis',
      ask: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 10);
        }),
    },
  ]);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  const end = performance.now() + 500;
  while (performance.now() < end);
  const seen = new Set<boolean>();
  for (let i = 0; i < 20; i++) {
    seen.add(readiness.report().ready);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  expect([...seen]).toEqual([true]);
});

test('a closing process is not ready in /readyz and in the metrics, but alive in /healthz', async () => {
  const readiness = await watch([{ name: 'redis', ask: async () => {} }]);
  const registry = openRegistry();
  registerReadiness(registry, readiness);
  const server = await startMetricsServer({
    registry,
    host: '127.0.0.1',
    port: 0,
    readiness,
    log: createLog('metrics', 'silent'),
  });
  onTestFinished(() => server.close());
  const ask = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`);
    return [answer.status, await answer.json()];
  };
  expect([await ask('/readyz'), await ask('/healthz')]).toEqual([
    [200, { ready: true }],
    [200, { status: 'ok' }],
  ]);
  readiness.drain();
  expect(await ask('/readyz')).toEqual([
    503,
    { ready: false, notReady: [{ part: 'open', since: expect.any(String), reason: 'closing: accepts no new work' }] },
  ]);
  expect(await ask('/healthz')).toEqual([200, { status: 'ok' }]);
  const told = await scrape(server.url);
  expect([told.get('rain_ready{part="redis"}'), told.get('rain_ready{part="open"}')]).toEqual([1, 0]);
});
