import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bareEnvironment } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

interface Manifest {
  optionalDependencies: Record<string, string>;
}
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const withVersion = (name: string) => `${name}@${optionalDependencies[name]}`;

/**
 * The result of `npm pack`, unpacked, with those packages beside it that `npm ci --omit=dev --omit=optional` installs.
 */
let program: string;
let context: TestContext;
beforeAll(async () => {
  program = memoryFolder('rain-packed-');
  await run('npm', ['pack', '--pack-destination', program], { cwd: ROOT });
  await run('tar', ['-xzf', join(program, 'red-packet-rain-0.1.0.tgz'), '--strip-components=1', '-C', program]);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true }>;
  };
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || optional || devOptional) continue;
    mkdirSync(dirname(join(program, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(program, path));
  }
  context = await openTestContext();
}, 120_000);
afterAll(async () => {
  await context?.stop();
  if (program) rmSync(program, { recursive: true, force: true });
});

const start = (words: readonly string[], env: Record<string, string>) => {
  const home = join(program, 'home');
  mkdirSync(home, { recursive: true });
  return spawn(process.execPath, [join(program, 'dist/bin/rain.js'), ...words], {
    cwd: home,
    env: bareEnvironment({ GATEWAY_PORT: '0', CONSOLE_PORT: '0', LOG_LEVEL: 'warn', ...env }, home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};
async function rain(words: readonly string[], env: Record<string, string> = {}) {
  const child = start(words, env);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [exit] = (await once(child, 'close')) as [number];
  return { exit, stderr };
}

test('the packages are hidden', () => {
  expect(Object.keys(optionalDependencies).length).toBeGreaterThan(4);
  for (const name of ['zod', 'ioredis', ...Object.keys(optionalDependencies)])
    expect(existsSync(join(program, 'node_modules', name, 'package.json')), name).toBe(
      !(name in optionalDependencies) || name === '@opentelemetry/api',
    );
});

test('[R12] the embedded database says what to install', { timeout: 60_000 }, async () => {
  const { exit, stderr } = await rain(['up', '--once'], { REDIS_URL: context.redisUrl });
  expect(exit, stderr).toBe(1);
  expect(stderr).toContain(
    `the embedded database (without DATABASE_URL) needs packages that are not installed: npm install ${withVersion('@electric-sql/pglite')} ${withVersion('@electric-sql/pglite-socket')}`,
  );
});

test.each(['gateway', 'worker'])('[R12] tracing of a %s says what to install', { timeout: 60_000 }, async (server) => {
  const { exit, stderr } = await rain([server], {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: context.databaseUrl,
    JWT_SECRET: SECRET,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  });
  expect(exit, stderr).toBe(1);
  expect(stderr).toMatch(
    /^rain: tracing \(OTEL_EXPORTER_OTLP_ENDPOINT\) needs packages that are not installed: npm install @opentelemetry\/api@[\d.]+ @opentelemetry\/sdk-trace-node@[\d.]+ @opentelemetry\/exporter-trace-otlp-http@[\d.]+\n$/,
  );
});

test('the console needs none of them', { timeout: 60_000 }, async () => {
  const port = await freePort();
  const child = start(['console', '--guests'], {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: context.databaseUrl,
    JWT_SECRET: SECRET,
    CONSOLE_PORT: String(port),
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(url));
  for (const path of ['/', '/console/']) expect((await fetch(url + path)).status, path).toBe(200);
});

test(
  'with a Redis and a database of their own a rain and a sale are played without them',
  { timeout: 180_000 },
  async () => {
    const { exit, stderr } = await rain(['up', '--once', '--bots', '20', '--packets', '10', '--budget', '10.00'], {
      REDIS_URL: context.redisUrl,
      DATABASE_URL: context.databaseUrl,
    });
    expect(exit, stderr).toBe(0);
  },
);
