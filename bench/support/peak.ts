import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));
const LOOK_MS = 20;

/**
 * Runs `rain …` as a process of its own.
 * @returns its output, the time it took, and the most memory that it had at once
 */
export async function peakOf(
  words: readonly string[],
  env: Record<string, string>,
): Promise<{ stdout: string; seconds: number; bytes: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, [RAIN, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let bytes = 0;
  // The kernel keeps the peak, until the process has ended.
  const look = setInterval(() => {
    bytes = Math.max(bytes, peakBytes(child.pid!));
  }, LOOK_MS);
  try {
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    if (code !== 0) throw new Error(`rain ${words.join(' ')} ended with ${String(code)}: ${stdout.slice(0, 500)}`);
    return { stdout, bytes, seconds: (performance.now() - from) / 1_000 };
  } finally {
    clearInterval(look);
  }
}

function peakBytes(pid: number): number {
  try {
    return 1_024 * Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0; // It has ended.
  }
}
