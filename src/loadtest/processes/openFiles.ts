import { openFilesMax } from '../../platform/process/openFiles.ts';

/** Maximum sockets of one process: below the 20,000 open files that many systems allow. */
export const SOCKETS_PER_PROCESS_MAX = 18_000;
/** Open files of a process besides its users' sockets. */
const OTHERS = 100;

/** One sentence why these processes cannot open this number of sockets; `undefined` if they can. */
export function whyTooMany(sockets: number, processes: number, filesMax = openFilesMax()): string | undefined {
  const each = Math.ceil(sockets / processes);
  const most = Math.min(SOCKETS_PER_PROCESS_MAX, filesMax === undefined ? Number.POSITIVE_INFINITY : filesMax - OTHERS);
  if (each <= most) return undefined;
  if (most === SOCKETS_PER_PROCESS_MAX)
    return `users: ${sockets} sockets in ${count(processes)}: a process holds at most ${most}, expected at least ${count(Math.ceil(sockets / most))}`;
  const raise = `raise it with ulimit -n ${each + OTHERS}`;
  return most < 1
    ? `users: a process may open only ${filesMax} files here; ${raise}`
    : `users: ${sockets} sockets in ${count(processes)}: a process may open only ${filesMax} files here; ${raise}, or use at least ${count(Math.ceil(sockets / most))}`;
}

function count(processes: number): string {
  return processes === 1 ? '1 process' : `${processes} processes`;
}
