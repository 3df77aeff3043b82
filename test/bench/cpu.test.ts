import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { cpuMs } from '../../bench/support/cpu.ts';
import { eventually } from '../support/eventually.ts';

/** The time of this process by its own account, in microseconds from the kernel. */
const ownMs = () => process.resourceUsage().userCPUTime / 1_000 + process.resourceUsage().systemCPUTime / 1_000;

/** Uses so much processor time, in a thread of its own, and waits until there is no such thread any more. */
async function burnInThread(ms: number): Promise<void> {
  const code = `const until = ${ms} * 1000; const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
    const from = used(); while (used() - from < until);`;
  await once(new Worker(code, { eval: true }), 'exit');
}

test('processor time has steps finer than 10 ms, and equals the own measurement of the process', async () => {
  const [before, own] = [cpuMs([process.pid]), ownMs()];
  for (let n = 0; n < 2e7; n++) Math.sqrt(n);
  const [used, ownUsed] = [cpuMs([process.pid]) - before, ownMs() - own];
  // The thread that reads is running: what it has used since its last tick is still to be told.
  expect(Math.abs(used - ownUsed)).toBeLessThan(30);
  // In a process of its own: of ended threads, which this one may have had, only the coarse total is known.
  const child = spawn(process.execPath, [
    '-e',
    'for (let n = 0; n < 2e7; n++) Math.sqrt(n); process.stdout.write("done"); setInterval(() => {}, 10);',
  ]);
  await once(child.stdout, 'data');
  await eventually(() => expect(Number.isInteger(cpuMs([child.pid!]) / 10)).toBe(false));
  child.kill();
  await once(child, 'exit');
});

test('the time of an ended thread is not lost, also between two readings', async () => {
  const [before, own] = [cpuMs([process.pid]), ownMs()];
  await burnInThread(300);
  await burnInThread(300);
  const [used, ownUsed] = [cpuMs([process.pid]) - before, ownMs() - own];
  expect(ownUsed).toBeGreaterThanOrEqual(500);
  expect(Math.abs(used - ownUsed)).toBeLessThan(60);
});
