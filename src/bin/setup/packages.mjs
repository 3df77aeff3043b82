import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, isStamped, ROOT, run, stamp, timed } from './step.mjs';

const STAMP = join(ROOT, 'node_modules', '.rain-lock');
const OPTIONS = [
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--loglevel=error',
  '--fetch-retries=3',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

/**
 * Installs the npm packages exactly as in package-lock.json. The stamp is written last.
 * @param forStart without the packages of the workspace test/, which tests, checks, benches and examples need
 */
export async function installPackages(forStart) {
  const all = hashOf(['package-lock.json']);
  const some = `${all} for npm start`;
  const hasSome = isStamped(STAMP, some);
  if (isStamped(STAMP, all) || (forStart && hasSome)) return;
  const [line, command] = hasSome
    ? // It adds, where `ci` would take away the packages of a system that runs.
      ['installing the npm packages of tests …', ['install', '--no-save']]
    : ['installing npm packages …', forStart ? ['ci', '--workspaces=false'] : ['ci']];
  await timed(line, async () => {
    rmSync(STAMP, { force: true });
    await run('npm', [...command, ...OPTIONS], (output) => sentence(output));
    stamp(STAMP, forStart ? some : all);
  });
}

function sentence(output) {
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network/i.test(output)
  ) {
    return "the npm registry cannot be reached, and the packages are not in npm's cache; connect to the network and start again.";
  }
  if (/EACCES|EROFS|EPERM/.test(output))
    return `npm cannot write ${join(ROOT, 'node_modules')}; make the folder writable and start again.`;
  if (/ENOSPC/.test(output)) return 'the disk is full; npm needs about 700 MB.';
  if (/npm: .*ENOENT/.test(output))
    return 'npm is not on the PATH; it comes with Node (https://nodejs.org), on Debian as the package npm.';
  return 'npm could not install the packages; see above.';
}
