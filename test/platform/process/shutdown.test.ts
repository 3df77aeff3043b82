import { expect, test } from 'vitest';
import { runScript, type RunningScript } from '../../support/script.ts';

/** A deadline that no machine is too slow for, where it is not what the test is about. */
function begin(closeMs: number, deadlineMs = 60_000): RunningScript {
  return runScript(new URL('./processes/shutdown.mjs', import.meta.url), [String(closeMs), String(deadlineMs)]);
}

async function lines(script: RunningScript, count: number): Promise<string[]> {
  const read: string[] = [];
  while (read.length < count) read.push(await script.nextLine());
  return read;
}

test('what was opened last is closed first, and one that fails to close does not keep the others', async () => {
  const script = begin(0);
  expect(await lines(script, 1)).toEqual(['open']);
  script.process.kill('SIGTERM');
  expect(await lines(script, 4)).toEqual([
    'aborted',
    'closed third',
    'closing the third failed: it stuck',
    'closed first',
  ]);
  expect(await script.ended).toEqual({ code: 0, signal: null });
});

test('one Ctrl-C that arrives twice, from the terminal and through npm, is one', async () => {
  const script = begin(600);
  await script.nextLine();
  script.process.kill('SIGINT');
  script.process.kill('SIGINT');
  expect(await lines(script, 4)).toContain('closed first');
  expect(await script.ended).toEqual({ code: 0, signal: null });
});

test('a second Ctrl-C ends at once', async () => {
  const script = begin(600_000);
  await script.nextLine();
  script.process.kill('SIGINT');
  await lines(script, 3);
  const repeat = setInterval(() => script.process.kill('SIGINT'), 100);
  expect(await script.ended).toEqual({ code: 130, signal: null });
  clearInterval(repeat);
  await expect(script.nextLine()).rejects.toThrow(/without a further line/);
});

test('[R10] closing that takes for ever is cut off at the deadline', async () => {
  const script = begin(600_000, 1_500);
  await script.nextLine();
  script.process.kill('SIGTERM');
  expect(await lines(script, 4)).toContain('not everything was closed within 1.5 s');
  expect(await script.ended).toEqual({ code: 1, signal: null });
});

test('[R10] all closers share one deadline: each receives the time that the ones before it have left', async () => {
  const script = runScript(new URL('./processes/deadline.mjs', import.meta.url));
  await script.nextLine();
  script.process.kill('SIGTERM');
  const [first, second, third] = (await lines(script, 3)).map(Number) as [number, number, number];
  // 20 s, of which half a second is kept for leaving.
  expect([first, second, third]).toEqual([19_500, 9_500, 0]);
  expect(await script.ended).toEqual({ code: 0, signal: null });
});
