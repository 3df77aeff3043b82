import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fsyncMicroseconds } from '../support/fsync.ts';

/** The machine of the measurements. */
interface Machine {
  cores: number;
  memoryGiB: number;
  node: string;
  redis: string;
  /** One synced write, µs. */
  fsyncMicroseconds: number;
}

export function lookAtMachine(): Machine {
  return {
    cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version,
    redis: /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown',
    fsyncMicroseconds: Math.round(fsyncMicroseconds()),
  };
}

export function describeMachine({ cores, memoryGiB, node, redis, fsyncMicroseconds: fsync }: Machine): string {
  return `${cores} cores, ${memoryGiB} GiB, Node ${node.slice(1)}, Redis ${redis}, one fsync ${fsync} µs`;
}
