import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildShippedPage } from '../browser/built-page.ts';
import { tokenFor, SECRET } from '../support/client.ts';
import { startCli } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { wonRain } from '../wallet/room.ts';

let book: TestDesk;
beforeAll(async () => { [book] = await Promise.all([openTestDesk(), buildShippedPage()]); });
afterAll(() => book?.stop());

test('`rain console` with a Redis, a database and a key tells players what they have', async () => {
  const port = await freePort();
  const desk = startCli(['console'], { JWT_SECRET: SECRET, REDIS_URL: book.redisUrl, DATABASE_URL: book.databaseUrl, CONSOLE_PORT: String(port) });
  try {
    await wonRain(book, 'console', ['ann']);
    const ask = async () => fetch(`http://127.0.0.1:${port}/api/me`, { headers: { authorization: `Bearer ${await tokenFor('ann')}` } });
    await eventually(async () => expect(await (await ask()).json()).toMatchObject({ wallet: '1.00', settled: true }), { timeoutMs: 50_000 });
    expect(await (await fetch(`http://127.0.0.1:${port}/api/rains/console/luckiest`)).json()).toMatchObject({ luckiest: [{ user: 'a•••n', amount: '1.00' }], final: false });
  } finally {
    desk.child.kill('SIGTERM');
  }
  expect((await desk.done).exit).toBe(0);
});
