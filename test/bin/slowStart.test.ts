import { afterAll, beforeAll, expect, test } from 'vitest';
import { open as openConsole } from '../../src/bin/servers/console.ts';
import { issueToken } from '../../src/operator/staff/staff.ts';
import { COMMAND_TIMEOUT_MS } from '../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { buildShippedPage } from '../browser/built-page.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { proxyDatabase } from '../support/servers/database.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { addAccount, ask } from '../support/servers/testConsole.ts';
import { openShutdown } from '../support/shutdown.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

/** Longer than a command may take, and shorter than the silence for which a connection is replaced. */
const SLOW_MS = COMMAND_TIMEOUT_MS + 200;
/** The delay of the database, so that the console waits for it while Redis becomes slow. */
const HELD_MS = 300;

const PAGES = ['/api/console/queues', '/api/console/dead', '/api/console/dead/orders', '/api/console/system'];

let context: TestContext;
let toRedis: TcpProxy;
let toBook: Awaited<ReturnType<typeof proxyDatabase>>;
let authorization: string;
let url: string;
const { shutdown, close } = openShutdown();

beforeAll(async () => {
  [context] = await Promise.all([openTestContext(), buildShippedPage()]);
  [toRedis, toBook] = [
    await TcpProxy.open(Number(new URL(context.redisUrl).port)),
    await proxyDatabase(context.databaseUrl),
  ];
  await addAccount(context, 'vera', 'viewer');
  const issued = await issueToken(context, 'vera', 'test');
  if (!issued.ok) throw new Error(JSON.stringify(issued.refusals));
  authorization = `Bearer ${issued.token}`;
});
afterAll(async () => {
  await close();
  await toRedis?.close();
  await toBook?.line.close();
  await context?.stop();
});

const answers = async () =>
  Promise.all(
    PAGES.map(async (path) => {
      const { status, body } = await ask(url, 'GET', path, undefined, { authorization });
      return { path, status, queues: (body as { queues?: unknown }).queues };
    }),
  );

test('Redis is slow for a moment while the console starts: queues, dead letters and system are shown as soon as it is quick again', async () => {
  toBook.line.delay(HELD_MS);
  const opening = openConsole(shutdown, {
    REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
    DATABASE_URL: toBook.url,
    SIGNING_SECRET,
    CONSOLE_PORT: '0',
    LOG_LEVEL: 'silent',
  });
  // The first connection is that of /readyz. With the second the console has reached Redis, and next it makes its
  // queues.
  await eventually(() => toBook.line.accepted >= 2, { everyMs: 1 });
  toRedis.delay(SLOW_MS);
  toBook.line.pass();
  ({ url } = await opening);
  expect((await answers()).filter(({ status, queues }) => status === 503 || queues === null)).toHaveLength(
    PAGES.length,
  );
  toRedis.pass();
  await eventually(
    async () => expect((await answers()).filter(({ status, queues }) => status !== 200 || queues === null)).toEqual([]),
    { timeoutMs: 5_000 },
  );
  await eventually(async () => expect(await ask(url, 'GET', '/readyz')).toMatchObject({ status: 200 }));
});

test('a console that cannot read one of its queues is not ready, and says so', async () => {
  const key = `${QUEUE_PREFIX}:credit-dead:wait`;
  await context.redis.set(key, 'written by somebody else');
  await eventually(async () =>
    expect(await ask(url, 'GET', '/readyz')).toMatchObject({
      status: 503,
      body: { notReady: [{ part: 'redis', reason: expect.stringContaining('the queues cannot be read') as string }] },
    }),
  );
  await context.redis.del(key);
  await eventually(async () => expect(await ask(url, 'GET', '/readyz')).toMatchObject({ status: 200 }));
});
