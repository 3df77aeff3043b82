import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { build } from './build.mjs';
import { check } from './check.mjs';
import { exclusively } from './lock.mjs';
import { installPackages } from './packages.mjs';
import { ensureForTest, ensureRedis, FOR_TESTS } from './programs.mjs';
import { outliveCommand, ROOT, say, SetupError, STATE } from './step.mjs';

const COMMANDS = ['build', 'start', 'test', 'test:long'];

/**
 * @param {string[]} argv `[]`, `['build']`: packages and build, no servers; `['start', …]`, `['test', …]` or
 * `['test:long', …]`
 */
export async function main([command, ...args]) {
  if (command !== undefined && !COMMANDS.includes(command)) {
    say(`unknown command ${command}: expected ${COMMANDS.join(', ')} or nothing.`);
    process.exit(2);
  }
  const tests = command === 'test' || command === 'test:long';
  const without = {};
  try {
    process.chdir(ROOT);
    await exclusively(
      STATE,
      async () => {
        await outliveCommand();
        await installPackages();
        // The whole is worth a look at its form first; one room is tried in the middle of the work.
        if (tests && args.length === 0) await check();
        if (command !== 'build' && (command !== 'start' || !hasExternalRedis())) await ensureRedis();
        if (tests) for (const name of Object.keys(FOR_TESTS)) without[name] = await ensureForTest(name);
        await build();
      },
      (pid) => say(`waiting for another set-up (process ${pid}) to finish …`),
    );
  } catch (error) {
    say(messageOf(error));
    process.exit(1);
  }
  if (command === 'start') await start(args);
  if (tests) await test([command, ...projectsOf(command, args), ...args], without);
}

function hasExternalRedis() {
  const dotEnv = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return Boolean(process.env.REDIS_URL ?? dotEnv.REDIS_URL);
}

async function start(args) {
  const rain = join(ROOT, 'dist', 'bin', 'rain.js');
  process.argv = [process.argv[0], rain, 'up', ...args];
  await import(pathToFileURL(rain).href);
}

/** Selects the projects of vitest. Long tests run only with their own command, or where an argument names one. */
function projectsOf(command, args) {
  if (command === 'test:long') return ['--project', 'long', '--project', 'alone'];
  return args.some((arg) => arg.includes('.long.')) ? [] : ['--project', 'unit', '--project', 'system'];
}

/** @param {Record<string, string | undefined>} without why a program of `FOR_TESTS` is missing */
async function test(args, without) {
  for (const [name, reason] of Object.entries(without))
    if (reason) say(`${FOR_TESTS[name].skipped} will be skipped: ${reason}`);
  const runner = join(ROOT, 'test/support/runner/main.ts');
  const tests = spawn(process.execPath, ['--import', 'tsx', runner, ...args], {
    stdio: 'inherit',
    env: { ...process.env, RAIN_BUILT: '1', ...(without.chromium && { WITHOUT_CHROMIUM: without.chromium }) },
  });
  // The tests receive Ctrl-C themselves; this process only waits for their exit code.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => tests.kill('SIGTERM'));
  const [code, signal] = await once(tests, 'exit');
  process.exit(code ?? 128 + constants.signals[signal]);
}

function messageOf(error) {
  if (error instanceof SetupError) return error.message;
  if (['EACCES', 'EROFS', 'EPERM'].includes(error.code))
    return `the set-up cannot write ${error.path}; make it writable and start again.`;
  if (error.code === 'ENOSPC') return 'the disk is full.';
  return `the set-up failed: ${error.stack}`;
}
