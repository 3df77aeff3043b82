import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** What each thread of a process had used when it was last looked at, ns, by its id: a thread that has ended is not told of any more. */
const seen = new Map<number, Map<string, number>>();

/**
 * Processor time that these processes have used since they began, all threads, user and system, ms.
 *
 * The kernel tells it of each living thread in nanoseconds, as of the last time that the thread gave its processor back: so it is to be
 * read while the process waits. What a thread has used before it ended is remembered from look to look; what it used since the last look
 * stands in the process's own total, which holds all threads that ever were, in steps of 10 ms. The greater of the two is the nearer one.
 */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Math.max(threadsMs(pid), totalMs(pid)), 0);
}

function threadsMs(pid: number): number {
  const threads = seen.get(pid) ?? new Map<string, number>();
  seen.set(pid, threads);
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const ran = ranNs(pid, thread);
    if (ran !== undefined) threads.set(thread, ran);
  }
  return [...threads.values()].reduce((sum, ns) => sum + ns, 0) / 1e6;
}

function ranNs(pid: number, thread: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
  } catch {
    return undefined; // It ended between the list and the look.
  }
}

function totalMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 1_000 / TICKS_PER_SECOND;
}

/** Processes that these have started and that live. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
}

/** Resident memory of these processes, bytes. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) * 1_024, 0);
}
