import { afterAll, beforeAll, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { handshake } from '../support/handshake.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, JWT_SECRET: SECRET };
});
afterAll(() => context.stop());

test('rain switch: for people, for machines, and for a gateway that is running', async () => {
  const gateway = await openGateway(context.redisUrl);
  try {
    expect((await rain(['switch'], env)).stdout).toMatch(
      /^switch +position.*\nticker +auto\njoins +auto\nsockets +auto\ngrabs +auto\n$/,
    );
    expect((await rain(['switch', 'sockets', 'off', '--reason', 'full house', '--for', '10m'], env)).stdout).toMatch(
      /^sockets: off until \d{4}-\d\d-\d\dT/,
    );
    // The gateway gets the event a moment after the command has returned.
    await eventually(async () => expect((await handshake(gateway.url, 'ann')).status).toBe(503), { timeoutMs: 1_000 });
    expect(JSON.parse((await rain(['switch', 'ticker', 'on', '--reason', 'r', '--json'], env)).stdout)).toMatchObject({
      name: 'ticker',
      position: 'on',
      reason: 'r',
    });
    expect((await rain(['switch'], env)).stdout).toMatch(
      /ticker +on +auto +\S+ +cli:\S+ +r\njoins +auto\nsockets +off +\d{4}\S+ +\S+ +cli:\S+ +full house\n/,
    );
    expect(JSON.parse((await rain(['switch', '--json'], env)).stdout)).toMatchObject([
      { position: 'on' },
      { name: 'joins', position: 'auto' },
      { position: 'off' },
      { position: 'auto' },
    ]);
    expect((await rain(['switch', 'sockets', 'auto'], env)).stdout).toBe('sockets: auto, each gateway decides\n');
    await eventually(async () => expect((await handshake(gateway.url, 'ann')).status).toBe('open'), {
      timeoutMs: 1_000,
    });
  } finally {
    await gateway.close();
  }
}, 120_000);

test('the help speaks of shedding, refusing and read-only', async () => {
  const { stdout } = await rain(['switch', '--help']);
  for (const phrase of ['shed ticker', 'shed joins', 'refuse new sockets', 'read-only'])
    expect(stdout).toContain(phrase);
});

test.each<[string, string[], number, RegExp]>([
  ['no such switch', ['switch', 'lights', 'off'], 2, /Allowed choices are ticker, joins, sockets, grabs/],
  ['no such position', ['switch', 'ticker', 'dim'], 2, /Allowed choices are on, off, auto/],
  ['no position', ['switch', 'ticker'], 2, /position: missing/],
  ['no reason', ['switch', 'ticker', 'off'], 1, /reason: expected 1 to 500/],
  [
    'a time without a unit',
    ['switch', 'ticker', 'off', '--reason', 'r', '--for', '2'],
    2,
    /--for.*expected a duration/,
  ],
])('[R12] %s: refused in one sentence', async (_, args, exit, sentence) => {
  const run = await rain(args, env);
  expect(run.stderr).toMatch(sentence);
  expect(run.exit).toBe(exit);
});
