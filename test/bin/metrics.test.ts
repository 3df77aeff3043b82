import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildShippedPage } from '../browser/built-page.ts';
import { SECRET } from '../support/client.ts';
import { startCli } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/scrape.ts';

let desk: TestDesk;
beforeAll(async () => { [desk] = await Promise.all([openTestDesk(), buildShippedPage()]); });
afterAll(() => desk.stop());

test.each([
  ['gateway', 'rain_gateway_sockets'],
  ['worker', 'rain_redis_guard{problem="replica"}'],
  ['console', 'rain_console_login_failures_total{why="wrong"}'],
])('rain %s tells its figures where METRICS_PORT says, and says where that is', async (name, figure) => {
  const running = startCli([name], { REDIS_URL: desk.redisUrl, DATABASE_URL: desk.databaseUrl, JWT_SECRET: SECRET, GATEWAY_PORT: '0', CONSOLE_PORT: '0', METRICS_PORT: '0' });
  try {
    const url = await eventually(() => /"url":"(http:\/\/127\.0\.0\.1:\d+)\/metrics"/.exec(running.stderr())?.[1] ?? false, { timeoutMs: 30_000 });
    await eventually(async () => expect((await scrape(url)).get(figure)).toBe(0));
    expect((await scrape(url)).get('process_start_time_seconds')).toBeGreaterThan(0);
  } finally {
    running.child.kill('SIGTERM');
  }
  expect((await running.done).exit).toBe(0);
});

test('a console that cannot be opened ends, although its figures were told already', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => { taken.listen(0, '127.0.0.1', resolve); });
  onTestFinished(() => { taken.close(); });
  const { exit, stderr } = await startCli(['console'], { REDIS_URL: desk.redisUrl, DATABASE_URL: desk.databaseUrl, CONSOLE_PORT: String((taken.address() as AddressInfo).port), METRICS_PORT: '0' }).done;
  expect(stderr).toContain('is in use');
  expect(exit).not.toBe(0);
});
