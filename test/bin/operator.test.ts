import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildShippedPage } from '../browser/built-page.ts';
import { ask } from '../support/operatorDesk.ts';
import { rain, startCli } from '../support/cli.ts';
import { openQueueDesk, type QueueTestDesk } from '../support/queueDesk.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';

const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));

let desk: QueueTestDesk;
let env: Record<string, string>;
beforeAll(async () => {
  await buildShippedPage();
  desk = await openQueueDesk();
  env = { REDIS_URL: desk.redisUrl, DATABASE_URL: desk.databaseUrl };
});
afterAll(() => desk?.stop());

/** As from a pipe: `echo password | rain operator …` */
async function piped(args: string[], input: string): Promise<{ exit: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [RAIN, 'operator', ...args], { env: { PATH: process.env['PATH']!, RAIN_HOME: '/nonexistent/rain', ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exit: exit as number, stdout, stderr };
}

describe('rain operator', () => {
  test('adds, lists, gives another password, makes a token, and disables; no password is printed or kept', async () => {
    expect(await piped(['add', 'alice', '--role', 'viewer', '--json'], 'a long password\n')).toEqual({ exit: 0, stdout: '{"name":"alice","role":"viewer"}\n', stderr: '' });
    expect(await piped(['add', 'alice'], 'a long password\n')).toMatchObject({ exit: 1, stderr: expect.stringContaining('there is an operator alice already') as string });
    expect(await piped(['password', 'alice'], 'another long password\n')).toMatchObject({ exit: 0 });
    const token = await rain(['operator', 'token', 'alice', '--label', 'report', '--for', '1h', '--json'], env);
    expect(JSON.parse(token.stdout)).toEqual({ name: 'alice', label: 'report', token: expect.stringMatching(/^rop_/) as string, expiresAt: expect.any(String) as string });
    expect(await rain(['operator', 'disable', 'alice'], env)).toMatchObject({ exit: 0 });
    const listed = JSON.parse((await rain(['operator', 'list', '--json'], env)).stdout) as object[];
    expect(listed).toEqual([{ name: 'alice', role: 'viewer', createdAt: expect.any(String) as string, disabledAt: expect.any(String) as string }]);
    expect((await desk.ledger.latestActions({ limit: 10 })).map(({ verb }) => verb)).toEqual(['operator_disable', 'operator_token', 'operator_password', 'operator_add']);
    expect(JSON.stringify([await desk.ledger.latestActions({ limit: 10 }), await desk.ledger.staff.operators()])).not.toMatch(/long password|rop_/);
  });

  test.each([
    ['a password of nine letters', ['add', 'bob'], 'ninechars\n', 1, /at least 10 characters/],
    ['no password', ['add', 'bob'], '', 2, /missing, expected it on standard input/],
    ['a name that cannot be typed', ['add', '../etc'], 'a long password\n', 1, /letters, digits/],
    ['a role there is not', ['add', 'bob', '--role', 'king'], 'a long password\n', 2, /Allowed choices are operator, viewer/],
    ['nobody of this name', ['password', 'nobody'], 'a long password\n', 1, /there is no operator nobody/],
  ] as [string, string[], string, number, RegExp][])('[R12] %s is refused, and nobody is added', async (_what, args, input, exit, sentence) => {
    expect(await piped(args, input)).toMatchObject({ exit, stdout: '', stderr: expect.stringMatching(sentence) as string });
    expect(await desk.ledger.staff.operator('bob')).toBeUndefined();
  });
});

test('rain winners prints them as CSV, and as one object a line', async () => {
  await desk.wonRain('cli', 2);
  await desk.credit();
  const { exit, stdout } = await rain(['winners', 'cli'], env);
  expect([exit, stdout.trim().split('\n').map((line) => line.split(',').slice(0, 3).join())]).toEqual([0, ['redPacketId,userId,amount', 'cli-1,user-1,1.00', 'cli-0,user-0,1.00']]);
  const lines = (await rain(['winners', 'cli', '--json'], env)).stdout.trim().split('\n').map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([{ userId: 'user-1', status: 'credited' }, { userId: 'user-0' }]);
  expect(await rain(['winners', 'nowhere'], env)).toMatchObject({ exit: 1, stderr: 'rain: id: there is no rain nowhere\n' });
});

describe('rain console', () => {
  test('says what it needs', async () => {
    expect(await rain(['console'])).toMatchObject({ exit: 2, stderr: expect.stringMatching(/REDIS_URL: missing.*\n.*DATABASE_URL: missing/) as string });
    expect(await rain(['console'], { ...env, CONSOLE_SECURE_COOKIES: 'maybe' })).toMatchObject({ exit: 2, stderr: expect.stringContaining('CONSOLE_SECURE_COOKIES: expected auto, on or off') as string });
  });

  test('lets an operator in, from the command line to the page', async () => {
    await piped(['add', 'carol'], 'a long password\n');
    const port = await freePort();
    const server = startCli(['console'], { ...env, CONSOLE_PORT: String(port), LOG_LEVEL: 'info' });
    const url = `http://127.0.0.1:${port}`;
    const signedIn = await eventually(() => {
      expect(server.child.exitCode, server.stdout() + server.stderr()).toBe(null);
      return ask(url, 'POST', '/api/desk/session', { name: 'carol', password: 'a long password' });
    });
    expect(signedIn).toMatchObject({ status: 200, body: { name: 'carol', role: 'operator' } });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    expect(await ask(url, 'GET', '/api/desk/system', undefined, { cookie })).toMatchObject({ status: 200, body: { redis: { up: true }, database: { up: true } } });
    expect([200, 503]).toContain((await ask(url, 'GET', '/desk/')).status);
    server.child.kill('SIGTERM');
    const { exit, stdout, stderr } = await server.done;
    expect(exit).toBe(0);
    expect(stdout + stderr).not.toMatch(/a long password|rain_session/);
  });
});
