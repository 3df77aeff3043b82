import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { METHOD_NAMES } from '../../src/rain/split/methods.ts';
import { rain } from '../support/cli.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'spring', amounts: ['1.00'] });
const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));

const completed = async (words: string[], env: Record<string, string> = {}): Promise<string[]> =>
  (await rain(['complete', '--', ...words], env)).stdout.split('\n').filter((line) => line && !line.startsWith(':')).map((line) => line.split('\t')[0]!);

test('a shell is told commands, options, choices, and the rains that are not settled', async () => {
  expect(await completed(['cre'])).toEqual(['create']);
  expect(await completed(['create', '--bud'])).toContain('--budget');
  expect(await completed(['create', '--split', ''])).toEqual(METHOD_NAMES);
  expect(await completed(['switch', ''])).toEqual(['ticker', 'joins', 'sockets', 'grabs']);
  expect(await completed(['show', ''], { REDIS_URL: server.url, DATABASE_URL: 'postgres://127.0.0.1:1/none' })).toEqual(['spring']);
});

test('where nothing is configured, or nobody answers, it complains of nothing', async () => {
  expect(await rain(['complete', '--', 'show', ''])).toMatchObject({ exit: 0, stderr: '' });
  expect(await rain(['complete', '--', 'show', ''], { REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/none' })).toMatchObject({ exit: 0, stderr: '' });
});

test('bash takes what is printed for it', async () => {
  const { stdout } = await promisify(execFile)('bash', ['-c', `source <("${process.execPath}" "${RAIN}" completion bash) && complete -p rain`]);
  expect(stdout).toMatch(/^complete .*-F \S+ rain$/m);
});

test('who stops reading is no fault: rain --help | head', async () => {
  const shell = spawn('bash', ['-c', `"${process.execPath}" "${RAIN}" --help | head -1; echo "\${PIPESTATUS[0]}"`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  shell.stdout.on('data', (chunk) => { said.stdout += String(chunk); });
  shell.stderr.on('data', (chunk) => { said.stderr += String(chunk); });
  await once(shell, 'close');
  expect(said).toEqual({ stdout: 'Usage: rain [options] [command]\n0\n', stderr: '' });
});
