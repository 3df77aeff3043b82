import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startChild, type ChildOptions, type StartedChild } from '../../../src/platform/process/childProcess.ts';
import { identify, isAlive } from '../../../src/platform/process/processIdentity.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const facts = z.object({ port: z.int(), greeting: z.string().optional() });

async function start(
  behaviour: string,
  { logs = temporaryFolder(), ...more }: Partial<Pick<ChildOptions<unknown>, 'logs' | 'signal' | 'onWaiting'>> = {},
): Promise<StartedChild<z.infer<typeof facts>>> {
  const started = await startChild({
    name: 'tester',
    entry: fileURLToPath(new URL('./processes/child.mjs', import.meta.url)),
    args: [behaviour],
    env: { GREETING: 'hello' },
    logs,
    facts,
    ...more,
    stopWithinMs: 500,
  });
  if (started.ok) onTestFinished(() => started.child.stop());
  return started;
}

test('a child reports that it is ready with its facts, and stops on request', async () => {
  const started = await start('ready');
  if (!started.ok) throw new Error(started.reason);
  expect(started.child.facts).toEqual({ port: 1234, greeting: 'hello' });
  const identity = identify(started.child.pid)!;
  await started.child.stop();
  expect(isAlive(identity)).toBe(false);
  expect(await started.child.ended).toEqual({ code: null, signal: 'SIGTERM', expected: true });
});

test('an unexpected end is reported as such', async () => {
  const started = await start('ready');
  if (!started.ok) throw new Error(started.reason);
  process.kill(started.child.pid, 'SIGKILL');
  expect(await started.child.ended).toEqual({ code: null, signal: 'SIGKILL', expected: false });
});

test('a failing child reports its reason in one sentence', async () => {
  expect(await start('fails')).toEqual({ ok: false, reason: 'the tester process did not start: port 1234 is in use' });
});

test('for a crashed child, the last output line and the log file are reported', async () => {
  const logs = temporaryFolder();
  const started = await start('crashes', { logs });
  const sentence = /^the tester process did not start: it ended with exit code 1: .+ \(more in .*tester\.log\)$/;
  expect(started).toEqual({ ok: false, reason: expect.stringMatching(sentence) });
  expect(readFileSync(join(logs, 'tester.log'), 'utf8')).toContain('out of luck');
});

test('a child with an unexpected message is stopped; a silent one is waited for, which is said, until the caller gives up', async () => {
  expect(await start('babbles')).toEqual({
    ok: false,
    reason: 'the tester process did not start: it sent an unexpected message',
  });
  const told: string[] = [];
  const giveUp = new AbortController();
  const onWaiting = (why: string) => {
    told.push(why);
    giveUp.abort();
  };
  expect(await start('silent', { signal: giveUp.signal, onWaiting })).toEqual({
    ok: false,
    reason: 'the tester process did not start: it ended with signal SIGTERM',
  });
  expect(told).toEqual(['it is loading']);
});

test('[R10] a child that ignores SIGTERM is killed at the deadline', async () => {
  const started = await start('deaf');
  if (!started.ok) throw new Error(started.reason);
  await started.child.stop();
  expect(await started.child.ended).toEqual({ code: null, signal: 'SIGKILL', expected: true });
});
