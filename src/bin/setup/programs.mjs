import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { findOnPath, run, say, SetupError, timed } from './step.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const POLICY_TEXT =
  '#!/bin/sh\n# Written by the set-up of red-packet rain while it installs packages; may be removed.\nexit 101\n';
const APT = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
const REDIS = ['redis-server', 'valkey-server'];
/** Debian installs servers in a folder that only root has on the PATH. */
const SYSTEM_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

/**
 * Programs that only one test needs, which is skipped without them. The path of one with a `variable` is put there, or
 * taken from there.
 */
export const FOR_TESTS = {
  chromium: {
    find: () => findOnPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
    variable: 'CHROMIUM',
    debianPackage: 'chromium',
    test: 'the browser test',
    skipped: 'the browser test',
    missing:
      'no Chromium: set CHROMIUM to its path, or install it (`sudo apt-get install chromium`, `brew install chromium`)',
  },
  nginx: {
    find: () => findOnPath(['nginx'], SYSTEM_PATH),
    debianPackage: 'nginx',
    test: 'the test of the nginx site',
    skipped: 'a test of deploy/',
    missing: 'no nginx: install it (`sudo apt-get install nginx`)',
  },
  haproxy: {
    find: () => findOnPath(['haproxy'], SYSTEM_PATH),
    debianPackage: 'haproxy',
    test: 'the tests behind HAProxy',
    skipped: 'a test of deploy/',
    missing: 'no HAProxy: install it (`sudo apt-get install haproxy`)',
  },
  promtool: {
    find: () => findOnPath(['promtool'], SYSTEM_PATH),
    debianPackage: 'prometheus',
    test: 'the test of the alerts',
    skipped: 'a test of deploy/',
    missing: 'no promtool: install it (`sudo apt-get install prometheus`)',
  },
  python: {
    // Debian's packages belong to Debian's own Python, which may not be the first on the PATH.
    find: () =>
      ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', 'import websockets']).status === 0),
    variable: 'PYTHON',
    debianPackage: 'python3-websockets',
    test: 'the test of a client in Python',
    skipped: 'the test of a client in Python',
    missing:
      'no Python with websockets: set PYTHON to its path, or install it (`sudo apt-get install python3-websockets`)',
  },
};

/** Ensures redis-server or valkey-server; `start` with a REDIS_URL does not need it. */
export async function ensureRedis() {
  if (findOnPath(REDIS)) return;
  if (mayInstall()) {
    await timed('installing redis-server …', () => aptInstall(REDIS));
    if (findOnPath(REDIS)) return;
  }
  throw new SetupError(
    'redis-server (or valkey-server) is missing: install it with `sudo apt-get install redis-server` on Debian and Ubuntu, ' +
      '`brew install redis` on macOS.',
  );
}

/** @returns {Promise<string | undefined>} why the program is missing; its test is then skipped and reports this */
export async function ensureForTest(name, env = process.env) {
  const { find, variable, debianPackage, test, missing } = FOR_TESTS[name];
  if (variable && env[variable]) return undefined;
  if (!find() && mayInstall()) {
    try {
      await timed(`installing ${debianPackage} for ${test} …`, () => aptInstall([debianPackage]));
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      return error.message;
    }
  }
  const found = find();
  if (found && variable) env[variable] = found;
  return found ? undefined : missing;
}

/** Whether packages can be installed here without a question to the user. */
function mayInstall() {
  return process.getuid?.() === 0 && findOnPath(['apt-get']) !== undefined;
}

/**
 * Installs the first package that can be installed. `policy-rc.d` keeps Debian from starting its service, such as a
 * second Redis.
 */
async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const guarded = !existsSync(POLICY) || readFileSync(POLICY, 'utf8') === POLICY_TEXT;
  const release = () => {
    if (guarded) rmSync(POLICY, { force: true });
  };
  const last = packages.length - 1;
  process.once('exit', release);
  try {
    if (guarded) writeFileSync(POLICY, POLICY_TEXT, { mode: 0o755 });
    // Old package lists may be enough, so a failure here is ignored.
    await run('apt-get', ['update', '-q'], () => '', { env, quiet: true }).catch(() => {});
    for (const [i, name] of packages.entries()) {
      try {
        await run(
          'apt-get',
          ['install', ...APT, name],
          () => `Debian's package ${name} could not be installed; see above.`,
          { env, quiet: i < last },
        );
        return;
      } catch (error) {
        if (!(error instanceof SetupError) || i === last) throw error;
        say(`${name} cannot be installed, trying ${packages[i + 1]} …`);
      }
    }
  } finally {
    release();
    process.off('exit', release);
  }
}
