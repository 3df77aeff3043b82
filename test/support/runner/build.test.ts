import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { failureOf } from './build.ts';

const ended = (program: string, ...args: string[]) =>
  failureOf('the bundle', spawnSync(program, args, { encoding: 'utf8' }));

test('a step that a signal killed, or that did not start, is told from one with errors', () => {
  expect(ended('sh', '-c', 'exit 0')).toBeUndefined();
  expect(ended('sh', '-c', 'kill -9 $$')).toBe('the bundle was killed by SIGKILL');
  expect(ended('sh', '-c', 'echo half; kill -15 $$')).toBe('the bundle was killed by SIGTERM:\nhalf');
  expect(ended('/nowhere/node')).toBe('the bundle could not be run: spawnSync /nowhere/node ENOENT');
  expect(ended('sh', '-c', 'echo one; echo two >&2; exit 3')).toBe('the bundle has errors (exit code 3):\none\ntwo');
});
