import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { explain } from '../../src/bin/exit.ts';
import { open as openConsole } from '../../src/bin/servers/console.ts';
import { callCli, rain } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { openShutdown } from '../support/shutdown.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));

let context: TestQueueContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openQueueContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, SIGNING_SECRET };
});
afterAll(() => context?.stop());

const piped = (words: string[], input: string) => rain(['operator', ...words], env, input);

describe('rain operator', () => {
  test('adds, lists, gives another password, makes a token, and disables; no password is printed or kept', async () => {
    expect(await piped(['add', 'alice', '--role', 'viewer', '--json'], 'a long password\n')).toEqual({
      exit: 0,
      stdout: '{"name":"alice","role":"viewer"}\n',
      stderr: '',
    });
    expect(await piped(['add', 'alice'], 'a long password\n')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('there is an operator alice already') as string,
    });
    expect(await piped(['password', 'alice'], 'another long password\n')).toMatchObject({ exit: 0 });
    const token = await rain(['operator', 'token', 'alice', '--label', 'report', '--for', '1h', '--json'], env);
    expect(JSON.parse(token.stdout)).toEqual({
      name: 'alice',
      label: 'report',
      token: expect.stringMatching(/^rop_/) as string,
      expiresAt: expect.any(String) as string,
    });
    const { expiresAt } = JSON.parse(token.stdout) as { expiresAt: string };
    expect((await rain(['actions'], env)).stdout).toContain(
      `name alice, label report, expiresAt ${expiresAt.slice(0, 16)}`,
    );
    expect(await rain(['operator', 'disable', 'alice'], env)).toMatchObject({ exit: 0 });
    const listed = JSON.parse((await rain(['operator', 'list', '--json'], env)).stdout) as object[];
    expect(listed).toEqual([
      {
        name: 'alice',
        role: 'viewer',
        totp: false,
        createdAt: expect.any(String) as string,
        disabledAt: expect.any(String) as string,
      },
    ]);
    expect((await context.ledger.latestActions({ limit: 10 })).map(({ verb }) => verb)).toEqual([
      'operator_disable',
      'operator_token',
      'operator_password',
      'operator_add',
    ]);
    expect(
      JSON.stringify([await context.ledger.latestActions({ limit: 10 }), await context.ledger.staff.operators()]),
    ).not.toMatch(/long password|rop_/);
  });

  test.each([
    ['a password of eleven letters', ['add', 'bob'], 'elevenchars\n', 1, /at least 12 characters/],
    ['a password of 129 letters', ['add', 'bob'], `${'xyzw8'.repeat(30).slice(0, 129)}\n`, 1, /at most 128 characters/],
    ['a usual password', ['add', 'bob'], 'Password2024!\n', 1, /expected more than usual words/],
    ['a password of the own name', ['add', 'bobby'], 'bobby-bobby-1999\n', 1, /expected more than usual words/],
    ['no password', ['add', 'bob'], '', 2, /missing, expected it on standard input/],
    ['a name that cannot be typed', ['add', '../etc'], 'a long password\n', 1, /letters, digits/],
    [
      'a role there is not',
      ['add', 'bob', '--role', 'king'],
      'a long password\n',
      2,
      /Allowed choices are operator, viewer/,
    ],
    ['nobody of this name', ['password', 'nobody'], 'a long password\n', 1, /there is no operator nobody/],
  ] as [string, string[], string, number, RegExp][])(
    '[R12] %s is refused, and nobody is added',
    async (_what, args, input, exit, sentence) => {
      expect(await piped(args, input)).toMatchObject({
        exit,
        stdout: '',
        stderr: expect.stringMatching(sentence) as string,
      });
      expect(await context.ledger.staff.operator('bob')).toBeUndefined();
    },
  );
});

describe('rain operator, for who is signed in', () => {
  const run = (...words: string[]) => rain(['operator', ...words], env);

  test('lists sessions and tokens, ends one, and another role ends the rest', async () => {
    await piped(['add', 'carol'], 'a long password\n');
    for (const label of ['first', 'second']) await run('token', 'carol', '--label', label);
    const listed = JSON.parse((await run('sessions', 'carol', '--json')).stdout) as {
      id: string;
      device: string;
      expiresAt: string;
    }[];
    expect(listed).toMatchObject([
      { kind: 'token', device: 'second' },
      { kind: 'token', device: 'first' },
    ]);
    expect(Date.parse(listed[0]!.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    expect(await run('end-session', 'carol', listed[0]!.id)).toMatchObject({
      exit: 0,
      stdout: `the token ${listed[0]!.id} of carol is ended\n`,
    });
    expect(await run('end-session', 'carol', listed[0]!.id)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`carol has no session or token ${listed[0]!.id}`) as string,
    });
    expect((await run('sessions', 'carol')).stdout).toMatch(/first/);
    expect(await run('role', 'carol', 'viewer')).toMatchObject({ exit: 0 });
    expect(await context.ledger.staff.operator('carol')).toMatchObject({ role: 'viewer' });
    expect(await run('sessions', 'carol')).toMatchObject({ exit: 0, stdout: 'carol has no session and no token\n' });
  });

  test.each([
    ['the sessions of nobody', ['sessions', 'nobody'], 1, /name: there is no operator nobody/],
    ['a role there is not', ['role', 'carol', 'king'], 2, /Allowed choices are operator, viewer/],
    ['the role of nobody', ['role', 'nobody', 'viewer'], 1, /name: there is no operator nobody/],
    ['codes that there are not', ['reset-totp', 'carol'], 1, /name: carol has no one-time codes/],
    ['a token of two years', ['token', 'carol', '--label', 'x', '--for', '700d'], 1, /for: expected 1s to 366d/],
  ] as [string, string[], number, RegExp][])('[R12] %s is refused', async (_what, args, exit, sentence) => {
    expect(await run(...args)).toMatchObject({ exit, stdout: '', stderr: expect.stringMatching(sentence) as string });
  });
});

