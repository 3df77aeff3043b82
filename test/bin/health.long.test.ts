import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open as openConsole } from '../../src/bin/servers/console.ts';
import { open as openGateway } from '../../src/bin/servers/gateway.ts';
import type { Shutdown } from '../../src/platform/process/shutdown.ts';
import { buildShippedPage } from '../browser/built-page.ts';
import { SECRET } from '../support/client.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { startRedis, type TestRedis } from '../support/servers/redis.ts';
import { openShutdown } from '../support/shutdown.ts';
import { openWorker } from '../support/servers/worker.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

/** So long may a load balancer be told something wrong. */
const TOLD_WITHIN_MS = 3_000;

let redis: TestRedis;
let book: TestDatabase;
let line: TcpProxy;
const servers = new Map<string, { url: string; close(): Promise<unknown> }>();

beforeAll(async () => {
  [redis, book] = await Promise.all([startRedis(), startDatabase(), buildShippedPage()]);
  line = await TcpProxy.open(Number(new URL(book.url).port));
  const databaseUrl = book.url.replace(/:\d+\//, `:${line.port}/`);
  const opens: Record<string, (shutdown: Shutdown, environment: Record<string, string>) => Promise<unknown>> = {
    gateway: openGateway,
    console: (shutdown, environment) => openConsole(shutdown, environment),
  };
  for (const [name, open] of Object.entries(opens)) {
    const port = String(await freePort());
    const { shutdown, close } = openShutdown();
    await open(shutdown, {
      REDIS_URL: redis.url,
      DATABASE_URL: databaseUrl,
      JWT_SECRET: SECRET,
      SIGNING_SECRET,
      GATEWAY_PORT: '0',
      CONSOLE_PORT: '0',
      METRICS_PORT: port,
      LOG_LEVEL: 'silent',
    });
    servers.set(name, { url: `http://127.0.0.1:${port}`, close });
  }
  const worker = await openWorker({ redisUrl: redis.url, databaseUrl }, { metrics: { host: '127.0.0.1', port: 0 } });
  servers.set('worker', { url: worker.metricsUrl!.replace('/metrics', ''), close: () => worker.close() });
});
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.close()));
  await line.close();
  await Promise.all([redis.stop(), book.stop()]);
});

/** Which parts each server misses; undefined where it is ready. */
async function missing(): Promise<Record<string, string[] | undefined>> {
  return Object.fromEntries(
    await Promise.all(
      [...servers].map(async ([name, { url }]) => {
        const answer = await fetch(`${url}/readyz`);
        const body = (await answer.json()) as {
          ready: boolean;
          notReady?: { part: string; since: string; reason: string }[];
        };
        expect(answer.status).toBe(body.ready ? 200 : 503);
        for (const { since, reason } of body.notReady ?? [])
          expect([Math.abs(Date.now() - Date.parse(since)) < 60_000, reason]).toEqual([
            true,
            expect.stringMatching(/^[^@]+$/),
          ]);
        return [name, body.notReady?.map(({ part }) => part)];
      }),
    ),
  );
}

const ALL_READY = { gateway: undefined, worker: undefined, console: undefined };
/** A server that was deaf for so long itself believes nothing that it has heard meanwhile, see health.ts, ms. */
const DEAF_MS = 250;
const DEAFNESSES_MAX = 10;

/** In time, as long as this process, in which all three run, was not deaf meanwhile; then its time begins anew. */
async function toldInTime(check: () => void | Promise<void>): Promise<void> {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  for (let deaf = 0; ; deaf++) {
    lag.reset();
    const told = await eventually(check, { timeoutMs: TOLD_WITHIN_MS })
      .then(
        () => true,
        (error: unknown) => {
          if (lag.max / 1e6 < DEAF_MS || deaf === DEAFNESSES_MAX) throw error;
          return false;
        },
      )
      .finally(() => lag.disable());
    if (told) return;
    lag.enable();
  }
}
const backWithin = { timeoutMs: 20_000 };

test('a Redis that is frozen: gateway, worker and console are not ready within three seconds, alive all the time, and ready again when it wakes', async () => {
  await eventually(async () => expect(await missing()).toEqual(ALL_READY));
  process.kill(redis.pid, 'SIGSTOP');
  try {
    await toldInTime(async () =>
      expect(await missing()).toEqual({ gateway: ['redis'], worker: ['redis'], console: ['redis'] }),
    );
    for (const { url } of servers.values()) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  await eventually(async () => expect(await missing()).toEqual(ALL_READY), backWithin);
});

test('with a silent database worker and console are not ready; the gateway, which needs none, is ready', async () => {
  line.blackhole();
  await toldInTime(async () =>
    expect(await missing()).toEqual({ gateway: undefined, worker: ['database'], console: ['database'] }),
  );
  line.pass();
  await eventually(async () => expect(await missing()).toEqual(ALL_READY), backWithin);
});

test('a closing worker is not ready but alive until it has ended', async () => {
  const { url, close } = servers.get('worker')!;
  process.kill(redis.pid, 'SIGSTOP');
  let closed: Promise<unknown>;
  try {
    closed = close();
    await toldInTime(async () => expect((await missing())['worker']).toContain('open'));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  await closed;
  servers.delete('worker');
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('a Redis that is killed and comes back in its place', async () => {
  process.kill(redis.pid, 'SIGKILL');
  await toldInTime(async () => expect(await missing()).toEqual({ gateway: ['redis'], console: ['redis'] }));
  const { port } = redis;
  await redis.stop();
  redis = await startRedis({ port });
  await eventually(async () => expect(await missing()).toEqual({ gateway: undefined, console: undefined }), backWithin);
});
