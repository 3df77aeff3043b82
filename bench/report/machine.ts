import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { spreadOf } from '../support/spread.ts';

const FSYNCS = 200;

export function lookAtMachine() {
  return {
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    redis: /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown',
    fsyncMicroseconds: Math.round(fsyncMicroseconds()),
  };
}

export function describeMachine({
  cores,
  memoryGiB,
  node,
  redis,
  fsyncMicroseconds: fsync,
}: ReturnType<typeof lookAtMachine>): string {
  return `${cores} cores, ${memoryGiB} GiB, Node ${node.slice(1)}, Redis ${redis}, one fsync ${fsync} µs`;
}

/**
 * Duration of one synced write, µs, in the folder of the bench's servers. All results with durable writes depend on it.
 */
function fsyncMicroseconds(): number {
  const folder = mkdtempSync(join(tmpdir(), 'rain-bench-fsync-'));
  const file = openSync(join(folder, 'log'), 'a');
  try {
    const line = Buffer.alloc(256, 'x');
    return spreadOf(
      Array.from({ length: FSYNCS }, () => {
        writeSync(file, line);
        const began = performance.now();
        fdatasyncSync(file);
        return (performance.now() - began) * 1_000;
      }),
    ).median;
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}
