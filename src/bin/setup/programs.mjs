import { spawnSync } from 'node:child_process';
import { aptInstall, mayInstall } from './debian.mjs';
import { findOnPath, say, SetupError } from './step.mjs';

const REDIS = ['redis-server', 'valkey-server'];
/** Debian installs servers in a folder that only root has on the PATH. */
const SYSTEM_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

/** Programs that only one test needs, which is skipped without them. The path of one with a `variable` is put there, or taken from there. */
export const FOR_TESTS = {
  chromium: {
    find: () => findOnPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']), variable: 'CHROMIUM',
    debianPackage: 'chromium', test: 'the browser test', skipped: 'the browser test',
    missing: 'no Chromium: set CHROMIUM to its path, or install it (`sudo apt-get install chromium`, `brew install chromium`)',
  },
  nginx: {
    find: () => findOnPath(['nginx'], SYSTEM_PATH), debianPackage: 'nginx', test: 'the test of the nginx site', skipped: 'a test of deploy/',
    missing: 'no nginx: install it (`sudo apt-get install nginx`)',
  },
  promtool: {
    find: () => findOnPath(['promtool'], SYSTEM_PATH), debianPackage: 'prometheus', test: 'the test of the alerts', skipped: 'a test of deploy/',
    missing: 'no promtool: install it (`sudo apt-get install prometheus`)',
  },
  python: {
    // Debian's packages belong to Debian's own Python, which may not be the first on the PATH.
    find: () => ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', 'import websockets']).status === 0), variable: 'PYTHON',
    debianPackage: 'python3-websockets', test: 'the test of a client in Python', skipped: 'the test of a client in Python',
    missing: 'no Python with websockets: set PYTHON to its path, or install it (`sudo apt-get install python3-websockets`)',
  },
};

/** Ensures redis-server or valkey-server; `start` with a REDIS_URL does not need it. */
export async function ensureRedis() {
  if (findOnPath(REDIS)) return;
  if (mayInstall()) {
    say('installing redis-server …');
    await aptInstall(REDIS);
    if (findOnPath(REDIS)) return;
  }
  throw new SetupError('redis-server (or valkey-server) is missing: install it with `sudo apt-get install redis-server` on Debian and Ubuntu, '
    + '`brew install redis` on macOS.');
}

/** @returns {Promise<string | undefined>} why the program is missing; its test is then skipped and reports this */
export async function ensureForTest(name, env = process.env) {
  const { find, variable, debianPackage, test, missing } = FOR_TESTS[name];
  if (variable && env[variable]) return undefined;
  if (!find() && mayInstall()) {
    say(`installing ${debianPackage} for ${test} …`);
    try {
      await aptInstall([debianPackage]);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      return error.message;
    }
  }
  const found = find();
  if (found && variable) env[variable] = found;
  return found ? undefined : missing;
}
