import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify, isAlive, type ProcessIdentity } from '../../../src/platform/process/processIdentity.ts';
import { readRunning } from '../../../src/platform/process/runningSystem.ts';
import { eventually } from '../../support/eventually.ts';
import { runScript, type RunningScript } from '../../support/script.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const SYSTEM = new URL('./processes/system.mjs', import.meta.url);

interface Processes {
  /** The system itself, the two servers, and the guard of Redis; as far as they were started. */
  all: ProcessIdentity[];
  redis: number;
}

async function processesOf(system: RunningScript, home: string): Promise<Processes> {
  const { pids } = JSON.parse(await system.nextLine()) as { pids: Record<string, number> };
  const lock = readdirSync(home).find((name) => /^lock\.\d+$/.test(name))!;
  const { children } = JSON.parse(readFileSync(join(home, lock), 'utf8')) as { children: ProcessIdentity[] };
  const alive = [...Object.values(pids), ...children.map(({ pid }) => pid)]
    .map((pid) => identify(pid))
    .filter((identity) => identity !== undefined);
  return { all: [...new Map(alive.map((identity) => [identity.pid, identity])).values()], redis: pids['redis']! };
}

test('Ctrl-C ends everything in order, with exit code 0', async () => {
  const home = temporaryFolder();
  const system = runScript(SYSTEM, [home]);
  const { all } = await processesOf(system, home);
  expect(all.length).toBe(4);
  expect(readRunning(home)).toMatchObject({ pid: system.pid, consoleUrl: 'http://127.0.0.1:2' });
  system.process.kill('SIGINT');
  expect(await system.ended).toEqual({ code: 0, signal: null });
  expect(all.filter(isAlive)).toEqual([]);
  expect(readRunning(home)).toBeUndefined();
});

test('kill -9 of the parent leaves no child alive within seconds', async () => {
  const home = temporaryFolder();
  const killed = runScript(SYSTEM, [home]);
  const { all } = await processesOf(killed, home);
  expect(all.length).toBe(4);
  killed.process.kill('SIGKILL');
  await eventually(() => all.filter(isAlive).length === 0, { timeoutMs: 5_000 });
});

test('after kill -9 the next start finds its data and no obstacle', async () => {
  const home = temporaryFolder();
  const killed = runScript(SYSTEM, [home]);
  const { all } = await processesOf(killed, home);
  killed.process.kill('SIGKILL');
  // At once, so that the successor meets the children of the killed one while they are ending.
  const next = runScript(SYSTEM, [home]);
  const successor = await processesOf(next, home);
  expect(all.filter(isAlive)).toEqual([]);
  expect(successor.all.filter(isAlive)).toHaveLength(4);
  next.process.kill('SIGTERM');
  expect(await next.ended).toEqual({ code: 0, signal: null });
});

test('a Redis whose guard was killed together with the parent does not survive the next start', async () => {
  const home = temporaryFolder();
  const killed = runScript(SYSTEM, [home, 'redis-only']);
  const { all, redis } = await processesOf(killed, home);
  for (const { pid } of all) if (pid !== redis) process.kill(pid, 'SIGKILL');
  await eventually(() => all.filter(isAlive).length === 1);
  const next = runScript(SYSTEM, [home, 'redis-only']);
  await processesOf(next, home);
  expect(all.filter(isAlive)).toEqual([]);
  next.process.kill('SIGTERM');
  await next.ended;
});

test('a second start beside the first is refused in one sentence with the process and its page', async () => {
  const home = temporaryFolder();
  const first = runScript(SYSTEM, [home, 'redis-only']);
  await processesOf(first, home);
  const second = runScript(SYSTEM, [home, 'redis-only']);
  const { refused } = JSON.parse(await second.nextLine()) as { refused: string };
  expect(refused).toBe(
    `a red-packet rain is already running here (process ${first.pid}, page http://127.0.0.1:2); ` +
      'stop it with Ctrl-C in its terminal, or set RAIN_HOME to another folder',
  );
  expect(await second.ended).toEqual({ code: 1, signal: null });
  expect(readRunning(home)).toMatchObject({ pid: first.pid });
  first.process.kill('SIGTERM');
  await first.ended;
});
