import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { explain } from '../../src/bin/exit.ts';
import { rain } from '../support/call.ts';
import { startCli } from '../support/cli.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
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
test.concurrent('a worker that starts while Redis is unreachable reports it in one sentence, and exits 3', async ({
  onTestFinished,
}) => {
  const port = await freePort();
  const started = startCli(['worker'], {
    REDIS_URL: `redis://:not-to-be-told@127.0.0.1:${port}`,
    DATABASE_URL: `postgres://rain@127.0.0.1:${port}/rain`,
  });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  expect(await started.done).toEqual({
    exit: 3,
    stdout: '',
    stderr: `rain: Redis cannot be reached at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  });
});

test.concurrent('so does a gateway', async () => {
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
