import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Processor time of each thread at the last reading, ns, by thread id: the kernel does not report ended threads. */
const seen = new Map<number, Map<string, number>>();

/**
 * Processor time of these processes since their start, all threads, user and system, ms.
 *
 * The kernel reports it for each living thread in nanoseconds, but only up to the last time that the thread gave up its
 * processor. So read it while the process waits. The time of an ended thread is kept from the last reading; its time
 * since then is only in the total of the process, which includes all threads ever, in steps of 10 ms. The larger of the
 * two values is the more exact one.
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
    return undefined; // The thread ended after the listing.
  }
}

function totalMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in parentheses may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
}

export function residentBytes(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) * 1_024,
    0,
  );
}
