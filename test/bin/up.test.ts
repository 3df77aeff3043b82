import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCli, type CliRun } from '../support/call.ts';
import { startCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test.skipIf(process.platform !== 'linux')(
  '[R12] a RAIN_HOME that cannot be made: exit 2, for people and for machines',
  async () => {
    const run = await startCli(['up', '--json'], { RAIN_HOME: '/proc/rain' }).done;
    const sentence =
      'the folder /proc/rain cannot be written (ENOENT); make it writable or set RAIN_HOME to another folder';
    expect(JSON.parse(run.stdout)).toEqual({ ok: false, exit: 2, reasons: [sentence] });
    expect(run).toMatchObject({ exit: 2, stderr: `rain: ${sentence}\n` });
  },
);

test('[R12] replicas are not waited for where there are none: the embedded Redis is refused before anything is started', async () => {
  const { exit, stderr } = await startCli(['up'], { DURABILITY: 'replicas=1' }).done;
  expect(exit).toBe(2);
  expect(stderr).toMatch(/DURABILITY: the embedded Redis has no replicas/);
});

const misuse = (...words: string[]): Promise<CliRun> => callCli(words, {}, { misused: true }).done;

/** A folder that is the whole PATH, with this as its redis-server. */
function pathWith(script?: string): string {
  const folder = temporaryFolder();
  if (script !== undefined) writeFileSync(join(folder, 'redis-server'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

test.each<[what: string, args: string[], env: () => Record<string, string>, exit: number, sentence: string]>([
  [
    'of a Redis of your own',
    [],
    () => ({ REDIS_URL: 'redis://127.0.0.1:6379' }),
    2,
    'REDIS_URL: --cluster starts and removes servers of its own, expected no REDIS_URL with it',
  ],
  [
    'of a database of your own',
    [],
    () => ({ DATABASE_URL: 'postgres://u@127.0.0.1:5432/d' }),
    2,
    'DATABASE_URL: --cluster starts and removes servers of its own, expected no DATABASE_URL with it',
  ],
  [
    'with an old Redis',
    [],
    () => ({ PATH: pathWith('echo "Redis server v=6.2.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64"') }),
    1,
    '--cluster needs redis-server 7.0 or later (or valkey-server), and redis-server on the PATH is 6.2.16: install it with `sudo apt-get install redis-server`',
  ],
  [
    'without Redis',
    [],
    () => ({ PATH: pathWith() }),
    1,
    '--cluster needs redis-server 7.0 or later (or valkey-server), and neither is on the PATH: install it with `sudo apt-get install redis-server`',
  ],
])('[R12] a Cluster to try out is refused %s', async (_, args, env, exit, sentence) => {
  const tmp = temporaryFolder();
  const run = await startCli(['up', '--cluster', '--json', ...args], { TMPDIR: tmp, ...env() }).done;
  expect(run.exit).toBe(exit);
  const refused = JSON.parse(run.stdout) as { ok: boolean; exit: number; reasons: string[] };
  expect(refused).toMatchObject({ ok: false, exit });
  expect(refused.reasons).toEqual([expect.stringContaining(sentence)]);
  expect(readdirSync(tmp)).toEqual([]);
});

test.each<[what: string, args: string[], sentence: string]>([
  ['without the demo', ['--cluster', '--no-demo'], '--no-demo: not with --cluster, which plays a rain and ends'],
  ['with sales only', ['--cluster', '--only', 'sale'], '--only: not with --cluster, which plays one rain'],
  [
    'shorter than a failover',
    ['--cluster', '--duration', '5s'],
    '--duration: expected at least 20s with --cluster, since a master is replaced meanwhile',
  ],
])('[R12] a Cluster to try out is refused %s', async (_, args, sentence) => {
  expect(await misuse('up', ...args)).toEqual({ exit: 2, stdout: '', stderr: `rain: ${sentence}\n` });
});

test.each<[what: string, args: string[], sentence: string]>([
  ['without a title', ['--event', ' '], '--event: expected a title of 1 to 60 characters'],
  ['with a title as long as a page', ['--event', 'x'.repeat(61)], '--event: expected a title of 1 to 60 characters'],
  ['with a demo', ['--event', 'Party', '--once'], '--once: not with --event, which plays no demo'],
  ['in a Cluster', ['--event', 'Party', '--cluster'], '--cluster: not with --event, which plays no demo'],
  ['that is none, with a console for all', ['--console-on-lan'], '--console-on-lan: expected with --event'],
])('[R12] an evening is refused %s', async (_, args, sentence) => {
  expect(await misuse('up', ...args)).toEqual({ exit: 2, stdout: '', stderr: `rain: ${sentence}\n` });
});
