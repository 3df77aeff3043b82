import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readProjects } from './projects.ts';

const { files, projectOf, opensBrowser } = readProjects(fileURLToPath(new URL('../../..', import.meta.url)));

test('the imports of a test file decide its project; a long test is decided by its name', () => {
  expect(projectOf('test/rain/money.test.ts')).toBe('unit');
  expect(projectOf('test/gateway/sockets/frame.test.ts'), 'imports ws').toBe('system');
  expect(projectOf('test/grab/grab.test.ts'), 'imports what starts Redis').toBe('system');
  expect(projectOf('test/platform/process/childProcess.test.ts'), 'imports a file of src/ that starts processes').toBe(
    'system',
  );
  expect(projectOf('test/preflight/measure.long.test.ts')).toBe('long');
  expect(projectOf('test/attack/attack.long.test.ts'), 'says how fast a page comes').toBe('alone');
});

test('every test file is found, also in folders of folders', () => {
  expect(files).toContain('test/tidy.test.ts');
  expect(files).toContain('test/client-demo/sky/veil.test.ts');
});

test('those with a browser are known', () => {
  expect(opensBrowser('test/browser/grab.test.ts')).toBe(true);
  expect(opensBrowser('test/rain/money.test.ts')).toBe(false);
});

test('project unit refuses to start processes or open connections, independent of the imports', () => {
  // As nobody would: an import makes the file one of project system.
  const { createServer, connect } = process.getBuiltinModule('node:net');
  const { spawn } = process.getBuiltinModule('node:child_process');
  for (const start of [() => createServer().listen(0), () => connect(1), () => spawn('true')])
    expect(start).toThrow(/project unit starts or dials something/);
});
