import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildShippedPage } from '../browser/built-page.ts';
import { tokenFor, SECRET } from '../support/client.ts';
import { startCli } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { wonRain } from '../wallet/room.ts';

let desk: TestDesk;
beforeAll(async () => { [desk] = await Promise.all([openTestDesk(), buildShippedPage()]); });
afterAll(() => desk?.stop());

test('`rain console` with a Redis, a database and a key tells players what they have; without a database it serves the page alone', async () => {
  const [port, pagePort] = [String(await freePort()), String(await freePort())];
  const full = startCli(['console'], { JWT_SECRET: SECRET, REDIS_URL: desk.redisUrl, DATABASE_URL: desk.databaseUrl, CONSOLE_PORT: port });
  const pageOnly = startCli(['console'], { CONSOLE_PORT: pagePort });
  try {
    await wonRain(desk, 'console', ['ann']);
    const ask = async (at: string) => fetch(`http://127.0.0.1:${at}/api/me`, { headers: { authorization: `Bearer ${await tokenFor('ann')}` } });
    await eventually(async () => expect(await (await ask(port)).json()).toMatchObject({ wallet: '1.00', settled: true }), { timeoutMs: 50_000 });
    expect(await (await fetch(`http://127.0.0.1:${port}/api/rains/console/luckiest`)).json()).toMatchObject({ luckiest: [{ user: 'a•••n', amount: '1.00' }], final: false });
    await eventually(async () => expect((await ask(pagePort)).status).toBe(404), { timeoutMs: 50_000 });
  } finally {
    for (const { child } of [full, pageOnly]) child.kill('SIGTERM');
  }
  for (const { done } of [full, pageOnly]) expect((await done).exit).toBe(0);
});
