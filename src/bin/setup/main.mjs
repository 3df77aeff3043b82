import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { build, FOR_START } from './build.mjs';
import { check } from './check.mjs';
import { exclusively } from './lock.mjs';
import { installPackages } from './packages.mjs';
import { ensureForTest, ensureRedis, FOR_TESTS } from './programs.mjs';
import { outliveCommands, ROOT, say, sayWhatEnds, SetupError, STATE } from './step.mjs';

const COMMANDS = ['packages', 'build', 'start', 'test', 'test:long'];

/**
 * @param {string[]} argv `['packages']`: these only; `[]`, `['build']`: packages and build, no servers; `['start', …]`, `['test', …]` or
 * `['test:long', …]`
 */
export async function main([command, ...args]) {
  if (command !== undefined && !COMMANDS.includes(command)) {
    say(`unknown command ${command}: expected ${COMMANDS.join(', ')} or nothing.`);
    process.exit(2);
  }
  const tests = command === 'test' || command === 'test:long';
  const without = {};
  process.once('SIGINT', interrupt);
  try {
    process.chdir(ROOT);
    await exclusively(
      STATE,
      async () => {
        await outliveCommands();
        await installPackages(command === 'start');
        if (command === 'packages') return;
        // The whole is worth a look at its form first; one room is tried in the middle of the work.
        if (tests && args.length === 0) await check();
        if (command !== 'build' && (command !== 'start' || !setting('REDIS_URL'))) await ensureRedis();
        if (tests) for (const name of Object.keys(FOR_TESTS)) without[name] = await ensureForTest(name);
        await build(command === 'start' ? FOR_START : undefined);
      },
      (pid) => say(`waiting for another set-up (process ${pid}) to finish …`),
    );
  } catch (error) {
    say(messageOf(error));
    process.exit(1);
  }
  process.off('SIGINT', interrupt);
  if (command === 'start') await start(args);
  if (tests) await test([command, ...projectsOf(command, args), ...args], without);
}

function interrupt() {
  sayWhatEnds();
  process.exit(128 + constants.signals.SIGINT);
}

function setting(name) {
  const dotEnv = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return process.env[name] ?? dotEnv[name];
}

async function start(args) {
  const rain = join(ROOT, 'dist', 'bin', 'rain.js');
  process.argv = [process.argv[0], rain, 'up', ...args];
  await Promise.all([import(pathToFileURL(rain).href), buildRest()]);
}

/**
 * Builds the operator's page when the servers are up, so that neither they nor the rain wait for it. It is silent: the
 * rain's progress is on the terminal by then.
 */
async function buildRest() {
  let ending = false;
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      ending = true;
    });
  // A start that is refused, or only asks for help, opens nothing, and must not be kept alive by this.
  while (!isUp()) await sleep(200, undefined, { ref: false });
  try {
    await exclusively(
      STATE,
      () => build(['console'], (_, work) => work()),
      () => {},
    );
  } catch (error) {
    // The terminal sends Ctrl-C to the step, too.
    if (!ending) say(messageOf(error));
  }
}

/** Whether the servers of this process are up: `rain up` then writes this file. */
function isUp() {
  try {
    return JSON.parse(readFileSync(join(setting('RAIN_HOME') || '.rain', 'run.json'), 'utf8')).pid === process.pid;
  } catch {
    return false;
  }
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
