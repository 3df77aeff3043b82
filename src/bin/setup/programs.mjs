import { aptInstall, mayInstall } from './debian.mjs';
import { findOnPath, say, SetupError } from './step.mjs';

const REDIS = ['redis-server', 'valkey-server'];
const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** redis-server or valkey-server; with a REDIS_URL of one's own it is not needed for `start`. */
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
 * A Chromium for the browser test, in `CHROMIUM` for the test to find.
 * @returns {Promise<string | undefined>} why there is none: the browser test is then skipped, and says so
 */
export async function ensureChromium(env = process.env) {
  if (env.CHROMIUM) return undefined;
  if (!findOnPath(CHROMIUM) && mayInstall()) {
    say('installing chromium for the browser test …');
    try {
      await aptInstall(['chromium']);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      return error.message;
    }
  }
  const found = findOnPath(CHROMIUM);
  if (found) env.CHROMIUM = found;
  return found ? undefined : 'no Chromium: set CHROMIUM to its path, or install it (`sudo apt-get install chromium`, `brew install chromium`)';
}
