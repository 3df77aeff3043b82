import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * A process beyond doubt: process ids are used again, so the moment of birth goes with them. `born` is only ever
 * compared with itself.
 */
export const processIdentity = z.object({ pid: z.int().positive(), born: z.string() });
export type ProcessIdentity = z.infer<typeof processIdentity>;

/** @returns undefined when there is no such process, or it is dead and only waits for its parent to take notice */
export function identify(pid: number): ProcessIdentity | undefined {
  const born = process.platform === 'linux' ? bornByProc(pid) : bornByPs(pid);
  return born === undefined ? undefined : { pid, born };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.born === identity.born;
}

/** Sends the signal unless the process is gone; never hits another one that was given the same id. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch {
    // It ended in between, which is what was wanted.
  }
}

/** Clock ticks since boot, and which boot: the 22nd field of /proc/<pid>/stat, counted behind the command's name. */
function bornByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${fields[18]}`;
  } catch {
    return undefined;
  }
}

function bornByPs(pid: number): string | undefined {
  const [state, ...born] = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim().split(/\s+/) ?? [];
  return !state || state.startsWith('Z') ? undefined : born.join(' ');
}
