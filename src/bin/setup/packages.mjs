import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, isStamped, ROOT, run, stamp, timed } from './step.mjs';

const STAMP = join(ROOT, 'node_modules', '.rain-lock');

/** Installs the npm packages exactly as in package-lock.json. The stamp is written last. */
export async function installPackages() {
  const wanted = hashOf(['package-lock.json']);
  if (isStamped(STAMP, wanted)) return;
  await timed('installing npm packages …', async () => {
    rmSync(STAMP, { force: true });
    await run(
      'npm',
      [
        'ci',
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
      ],
      (output) => sentence(output),
    );
    stamp(STAMP, wanted);
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
  if (/ENOSPC/.test(output)) return 'the disk is full; npm needs about 500 MB.';
  if (/npm: .*ENOENT/.test(output))
    return 'npm is not on the PATH; it comes with Node (https://nodejs.org), on Debian as the package npm.';
  return 'npm could not install the packages; see above.';
}
