import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { explain } from '../../src/bin/exit.ts';
import { rain } from '../support/call.ts';
import { startCli } from '../support/cli.ts';
import { SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { startDatabase } from '../support/servers/database.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { startRedis } from '../support/servers/redis.ts';
import { openRedis } from '../support/rain.ts';
import { openWorker } from '../support/servers/worker.ts';

const { server } = await openRedis();
// It reads, so that it hears when somebody leaves, and never says a word.
const silent = createServer((socket) => {
  socket.on('error', () => {}).resume();
}).listen(0, '127.0.0.1');
await once(silent, 'listening');
afterAll(() => {
  silent.close();
});

/** The message and exit of its command when a server does not open. */
const refusalOf = (opening: Promise<unknown>) => opening.then(() => 'it opened', explain);

// Each waits for as long as the product is patient, side by side.
test.concurrent.for(['gateway', 'gateway --processes 2', 'worker', 'console'])(
  'rain %s waits for a Redis that comes later: alive, not ready, with the reason in its log and at /readyz',
  { timeout: 120_000 },
  async (words, { onTestFinished }) => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const password = 'not-to-be-told';
    const database = await startDatabase();
    onTestFinished(() => database.stop());
    const cli = startCli(words.split(' '), {
      REDIS_URL: `redis://:${password}@127.0.0.1:${port}`,
      DATABASE_URL: database.url,
      JWT_SECRET: SECRET,
      GATEWAY_PORT: '0',
      CONSOLE_PORT: '0',
      METRICS_PORT: String(metricsPort),
    });
    onTestFinished(() => void cli.child.kill('SIGKILL'));
    const ask = (path: string) => fetch(`http://127.0.0.1:${metricsPort}${path}`);
    const waiting = `Redis cannot be reached at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`;
    await eventually(() => cli.stderr().includes(waiting), { timeoutMs: 30_000 });
    const ready = await eventually(
      async () => {
        const answer = await ask('/readyz');
        const text = await answer.text();
        expect(text).toContain('Redis cannot be reached');
        return { status: answer.status, text };
      },
      { timeoutMs: 30_000 },
    );
    expect([(await ask('/healthz')).status, ready.status]).toEqual([200, 503]);
    expect(ready.text).not.toContain(String(port));
    const redis = await startRedis({ port, args: ['--requirepass', password] });
    onTestFinished(() => redis.stop());
    await eventually(async () => (await ask('/readyz')).status === 200, { timeoutMs: 30_000 });
    expect(cli.stderr()).not.toContain(password);
    cli.child.kill('SIGTERM');
    expect((await cli.done).exit).toBe(0);
  },
);

test.concurrent.for(['gateway', 'gateway --processes 2', 'worker', 'console'])(
  'rain %s that waits ends at once when it is told to; a wrong password, which waiting does not mend, ends it with 3',
  { timeout: 120_000 },
  async (words, { onTestFinished }) => {
    const port = await freePort();
    const start = (url: string) => {
      const cli = startCli(words.split(' '), {
        REDIS_URL: url,
        DATABASE_URL: `postgres://rain@127.0.0.1:${port}/rain`,
        JWT_SECRET: SECRET,
        GATEWAY_PORT: '0',
        CONSOLE_PORT: '0',
      });
      onTestFinished(() => void cli.child.kill('SIGKILL'));
      return cli;
    };
    const waits = start(`redis://127.0.0.1:${port}`);
    await eventually(() => waits.stderr().includes('waiting for a server'), { timeoutMs: 30_000 });
    const toldAt = performance.now();
    waits.child.kill('SIGTERM');
    expect((await waits.done).exit).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(5_000);
    const closed = await startRedis({ args: ['--requirepass', 'right'] });
    onTestFinished(() => closed.stop());
    const refused = await start(closed.url.replace('redis://', 'redis://:wrong@')).done;
    expect([refused.exit, refused.stderr]).toEqual([3, expect.stringMatching(/WRONGPASS/)]);
  },
);

test.concurrent('a gateway without patience reports at once that Redis is unreachable', async () => {
  const port = await freePort();
  expect(await refusalOf(openGateway(`redis://:not-to-be-told@127.0.0.1:${port}`))).toEqual({
    exit: 3,
    reasons: [`Redis cannot be reached at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`],
  });
});

test.concurrent('a worker that starts while the database is unreachable reports it in one sentence, exit 3', async () => {
  const port = await freePort();
  expect(
    await refusalOf(
      openWorker({ redisUrl: server.url, databaseUrl: `postgres://rain:not-to-be-told@127.0.0.1:${port}/rain` }),
    ),
  ).toEqual({
    exit: 3,
    reasons: [
      expect.stringMatching(
        new RegExp(`^the database at 127\\.0\\.0\\.1:${port} does not answer: .*(ECONNREFUSED|Can't reach database)`),
      ) as string,
    ],
  });
});

test.concurrent('a worker or a migration with a silent database names the database without its password', async () => {
  const { port } = silent.address() as AddressInfo;
  const databaseUrl = `postgres://rain:not-to-be-told@127.0.0.1:${port}/rain`;
  const sentence = new RegExp(`^(rain: )?the database at 127\\.0\\.0\\.1:${port} does not answer: [^\\n]+\\n?$`);
  const [worker, migration] = await Promise.all([
    refusalOf(openWorker({ redisUrl: server.url, databaseUrl })),
    rain(['migrate'], { DATABASE_URL: databaseUrl }),
  ]);
  expect(worker).toEqual({ exit: 3, reasons: [expect.stringMatching(sentence) as string] });
  expect(migration).toEqual({ exit: 3, stdout: '', stderr: expect.stringMatching(sentence) as string });
  expect(JSON.stringify([worker, migration])).not.toContain('not-to-be-told');
});
