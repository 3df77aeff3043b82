import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startCli } from './support/cli.ts';
import { startDatabase } from './support/servers/database.ts';
import { execute, postgresInstalled } from './support/servers/postgres.ts';
import { temporaryFolder } from './support/temporaryFolder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WITHOUT_VITEST = { VITEST: undefined, VITEST_POOL_ID: undefined, VITEST_WORKER_ID: undefined };
const WALK = { bots: '60', packets: '40', budget: '40.00' };

interface Outcome {
  code: number | null;
  failed: string[];
  passed: number;
}

interface Report {
  numPassedTests: number;
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

/** `initdb` takes the time zone from TZ; a test of the ledger says that it did. */
async function testsIn(zone: string, folders: readonly string[]): Promise<Outcome> {
  const report = join(temporaryFolder(), 'report.json');
  const projects = ['--project', 'unit', '--project', 'system'];
  const words = ['run', ...projects, ...folders, '--reporter=json', `--outputFile=${report}`];
  const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...words], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, TZ: zone, RAIN_BUILT: '1', ...WITHOUT_VITEST },
  });
  const [code] = (await once(vitest, 'exit')) as [number | null];
  const { testResults, ...counts } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return { code, failed, passed: counts.numPassedTests };
}

/** Each once, which takes a minute each: behind UTC and with summer time, and ahead of it. */
const inZone = test.skipIf(!postgresInstalled);

inZone(
  'the whole ledger, and rains and sales end to end, are in New York as in UTC',
  { timeout: 600_000 },
  async () => {
    const { code, failed, passed } = await testsIn('America/New_York', ['test/ledger', 'test/path']);
    expect({ code, failed }).toEqual({ code: 0, failed: [] });
    expect(passed).toBeGreaterThan(200);
  },
);

inZone(
  'processes play a rain and a sale in Shanghai, and audits find all of it right',
  { timeout: 300_000 },
  async () => {
    const { url, stop } = await startDatabase();
    try {
      await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET timezone = 'Asia/Shanghai'`);
      const ports = { GATEWAY_PORT: '0', CONSOLE_PORT: '0' };
      const env = { DATABASE_URL: url, RAIN_HOME: temporaryFolder(), ...ports, LOG_LEVEL: 'warn' };
      const words = Object.entries(WALK).flatMap(([name, value]) => [`--${name}`, value]);
      const { exit, stdout, stderr } = await startCli(['up', '--once', '--json', ...words], env).done;
      expect(exit, stderr).toBe(0);
      const audits = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      expect(audits).toMatchObject([{ balanced: true }, { saleId: expect.any(String) as string, balanced: true }]);
      expect(stderr).not.toMatch(/tamper|in the log; its order was/);
    } finally {
      await stop();
    }
  },
);
