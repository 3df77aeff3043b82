import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test, type TestContext } from 'vitest';
import { freePort } from './support/freePort.ts';
import { temporaryFolder } from './support/temporaryFolder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Kept between runs: 100 MB that the registry has as a package of its own for each system. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'rain-test-node24');
const NAME = `node-${process.platform}-${process.arch}`;
const BIN = join(CACHE, 'node_modules', NAME, 'bin');
const FETCHED_WITHIN_MS = 180_000;

/** Why there is no Node 24 here, if so. */
let without: string | undefined;
beforeAll(() => {
  if (existsSync(join(BIN, 'node'))) return;
  const npm = spawnSync('npm', ['install', '--prefix', CACHE, '--no-save', '--no-audit', '--no-fund', `${NAME}@24`], {
    encoding: 'utf8',
    timeout: FETCHED_WITHIN_MS,
  });
  if (!existsSync(join(BIN, 'node')))
    without = `${NAME}@24 cannot be fetched: ${npm.error?.message ?? npm.stderr.trim().split('\n').at(-1)}`;
}, FETCHED_WITHIN_MS + 10_000);

/** Runs `program` of this PATH, in which Node is Node 24. */
function run(
  { skip }: TestContext,
  program: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
): string {
  skip(without !== undefined, without);
  const PATH = [BIN, process.env['PATH']].join(delimiter);
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...env, PATH },
    timeout: 240_000,
  });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

test('the Node of this test is 24', (context) => {
  expect(run(context, 'node', ['--version'], {})).toMatch(/^v24\./);
});

test(
  'npm start, which this project is begun with, makes a rain and a sale on Node 24 that add up',
  { timeout: 300_000 },
  async (context) => {
    const folder = temporaryFolder();
    const [gateway, console] = [await freePort(), await freePort()];
    const printed = run(context, 'npm', ['start', '--silent', '--', '--once', '--json'], {
      HOME: folder,
      RAIN_HOME: join(folder, '.rain'),
      GATEWAY_PORT: String(gateway),
      CONSOLE_PORT: String(console),
    });
    expect(
      printed
        .trim()
        .split('\n')
        .slice(-2)
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { rainId: expect.any(String) as string, balanced: true },
      { saleId: expect.any(String) as string, balanced: true },
    ]);
  },
);

test('a room of tests passes on Node 24', { timeout: 300_000 }, (context) => {
  const report = join(temporaryFolder(), 'report.json');
  run(
    context,
    'node',
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'unit',
      'test/protocol',
      'test/grab',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { ...process.env, RAIN_BUILT: '1', VITEST: undefined, VITEST_POOL_ID: undefined, VITEST_WORKER_ID: undefined },
  );
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    success: true,
    numFailedTests: 0,
    numPassedTests: expect.toSatisfy((n: number) => n > 10) as number,
  });
});
