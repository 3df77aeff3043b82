import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Process ids are reused, so the start time belongs to the identity. `born` is only compared with another `born`. */
export const processIdentity = z.object({ pid: z.int().positive(), born: z.string() });
export type ProcessIdentity = z.infer<typeof processIdentity>;

/** @returns undefined when there is no such process, or it is a zombie */
export function identify(pid: number): ProcessIdentity | undefined {
  const born = process.platform === 'linux' ? bornByProc(pid) : bornByPs(pid);
  return born === undefined ? undefined : { pid, born };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.born === identity.born;
}

/** Sends the signal unless the process is gone; never to another process with the same id. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Boot id and start time in clock ticks: the 22nd field of /proc/<pid>/stat, counted after the command's name. */
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
  const [state, ...born] =
    spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .stdout?.trim()
      .split(/\s+/) ?? [];
  return !state || state.startsWith('Z') ? undefined : born.join(' ');
}
