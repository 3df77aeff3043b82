import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../../../src/platform/process/home.ts';
import { acquireLock, lockHolder } from '../../../src/platform/process/homeLock.ts';
import { identify } from '../../../src/platform/process/processIdentity.ts';
import {
  readRunning,
  removeRunning,
  writeRunning,
  type RunningSystem,
} from '../../../src/platform/process/runningSystem.ts';
import { keepSecrets } from '../../../src/platform/auth/secrets.ts';
import { runScript } from '../../support/script.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

function lockFile(folder: string, n: number, content: unknown): void {
  writeFileSync(join(folder, `lock.${n}`), JSON.stringify(content));
}

function mode(...path: string[]): number {
  return statSync(join(...path)).mode & 0o777;
}

test('a home is made for its owner alone, and can be taken again once it is released', async () => {
  const folder = join(temporaryFolder(), 'deep', '.rain');
  const first = await openHome(folder);
  if (!first.ok) throw new Error(first.reason);
  expect(mode(folder)).toBe(0o700);
  expect(await openHome(folder)).toEqual({
    ok: false,
    problem: 'taken',
    reason: expect.stringContaining(`(process ${process.pid}, still starting)`),
  });
  first.lock.release();
  expect(lockHolder(folder)).toBeUndefined();
  expect((await openHome(folder)).ok).toBe(true);
});

test('a folder that somebody made for all users is closed to them', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const opened = await openHome(folder);
  expect([opened.ok, mode(folder)]).toEqual([true, 0o700]);
});

test('[R12] an unwritable folder is reported in one sentence', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(await openHome(join(file, '.rain'))).toEqual({
    ok: false,
    problem: 'unusable',
    reason: `the folder ${join(file, '.rain')} cannot be written (ENOTDIR); make it writable or set RAIN_HOME to another folder`,
  });
});

test.skipIf(process.platform !== 'linux')(
  '[R10] a folder where no folder can be made is told, not tried for ever',
  async () => {
    for (const folder of ['/proc/rain', '/proc/rain/deep/.rain']) {
      expect(await openHome(folder)).toEqual({
        ok: false,
        problem: 'unusable',
        reason: `the folder ${folder} cannot be written (ENOENT); make it writable or set RAIN_HOME to another folder`,
      });
    }
  },
);

test('the lock of a process that is gone is no obstacle, even if its id belongs to another one now', async () => {
  const folder = temporaryFolder();
  const another = identify(process.ppid)!;
  lockFile(folder, 7, {
    holder: { pid: another.pid, born: 'long before' },
    children: [{ pid: another.pid, born: 'long before' }],
    released: false,
  });
  // It would wait for a child that still runs, longer than this test may take.
  const taken = await acquireLock(folder, { waitMs: 600_000 });
  expect(taken.ok).toBe(true);
  expect(lockHolder(folder)).toEqual(identify(process.pid));
});

test('an unreadable lock file is no obstacle', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock.3'), '{"holder":');
  expect((await acquireLock(folder)).ok).toBe(true);
});

test('of many that find a dead holder at the same moment, one takes over', async () => {
  const folder = temporaryFolder();
  lockFile(folder, 1, { holder: { pid: process.pid, born: 'long before' }, children: [], released: false });
  const contenders = Array.from({ length: 6 }, () =>
    runScript(new URL('./processes/contender.mjs', import.meta.url), [folder]),
  );
  for (const contender of contenders) expect(await contender.nextLine()).toBe('waiting');
  for (const contender of contenders) contender.process.kill('SIGUSR2');
  const answers = await Promise.all(contenders.map((contender) => contender.nextLine()));
  const winner = contenders[answers.indexOf('held')]!;
  expect(answers.filter((answer) => answer !== 'held')).toEqual(
    Array.from({ length: 5 }, () => `refused by ${winner.pid}`),
  );
});

test('run.json describes a running system to its owner only, and is ignored when that system has ended', async () => {
  const folder = temporaryFolder();
  const value: RunningSystem = {
    pid: process.pid,
    startedAt: 1,
    redisUrl: 'redis://127.0.0.1:1',
    databaseUrl: 'postgres://127.0.0.1:1/x',
    jwtSecret: 's',
    signingSecret: 's',
    gatewayUrl: 'ws://127.0.0.1:1',
    consoleUrl: 'http://127.0.0.1:2',
    demo: false,
  };
  expect(readRunning(folder)).toBeUndefined();
  expect(readRunning(join(folder, 'absent'))).toBeUndefined();
  const taken = await acquireLock(folder);
  if (!taken.ok) throw new Error('taken');
  writeRunning(folder, value);
  expect(mode(folder, 'run.json')).toBe(0o600);
  expect(readRunning(folder)).toEqual(value);
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...value, redisUrl: 5 }));
  expect(readRunning(folder)).toBeUndefined();
  writeRunning(folder, value);
  taken.lock.release();
  expect(readRunning(folder)).toBeUndefined();
  removeRunning(folder);
  removeRunning(folder);
});

test('a file from before packets were signed gets a secret for it, and keeps the others', () => {
  const folder = temporaryFolder();
  const { signingSecret: _, ...old } = keepSecrets(folder);
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(old));
  const made = keepSecrets(folder);
  expect(made).toEqual({ ...old, signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(keepSecrets(folder)).toEqual(made);
});

test('secrets are made once, for their owner alone', () => {
  const folder = temporaryFolder();
  const made = keepSecrets(folder);
  expect(made.jwtSecret).toMatch(/^[0-9a-f]{64}$/);
  expect(keepSecrets(folder)).toEqual(made);
  expect(mode(folder, 'secrets.json')).toBe(0o600);
  const other = join(folder, 'other');
  mkdirSync(other);
  expect(keepSecrets(other)).not.toEqual(made);
});
