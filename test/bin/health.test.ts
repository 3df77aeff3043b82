import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildShippedPage } from '../browser/built-page.ts';
import { SECRET } from '../support/client.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/proxy.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

/** So long may a load balancer be told something wrong. */
const TOLD_WITHIN_MS = 3_000;

let redis: TestRedis;
let book: TestDatabase;
let line: TcpProxy;
const servers = new Map<string, { process: CliProcess; url: string }>();

beforeAll(async () => {
  [redis, book] = await Promise.all([startRedis(), startDatabase(), buildShippedPage()]);
  line = await TcpProxy.open(Number(new URL(book.url).port));
  const databaseUrl = book.url.replace(/:\d+\//, `:${line.port}/`);
  await Promise.all(['gateway', 'worker', 'console'].map(async (name) => {
    const process = startCli([name], { REDIS_URL: redis.url, DATABASE_URL: databaseUrl, JWT_SECRET: SECRET, GATEWAY_PORT: '0', CONSOLE_PORT: '0', METRICS_PORT: '0' });
    const url = await eventually(() => /"url":"(http:\/\/127\.0\.0\.1:\d+)\/metrics"/.exec(process.stderr())?.[1] ?? false, { timeoutMs: 30_000 });
    servers.set(name, { process, url });
  }));
});
afterAll(async () => {
  for (const { process } of servers.values()) process.child.kill('SIGKILL');
  await Promise.all([...servers.values()].map(({ process }) => process.done));
  await line.close();
  await Promise.all([redis.stop(), book.stop()]);
});

/** Which parts each server misses; undefined where it is ready. */
async function missing(): Promise<Record<string, string[] | undefined>> {
  return Object.fromEntries(await Promise.all([...servers].map(async ([name, { url }]) => {
    const answer = await fetch(`${url}/readyz`);
    const body = await answer.json() as { ready: boolean; notReady?: { part: string; since: string; reason: string }[] };
    expect(answer.status).toBe(body.ready ? 200 : 503);
    for (const { since, reason } of body.notReady ?? []) expect([Math.abs(Date.now() - Date.parse(since)) < 60_000, reason]).toEqual([true, expect.stringMatching(/^[^@]+$/)]);
    return [name, body.notReady?.map(({ part }) => part)];
  })));
}

const ALL_READY = { gateway: undefined, worker: undefined, console: undefined };
const within = { timeoutMs: TOLD_WITHIN_MS };
const backWithin = { timeoutMs: 20_000 };

test('a Redis that is frozen: gateway, worker and console are not ready within three seconds, alive all the time, and ready again when it wakes', async () => {
  await eventually(async () => expect(await missing()).toEqual(ALL_READY));
  process.kill(redis.pid, 'SIGSTOP');
  try {
    await eventually(async () => expect(await missing()).toEqual({ gateway: ['redis'], worker: ['redis'], console: ['redis'] }), within);
    for (const { url } of servers.values()) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  await eventually(async () => expect(await missing()).toEqual(ALL_READY), backWithin);
});

test('a database that says nothing: worker and console are not ready, the gateway, which needs none, is', async () => {
  line.blackhole();
  await eventually(async () => expect(await missing()).toEqual({ gateway: undefined, worker: ['database'], console: ['database'] }), within);
  line.pass();
  await eventually(async () => expect(await missing()).toEqual(ALL_READY), backWithin);
});

test('a worker that closes says so until it has ended, and is alive meanwhile', async () => {
  const worker = servers.get('worker')!;
  process.kill(redis.pid, 'SIGSTOP');
  try {
    worker.process.child.kill('SIGTERM');
    await eventually(async () => expect((await missing())['worker']).toContain('open'), within);
    expect((await fetch(`${worker.url}/healthz`)).status).toBe(200);
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  expect((await worker.process.done).exit).toBe(0);
  servers.delete('worker');
});

test('a Redis that is killed and comes back in its place', async () => {
  process.kill(redis.pid, 'SIGKILL');
  await eventually(async () => expect(await missing()).toEqual({ gateway: ['redis'], console: ['redis'] }), within);
  const { port } = redis;
  await redis.stop();
  redis = await startRedis({ port });
  await eventually(async () => expect(await missing()).toEqual({ gateway: undefined, console: undefined }), backWithin);
});
