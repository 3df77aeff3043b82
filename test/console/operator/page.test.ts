import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTestConsole } from '../../support/servers/testConsole.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test("the operator's page says that it is not built yet, loads again by itself, and is served as soon as it is", async () => {
  const folder = temporaryFolder();
  const testConsole = await openTestConsole({ consoleFolder: folder });
  onTestFinished(() => testConsole.stop());
  const page = (path = '') => fetch(`${testConsole.url}/console/${path}`);
  const early = await page();
  expect([early.status, early.headers.get('refresh'), early.headers.get('cache-control')]).toEqual([
    503,
    '3',
    'no-store',
  ]);
  expect(await early.text()).toContain('is not built yet');
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>built</title>');
  const built = await page();
  expect([built.status, await built.text()]).toEqual([200, expect.stringContaining('<title>built</title>')]);
  expect((await page('nothing.js')).status).toBe(404);
});
