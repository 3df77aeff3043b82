import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spreadOf } from './spread.ts';

const TIMES = 200;

/** Duration of one synced write, µs, in the folder of the bench's servers. All results with durable writes depend on it. */
export function fsyncMicroseconds(): number {
  const folder = mkdtempSync(join(tmpdir(), 'rain-bench-fsync-'));
  const file = openSync(join(folder, 'log'), 'a');
  try {
    const line = Buffer.alloc(256, 'x');
    return spreadOf(Array.from({ length: TIMES }, () => {
      writeSync(file, line);
      const began = performance.now();
      fdatasyncSync(file);
      return (performance.now() - began) * 1_000;
    })).median;
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}
