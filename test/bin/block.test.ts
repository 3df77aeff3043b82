import { afterAll, beforeAll, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { handshake } from '../support/handshake.ts';
import { eventually } from '../support/eventually.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, JWT_SECRET: SECRET };
});
afterAll(() => context.stop());

test('rain block, blocks and unblock: for people, for machines, and for a gateway that is running', async () => {
  const gateway = await openGateway(context.redisUrl);
  try {
    expect((await rain(['blocks'], env)).stdout).toBe('no user and no address is blocked\n');
    const blocked = await rain(['block', 'user', 'mallory', '--reason', 'two thousand accounts', '--for', '2h'], env);
    expect(blocked.stdout).toMatch(/^user mallory: blocked until \d{4}-\d\d-\d\dT/);
    await eventually(async () => expect((await handshake(gateway.url, 'mallory')).status).toBe(403), {
      timeoutMs: 1_000,
    });
    expect(
      JSON.parse((await rain(['block', 'address', '2001:db8::1', '--reason', 'a farm', '--json'], env)).stdout),
    ).toMatchObject({ kind: 'address', who: '2001:db8:0:0::/64', reason: 'a farm' });
    expect((await rain(['blocks'], env)).stdout).toMatch(
      /address +2001:db8:0:0::\/64 +removed +\S+ +cli:\S+ +a farm\nuser +mallory +\d{4}/,
    );
    expect(JSON.parse((await rain(['blocks', '--json'], env)).stdout)).toHaveLength(2);
    expect((await rain(['unblock', 'user', 'mallory'], env)).stdout).toBe('user mallory: no longer blocked\n');
    await eventually(async () => expect((await handshake(gateway.url, 'mallory')).status).toBe('open'), {
      timeoutMs: 1_000,
    });
  } finally {
    await gateway.close();
  }
}, 180_000);

test.each<[string, string[], number, RegExp]>([
  ['no reason', ['block', 'user', 'ann'], 2, /required option '--reason/],
  ['neither a user nor an address', ['block', 'rain', 'r1', '--reason', 'r'], 2, /Allowed choices are user, address/],
  ['a time without a unit', ['block', 'user', 'ann', '--reason', 'r', '--for', '2'], 2, /--for.*expected a duration/],
  [
    'an address that is none',
    ['block', 'address', 'example.org', '--reason', 'r'],
    1,
    /who: example\.org is not an address/,
  ],
  ['who is not blocked', ['unblock', 'user', 'ann'], 1, /who: the user ann is not blocked/],
])('[R12] %s: refused in one sentence', async (_, args, exit, sentence) => {
  const run = await rain(args, env);
  expect(run.stderr).toMatch(sentence);
  expect(run.exit).toBe(exit);
});