test('rain winners prints them as CSV, and as one object a line', async () => {
  await context.wonRain('cli', 2);
  await context.credit();
  const { exit, stdout } = await rain(['winners', 'cli'], env);
  expect([
    exit,
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(',').slice(0, 3).join()),
  ]).toEqual([0, ['redPacketId,userId,amount', 'cli-1,user-1,1.00', 'cli-0,user-0,1.00']]);
  const lines = (await rain(['winners', 'cli', '--json'], env)).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([{ userId: 'user-1', status: 'credited' }, { userId: 'user-0' }]);
  const onScreen = await callCli(['winners', 'cli'], env, { isTTY: true }).done;
  expect(onScreen.stdout, 'a table, where somebody reads it').toMatch(/\ncli-1 +user-1 +1\.00 +20\S+ +credited\ncli-0/);
  expect(await rain(['winners', 'nowhere'], env)).toMatchObject({
    exit: 1,
    stderr: 'rain: id: there is no rain nowhere\n',
  });
});

describe('a password at a terminal', () => {
  /** Types each of these when it is asked for the next. */
  async function typing(...answers: string[]) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const call = callCli(['operator', 'add', 'tess'], env, { stdin });
    for (const [i, answer] of answers.entries()) {
      await eventually(() => call.stderr().includes(i === 0 ? 'password of tess' : 'repeat the password: '));
      stdin.write(answer);
    }
    return call.done;
  }

  test('is asked for twice and not shown', async () => {
    expect(await typing('a long password\n', 'a long password\n')).toEqual({
      exit: 0,
      stdout: 'tess may sign in as operator\n',
      stderr: 'password of tess, at least 12 characters: \nrepeat the password: \n',
    });
  });

  test('[R12] two that differ are refused, and Ctrl-C changes nothing', async () => {
    expect(await typing('a long password\n', 'another password\n')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('the two inputs differ') as string,
    });
    expect(await typing('\x03')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('nothing was changed') as string,
    });
  });
});

test('a password comes in through a pipe: echo … | rain operator add', async () => {
  const child = spawn(process.execPath, [RAIN, 'operator', 'add', 'piped'], {
    env: { PATH: process.env['PATH']!, RAIN_HOME: '/nonexistent/rain', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end('a long password\n');
  expect(await Promise.all([text(child.stdout), once(child, 'close')])).toEqual([
    'piped may sign in as operator\n',
    [0, null],
  ]);
});

describe('rain console', () => {
  // A system that runs in this folder, such as after `npm start`, would lend its settings.
  const refusalOf = (settings: Record<string, string>) =>
    openConsole(openShutdown().shutdown, { RAIN_HOME: temporaryFolder(), ...settings }).then(
      () => 'it opened',
      explain,
    );

  test('says what it needs', async () => {
    expect(await refusalOf({})).toEqual({
      exit: 2,
      reasons: [
        expect.stringContaining('REDIS_URL: missing'),
        expect.stringContaining('DATABASE_URL: missing'),
        expect.stringContaining('SIGNING_SECRET: missing'),
      ],
    });
    expect(await refusalOf({ ...env, CONSOLE_SECURE_COOKIES: 'maybe' })).toEqual({
      exit: 2,
      reasons: [expect.stringContaining('CONSOLE_SECURE_COOKIES: expected auto, on or off')],
    });
  });

  test('that cannot be opened leaves nothing open, although its metrics server was open', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      taken.close();
    });
    await once(taken, 'listening');
    const metricsPort = String(await freePort());
    const refusal = await refusalOf({
      ...env,
      CONSOLE_PORT: String((taken.address() as AddressInfo).port),
      METRICS_PORT: metricsPort,
      LOG_LEVEL: 'silent',
    });
    expect(refusal).toEqual({ exit: 1, reasons: [expect.stringContaining('is in use')] });
    await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
  });
});
