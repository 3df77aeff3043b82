import { spawnSync } from 'node:child_process';
import { aptInstall, mayInstall } from './debian.mjs';
import { findOnPath, say, SetupError } from './step.mjs';

const REDIS = ['redis-server', 'valkey-server'];
/** Debian installs servers in a folder that only root has on the PATH. */
const SYSTEM_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;
const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

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

/**
 * Installs a package that only one test needs; without it, that test is skipped.
 * @returns {Promise<string | undefined>} why it could not be installed
 */
async function tryInstall(debianPackage, wanted) {
  say(`installing ${debianPackage} for ${wanted} …`);
  try {
    await aptInstall([debianPackage]);
    return undefined;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return error.message;
  }
}

/**
 * Ensures a Chromium for the browser test and puts its path into `CHROMIUM`.
 * @returns {Promise<string | undefined>} why there is none; the browser test is then skipped and reports this
 */
export async function ensureChromium(env = process.env) {
  if (env.CHROMIUM) return undefined;
  if (!findOnPath(CHROMIUM) && mayInstall()) {
    const failed = await tryInstall('chromium', 'the browser test');
    if (failed !== undefined) return failed;
  }
  const found = findOnPath(CHROMIUM);
  if (found) env.CHROMIUM = found;
  return found ? undefined : 'no Chromium: set CHROMIUM to its path, or install it (`sudo apt-get install chromium`, `brew install chromium`)';
}

/**
 * Ensures a program that only one test needs, from Debian's package.
 * @returns {Promise<string | undefined>} why there is none; that test is then skipped and reports this
 */
export async function ensureForTest(program, debianPackage, test) {
  if (!findOnPath([program], SYSTEM_PATH) && mayInstall()) {
    const failed = await tryInstall(debianPackage, `the test of ${test}`);
    if (failed !== undefined) return failed;
  }
  return findOnPath([program], SYSTEM_PATH) ? undefined : `no ${program}: install it (\`sudo apt-get install ${debianPackage}\`)`;
}

/**
 * Ensures Python with `websockets`, for the test of a client in another language, and puts its path into `PYTHON`. Debian's packages
 * belong to Debian's own Python, which may not be the first on the PATH.
 * @returns {Promise<string | undefined>} why there is none; that test is then skipped and reports this
 */
export async function ensurePython(env = process.env) {
  if (env.PYTHON) return undefined;
  const find = () => ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', 'import websockets']).status === 0);
  if (!find() && mayInstall()) {
    const failed = await tryInstall('python3-websockets', 'the test of a client in Python');
    if (failed !== undefined) return failed;
  }
  const found = find();
  if (found) env.PYTHON = found;
  return found ? undefined : 'no Python with websockets: set PYTHON to its path, or install it (`sudo apt-get install python3-websockets`)';
}
