import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { METHOD_NAMES } from '../../src/rain/split/methods.ts';
import { rain } from '../support/call.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'spring', amounts: ['1.00'] });
const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));

/** The answer to a shell; the library that completes prints it to the console, past the terminal. */
async function completed(words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const told: string[] = [];
  const console = vi.spyOn(globalThis.console, 'log').mockImplementation((line: string) => {
    told.push(line);
  });
  onTestFinished(() => console.mockRestore());
  expect(await rain(['complete', '--', ...words], env)).toEqual({ exit: 0, stdout: '', stderr: '' });
  return told.filter((line) => !line.startsWith(':')).map((line) => line.split('\t')[0]!);
}

test('completion offers commands, options, choices, and the rains that are not settled', async () => {
  expect(await completed(['cre'])).toEqual(['create']);
  expect(await completed(['create', '--bud'])).toContain('--budget');
  expect(await completed(['create', '--split', ''])).toEqual(METHOD_NAMES);
  expect(await completed(['switch', ''])).toEqual(['ticker', 'joins', 'sockets', 'grabs']);
  expect(await completed(['show', ''], { REDIS_URL: server.url, DATABASE_URL: 'postgres://127.0.0.1:1/none' })).toEqual(
    ['spring'],
  );
});

test('without configuration or without an answer, completion prints no error', async () => {
  expect(await completed(['show', ''])).toEqual([]);
  expect(
    await completed(['show', ''], { REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
  ).toEqual([]);
});

test('bash takes what is printed for it', async () => {
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `source <("${process.execPath}" "${RAIN}" completion bash) && complete -p rain`,
  ]);
  expect(stdout).toMatch(/^complete .*-F \S+ rain$/m);
});

test('a closed pipe is no error: rain --help | head', async () => {
  const shell = spawn('bash', ['-c', `"${process.execPath}" "${RAIN}" --help | head -1; echo "\${PIPESTATUS[0]}"`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  shell.stdout.on('data', (chunk) => {
    said.stdout += String(chunk);
  });
  shell.stderr.on('data', (chunk) => {
    said.stderr += String(chunk);
  });
  await once(shell, 'close');
  expect(said).toEqual({ stdout: 'Usage: rain [options] [command]\n0\n', stderr: '' });
});
