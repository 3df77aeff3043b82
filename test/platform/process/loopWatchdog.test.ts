import { expect, test } from 'vitest';
import { runScript } from '../../support/script.ts';

test('[R10] a process whose loop stands still, and so does not hear SIGTERM, is killed by its watchdog', async () => {
  const script = runScript(new URL('./processes/stillLoop.mjs', import.meta.url));
  await script.nextLine();
  script.process.kill('SIGTERM');
  expect(await script.ended).toEqual({ code: null, signal: 'SIGKILL' });
});
