import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { SECRET } from '../support/client.ts';
import { rain } from '../support/cli.ts';
import { freePort } from '../support/freePort.ts';
import { openRedis } from '../support/rain.ts';

const { server } = await openRedis();

test.each(['gateway', 'worker'])('a %s that is started while Redis is away says so in one sentence, exit 3', async (command) => {
  const port = await freePort();
  const run = await rain([command], { REDIS_URL: `redis://:not-to-be-told@127.0.0.1:${port}`, DATABASE_URL: `postgres://rain@127.0.0.1:${port}/rain`, JWT_SECRET: SECRET, GATEWAY_PORT: '0' });
  expect(run).toEqual({ exit: 3, stdout: '', stderr: `rain: Redis cannot be reached at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n` });
});

test('a worker that is started while the database is away says so in one sentence, exit 3', async () => {
  const port = await freePort();
  const run = await rain(['worker'], { REDIS_URL: server.url, DATABASE_URL: `postgres://rain:not-to-be-told@127.0.0.1:${port}/rain` });
  expect(run.stderr).toMatch(/^rain: [^\n]*(ECONNREFUSED|Can't reach database)[^\n]*\n$/);
  expect(run.stderr).toMatch(new RegExp(`^rain: the database at 127\\.0\\.0\\.1:${port} does not answer: `));
  expect(run.stderr).not.toContain('not-to-be-told');
  expect(run.exit).toBe(3);
});

test('a worker, or a migration, whose database says nothing names it and not its password', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => { silent.close(); });
  const { port } = silent.address() as AddressInfo;
  const env = { REDIS_URL: server.url, DATABASE_URL: `postgres://rain:not-to-be-told@127.0.0.1:${port}/rain` };
  for (const run of await Promise.all(['worker', 'migrate'].map((command) => rain([command], env)))) {
    expect(run.stderr).toMatch(new RegExp(`^rain: the database at 127\\.0\\.0\\.1:${port} does not answer: [^\\n]+\\n$`));
    expect(run.stderr).not.toContain('not-to-be-told');
    expect(run.exit).toBe(3);
  }
});
