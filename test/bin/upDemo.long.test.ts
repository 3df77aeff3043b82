import { afterAll, beforeAll, expect, test } from 'vitest';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homeAt } from '../../src/platform/process/home.ts';
import { readRunning } from '../../src/platform/process/runningSystem.ts';
import type { SaleSwarmReport } from '../../src/loadtest/sale/report.ts';
import type { ItemEquation } from '../../src/sale/equation.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { liveSales } from '../../src/store/sales.ts';
import { rain } from '../support/call.ts';
import { startCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';
import { layDatabase } from '../support/servers/pglite.ts';

let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  home = memoryFolder('rain-test-demo-');
  // Like the home of an earlier start: creating a database takes longer than everything else.
  await layDatabase(homeAt(home));
  env = { RAIN_HOME: home, GATEWAY_PORT: '0', CONSOLE_PORT: '0', LOG_LEVEL: 'warn' };
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const started = () => eventually(() => readRunning(home) ?? false, { timeoutMs: 60_000 });

interface Audit {
  rainId?: string;
  saleId?: string;
  items: ItemEquation[];
  balanced: boolean;
}

test(
  "`rain up --once` plays a rain, then a sale, whose buyers pay through the shop's signed reports; both add up, exit 0",
  { timeout: 180_000 },
  async () => {
    const run = await startCli(['up', '--once', '--json', '--bots', '120', '--packets', '50', '--budget', '50.00'], env)
      .done;
    expect(run.exit, run.stderr).toBe(0);
    const [ofRain, ofSale] = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Audit);
    expect([ofRain, ofSale]).toMatchObject([
      { rainId: expect.any(String) as string, balanced: true },
      { saleId: expect.any(String) as string, balanced: true },
    ]);
    const sum = (part: 'units' | 'sold') => ofSale!.items.reduce((total, item) => total + item[part], 0);
    expect(sum('sold')).toBeGreaterThan(sum('units') / 3);
    expect(run.stderr).toContain('120 simulated buyers. The sale adds up: ');
    expect(run.stderr).toContain('every item balances to the unit.');
    // PGlite lets everybody write to its files; nobody else may enter their folder.
    expect(
      readdirSync(home)
        .map((name) => [name, statSync(join(home, name)).mode & 0o077])
        .filter(([, others]) => others !== 0),
    ).toEqual([]);
  },
);

test('a sale that does not add up is told, and ends the demo with exit 1', { timeout: 180_000 }, async () => {
  const system = startCli(['up', '--only', 'sale', '--once', '--json', '--bots', '20'], env);
  const redis = await connect((await started()).redisUrl);
  // The sale of the test before is settled.
  const [id] = await eventually(
    async () => {
      const live = [...(await liveSales(redis)).keys()];
      return live.length > 0 && live;
    },
    { timeoutMs: 30_000 },
  );
  await redis.hincrby(saleKeys(id!).stock, 'tee:booked', 1);
  redis.disconnect();
  const { exit, stdout, stderr } = await system.done;
  expect(exit).toBe(1);
  expect(JSON.parse(stdout.trim())).toMatchObject({ saleId: id, balanced: false });
  expect(stderr).toMatch(
    /The sale does NOT add up: [^]*The sale was not settled in time\.[^]*Redis counts \d+ tee as booked/,
  );
});

test('the first rain of a demo leaves the time to open its page and to play', { timeout: 120_000 }, async () => {
  const system = startCli(['up', '--only', 'rain', '--bots', '5', '--packets', '5', '--budget', '5.00'], env);
  await started();
  const { opensAt } = await eventually(
    async () => {
      const { stdout } = await rain(['list', '--limit', '1', '--json'], { RAIN_HOME: home });
      const [newest] = (JSON.parse(stdout) as { rains: { title: string; state: string; opensAt: string }[] }).rains;
      return newest?.title === 'Demo' && newest.state === 'loaded' && newest;
    },
    { timeoutMs: 30_000 },
  );
  expect(Date.parse(opensAt) - Date.now()).toBeGreaterThan(5_000);
  system.child.kill('SIGTERM');
  expect((await system.done).stderr).toMatch(/the first rain opens in \d+ s: open the page/);
});

test('in the running demo `rain swarm --sale` needs no address to pay at', { timeout: 180_000 }, async () => {
  const system = startCli(['up', '--only', 'sale', '--bots', '5'], env);
  const running = await started();
  expect(running.demo).toBe(true);
  const created = await rain(
    ['sale', 'create', '--item', 'tee:50@19.90', '--per-user', '2', '--hold', '5s', '--load'],
    { RAIN_HOME: home },
  );
  const id = created.stdout.trim();
  const run = await rain(['swarm', '--sale', id, '--users', '60', '--pay', '100%', '--cancel', '0%', '--json'], {
    RAIN_HOME: home,
  });
  expect(run.exit, run.stderr).toBe(0);
  const report = JSON.parse(run.stdout) as SaleSwarmReport;
  expect(report.payments.results[0]).toMatchObject({
    name: 'accepted',
    count: expect.toSatisfy((count: number) => count > 10) as number,
  });
  expect(await rain(['sale', 'orders', id, '--status', 'paid', '--csv'], { RAIN_HOME: home })).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(',paid,') as string,
  });
  system.child.kill('SIGTERM');
  expect((await system.done).stdout).not.toContain('rainId');
});
