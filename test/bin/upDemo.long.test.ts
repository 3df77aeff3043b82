import { expect, test, type TestContext } from 'vitest';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homeAt } from '../../src/platform/process/home.ts';
import { readRunning, type RunningSystem } from '../../src/platform/process/runningSystem.ts';
import type { SaleSwarmReport } from '../../src/loadtest/sale/report.ts';
import type { ItemEquation } from '../../src/sale/equation.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { liveSales } from '../../src/store/sales.ts';
import { rain } from '../support/call.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';
import { layDatabase } from '../support/servers/pglite.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * A system of this test's own, which ends with it, in a home like one of an earlier start: creating a database takes longer than
 * everything else. One starts after another, since a start keeps all processors busy.
 */
function start({ onTestFinished }: TestContext, words: readonly string[]): Promise<{ system: CliProcess; home: string; running: RunningSystem }> {
  const home = memoryFolder('rain-test-demo-');
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const starting = last.then(async () => {
    await layDatabase(homeAt(home));
    const system = startCli(['up', ...words], { RAIN_HOME: home, GATEWAY_PORT: '0', CONSOLE_PORT: '0', LOG_LEVEL: 'warn' });
    onTestFinished(async () => {
      system.child.kill('SIGTERM');
      await system.done;
    });
    return { system, home, running: await eventually(() => readRunning(home) ?? false, { timeoutMs: 60_000 }) };
  });
  last = starting.catch(() => {});
  return starting;
}

interface Audit {
  rainId?: string;
  saleId?: string;
  items: ItemEquation[];
  balanced: boolean;
}

// It waits a minute until a sale counts as not settled. The others are played meanwhile.
test.concurrent('a sale that does not add up is told, and ends the demo with exit 1', { timeout: 180_000 }, async (context) => {
  const { system, running } = await start(context, ['--only', 'sale', '--once', '--json', '--bots', '20']);
  const redis = await connect(running.redisUrl);
  const [id] = await eventually(async () => {
    const live = [...(await liveSales(redis)).keys()];
    return live.length > 0 && live;
  }, { timeoutMs: 30_000 });
  await redis.hincrby(saleKeys(id!).stock, 'tee:booked', 1);
  redis.disconnect();
  const { exit, stdout, stderr } = await system.done;
  expect(exit).toBe(1);
  expect(JSON.parse(stdout.trim())).toMatchObject({ saleId: id, balanced: false });
  expect(stderr).toMatch(/The sale does NOT add up: [^]*The sale was not settled in time\.[^]*Redis counts \d+ tee as booked/);
});

test.concurrent('`rain up --once` plays a rain, then a sale, whose buyers pay through the shop\'s signed reports; both add up, exit 0', { timeout: 180_000 }, async (context) => {
  const { system, home } = await start(context, ['--once', '--json', '--bots', '120', '--packets', '50', '--budget', '50.00']);
  const run = await system.done;
  expect(run.exit, run.stderr).toBe(0);
  const [ofRain, ofSale] = run.stdout.trim().split('\n').map((line) => JSON.parse(line) as Audit);
  expect([ofRain, ofSale]).toMatchObject([{ rainId: expect.any(String) as string, balanced: true }, { saleId: expect.any(String) as string, balanced: true }]);
  const sum = (part: 'units' | 'sold') => ofSale!.items.reduce((total, item) => total + item[part], 0);
  expect(sum('sold')).toBeGreaterThan(sum('units') / 3);
  expect(run.stderr).toContain('120 simulated buyers. The sale adds up: ');
  expect(run.stderr).toContain('every item balances to the unit.');
  // PGlite lets everybody write to its files; nobody else may enter their folder.
  expect(readdirSync(home).map((name) => [name, statSync(join(home, name)).mode & 0o077]).filter(([, others]) => others !== 0)).toEqual([]);
});

test.concurrent('in the running demo `rain swarm --sale` needs no address to pay at', { timeout: 180_000 }, async (context) => {
  const { system, home, running } = await start(context, ['--only', 'sale', '--bots', '5']);
  expect(running.demo).toBe(true);
  const created = await rain(['sale', 'create', '--item', 'tee:50@19.90', '--per-user', '2', '--hold', '5s', '--load'], { RAIN_HOME: home });
  const id = created.stdout.trim();
  const run = await rain(['swarm', '--sale', id, '--users', '60', '--pay', '100%', '--cancel', '0%', '--json'], { RAIN_HOME: home });
  expect(run.exit, run.stderr).toBe(0);
  const report = JSON.parse(run.stdout) as SaleSwarmReport;
  expect(report.payments.results[0]).toMatchObject({ name: 'accepted', count: expect.toSatisfy((count: number) => count > 10) as number });
  expect(await rain(['sale', 'orders', id, '--status', 'paid', '--csv'], { RAIN_HOME: home })).toMatchObject({ exit: 0, stdout: expect.stringContaining(',paid,') as string });
  system.child.kill('SIGTERM');
  expect((await system.done).stdout).not.toContain('rainId');
});
