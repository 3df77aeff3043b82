import { expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';

test.skipIf(process.platform !== 'linux')('[R12] a RAIN_HOME that cannot be made: exit 2, for people and for machines', async () => {
  const run = await startCli(['up', '--json'], { RAIN_HOME: '/proc/rain' }).done;
  const sentence = 'the folder /proc/rain cannot be written (ENOENT); make it writable or set RAIN_HOME to another folder';
  expect(JSON.parse(run.stdout)).toEqual({ ok: false, exit: 2, reasons: [sentence] });
  expect(run).toMatchObject({ exit: 2, stderr: `rain: ${sentence}\n` });
});

test('[R12] replicas are not waited for where there are none: the embedded Redis is refused before anything is started', async () => {
  const { exit, stderr } = await startCli(['up'], { DURABILITY: 'replicas=1' }).done;
  expect(exit).toBe(2);
  expect(stderr).toMatch(/DURABILITY: the embedded Redis has no replicas/);
});
