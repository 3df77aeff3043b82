import { spawnSync } from 'node:child_process';

/** Prometheus's own checker is on this machine. */
export const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;

/** @returns its exit code, and all that it printed */
export function promtool(...args: string[]): { exit: number | null; printed: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', timeout: 30_000 });
  return { exit: status, printed: stdout + stderr };
}
