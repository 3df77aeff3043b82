import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { findOnPath, run, say, SetupError } from './step.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const POLICY_TEXT = '#!/bin/sh\n# Written by the set-up of red-packet rain while it installs packages; may be removed.\nexit 101\n';
const APT = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];

/** Whether packages can be installed here without a question to the user. */
export function mayInstall() {
  return process.getuid?.() === 0 && findOnPath(['apt-get']) !== undefined;
}

/** Installs the first package that can be installed. `policy-rc.d` keeps Debian from starting its service, such as a second Redis. */
export async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const guarded = !existsSync(POLICY) || readFileSync(POLICY, 'utf8') === POLICY_TEXT;
  const release = () => { if (guarded) rmSync(POLICY, { force: true }); };
  const last = packages.length - 1;
  process.once('exit', release);
  try {
    if (guarded) writeFileSync(POLICY, POLICY_TEXT, { mode: 0o755 });
    // Old package lists may be enough, so a failure here is ignored.
    await run('apt-get', ['update', '-q'], () => '', { env, quiet: true }).catch(() => {});
    for (const [i, name] of packages.entries()) {
      try {
        await run('apt-get', ['install', ...APT, name], () => `Debian's package ${name} could not be installed; see above.`, { env, quiet: i < last });
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
