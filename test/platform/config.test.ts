import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/gateway/limits.ts';
import { ConfigError, loadConfig, readDotEnv, type Need } from '../../src/platform/config.ts';

function problemsOf(env: Record<string, string>, need: readonly Need[] = []): string[] {
  try {
    loadConfig(need, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('[R12] every wrong and every missing value is listed at once, by name, with what was expected', () => {
  const problems = problemsOf(
    {
      REDIS_URL: 'localhost:6379',
      GATEWAY_PORT: '99999',
      CONSOLE_PORT: 'http',
      JWT_SECRET: 'short',
      JWKS_URL: 'ftp://keys',
      LOG_LEVEL: 'loud',
    },
    ['REDIS_URL', 'DATABASE_URL', 'JWT'],
  );
  const expected: [string, RegExp][] = [
    ['REDIS_URL', /redis:\/\/host:port/],
    ['GATEWAY_PORT', /0 to 65535/],
    ['CONSOLE_PORT', /port number/],
    ['JWT_SECRET', /32 characters/],
    ['JWKS_URL', /http/],
    ['LOG_LEVEL', /debug, info/],
    ['DATABASE_URL', /missing, expected postgres:/],
  ];
  expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(expected.map(([name]) => name).sort());
  for (const [name, wanted] of expected)
    expect(problems.find((problem) => problem.startsWith(`${name}:`))).toMatch(wanted);
});

test.each([
  ['REDIS_URL', 'redis://:50%off@10.0.0.5:6379', /^REDIS_URL: expected user and password percent-encoded/],
  ['REDIS_URL', 'redis://:a#b@10.0.0.5:6379', /percent-encoded/],
  ['REDIS_URL', 'redis+cluster://:50%@10.0.0.5', /percent-encoded/],
  ['REDIS_URL', 'redis+sentinel://:a/b@10.0.0.5/main', /percent-encoded/],
  ['REDIS_URL', 'rediss+cluster://10.0.0.5', /TLS to a Sentinel group or a Cluster is not supported/],
  ['DATABASE_URL', 'postgres://rain:50%off@10.0.0.6/rain', /^DATABASE_URL: expected user and password percent-encoded/],
  ['DATABASE_URL', 'postgres://rain:a#b@10.0.0.6/rain', /percent-encoded/],
  ['DATABASE_URL', 'postgres://rain:a/b@10.0.0.6/rain', /percent-encoded/],
  ['DATABASE_URL', 'postgres://rain:a?b@10.0.0.6/rain', /percent-encoded/],
  ['DATABASE_URL', 'postgres://rain:x@10.0.0.6/rain?schema=events', /expected no schema/],
])('[R12] %s=%s is refused by name, without the password', (name, url, expected) => {
  const problems = problemsOf({ [name]: url });
  expect(problems[0]).toMatch(expected);
  expect(problems.join()).not.toMatch(/50%|a#b|a\?b/);
});

test.each([
  ['REDIS_URL', 'redis://:50%25off@10.0.0.5:6379'],
  ['REDIS_URL', 'redis://app:p@ss@10.0.0.5:6379/2?family=6'],
  ['REDIS_URL', 'redis://10.0.0.5:6379?family=6'],
  ['REDIS_URL', 'redis+cluster://:a%2Fb@10.0.0.5,10.0.0.6'],
  ['DATABASE_URL', 'postgres://rain:a%23b@10.0.0.6/rain?sslmode=require&schema=public&application_name=a@b'],
  ['DATABASE_URL', 'postgres://postgres@%2Fsrv%2F.rain%2Fsockets/postgres'],
])('%s=%s is taken', (name, url) => expect(problemsOf({ [name]: url })).toEqual([]));

test('[R12] verifying tokens needs a secret or a key address, and the sentence names both', () => {
  expect(problemsOf({}, ['JWT'])).toEqual([expect.stringMatching(/^JWT_SECRET or JWKS_URL: missing/)]);
  expect(problemsOf({ JWKS_URL: 'https://example.org/keys' }, ['JWT'])).toEqual([]);
  expect(problemsOf({ JWKS_URL: 'http://127.0.0.1:9000/keys' }, ['JWT'])).toEqual([]);
  for (const url of ['http://example.org/keys', 'http://localhost.example.org/keys'])
    expect(problemsOf({ JWKS_URL: url }, ['JWT'])).toEqual([expect.stringMatching(/^JWKS_URL: expected https/)]);
});

test('[R12] who signs packets or verifies them needs the secret, and the sentence says who else has it', () => {
  expect(problemsOf({}, ['SIGNING_SECRET'])).toEqual([
    'SIGNING_SECRET: missing, expected the secret of at least 32 characters that packets are signed with, the same for gateways, workers, consoles and commands',
  ]);
  for (const text of ['x'.repeat(31), `${'x'.repeat(32)},${'y'.repeat(31)}`, `${'x'.repeat(32)},`]) {
    expect(problemsOf({ SIGNING_SECRET: text })).toEqual([
      'SIGNING_SECRET: expected a secret of at least 32 characters',
    ]);
  }
  expect(problemsOf({ SIGNING_SECRET: `${'x'.repeat(32)}, ${'y'.repeat(32)}` }, ['SIGNING_SECRET'])).toEqual([]);
});

test('an empty variable is an absent one', () => {
  const config = loadConfig([], { GATEWAY_PORT: '', REDIS_URL: '' });
  expect(config.GATEWAY_PORT).toBe(8687);
  expect(config.REDIS_URL).toBeUndefined();
});

test('values are read as what they mean', () => {
  const REDIS_URL = 'redis://127.0.0.1:6379';
  const config = loadConfig(['REDIS_URL'], {
    REDIS_URL,
    GATEWAY_PORT: '0',
    ALLOWED_ORIGINS: 'https://a.example, https://b.example,',
  });
  expect(config).toMatchObject({
    REDIS_URL,
    GATEWAY_PORT: 0,
    ALLOWED_ORIGINS: ['https://a.example', 'https://b.example'],
  });
});

test('[R12] durability is local, relaxed or so many replicas, and nothing else', () => {
  expect(loadConfig([], {})).toMatchObject({ DURABILITY: { mode: 'local' }, DURABILITY_WAIT_MS: 500 });
  expect(loadConfig([], { DURABILITY: 'relaxed' }).DURABILITY).toEqual({ mode: 'relaxed' });
  expect(loadConfig([], { DURABILITY: 'replicas=5', DURABILITY_WAIT_MS: '50' })).toMatchObject({
    DURABILITY: { mode: 'replicas', replicas: 5 },
    DURABILITY_WAIT_MS: 50,
  });
  for (const DURABILITY of ['replicas', 'replicas=0', 'replicas=6', 'replicas=12', 'replicas=x', 'Local', 'always']) {
    expect(problemsOf({ DURABILITY }), DURABILITY).toEqual([
      'DURABILITY: expected local, relaxed or replicas=1 to replicas=5',
    ]);
  }
  for (const DURABILITY_WAIT_MS of ['0', '1501', 'soon', '1.5'])
    expect(problemsOf({ DURABILITY_WAIT_MS }), DURABILITY_WAIT_MS).toEqual([
      expect.stringMatching(/^DURABILITY_WAIT_MS: expected/),
    ]);
});

test('[R12] money waits ten seconds after an outage of Redis, and never less than one', () => {
  expect(loadConfig([], {}).SETTLE_AFTER_RECONNECT_MS).toBe(10_000);
  expect(loadConfig([], { SETTLE_AFTER_RECONNECT_MS: '1000' }).SETTLE_AFTER_RECONNECT_MS).toBe(1_000);
  for (const SETTLE_AFTER_RECONNECT_MS of ['0', '999', '600001', 'soon', '1500.5']) {
    expect(problemsOf({ SETTLE_AFTER_RECONNECT_MS }), SETTLE_AFTER_RECONNECT_MS).toEqual([
      expect.stringMatching(/^SETTLE_AFTER_RECONNECT_MS: expected/),
    ]);
  }
});

test.each([
  'redis://127.0.0.1:6379',
  'redis+sentinel://127.0.0.1:26379/main',
  'redis+cluster://127.0.0.1:7000,127.0.0.1:7001',
])('DURABILITY=replicas starts with %s', (REDIS_URL) => {
  expect(problemsOf({ REDIS_URL, DURABILITY: 'replicas=1' })).toEqual([]);
});

test('.env is read, and one that is not there is nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-env-'));
  try {
    writeFileSync(join(folder, '.env'), '# a comment\nREDIS_URL="redis://10.0.0.1:6379"\n');
    expect(readDotEnv(join(folder, '.env'))).toEqual({ REDIS_URL: 'redis://10.0.0.1:6379' });
    expect(readDotEnv(join(folder, 'absent'))).toEqual({});
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('[R12] a webhook without an address or a secret is refused, and so is a value it cannot work with, each by name', () => {
  expect(problemsOf({ PAYOUT_PROVIDER: 'webhook' })).toEqual([
    expect.stringMatching(/^WEBHOOK_URL: missing/),
    expect.stringMatching(/^WEBHOOK_SECRET: missing/),
  ]);
  const secret = {
    PAYOUT_PROVIDER: 'webhook',
    WEBHOOK_URL: 'https://wallet.example/credit',
    WEBHOOK_SECRET: 's'.repeat(32),
  };
  expect(problemsOf(secret)).toEqual([]);
  for (const [name, value] of [
    ['PAYOUT_PROVIDER', 'bank'],
    ['WEBHOOK_URL', 'wallet.example'],
    ['WEBHOOK_URL', 'ftp://wallet.example'],
    ['WEBHOOK_URL', 'https://ann:pw@wallet.example'],
    ['WEBHOOK_SECRET', 's'.repeat(31)],
    ['WEBHOOK_BATCH_MAX', '0'],
    ['WEBHOOK_BATCH_MAX', '501'],
    ['WEBHOOK_BATCH_MAX', '1.5'],
    ['WEBHOOK_TIMEOUT_MS', '99'],
    ['WEBHOOK_TIMEOUT_MS', 'soon'],
    ['WEBHOOK_RECEIPTS', 'off'],
  ] as const)
    expect(problemsOf({ ...secret, [name]: value }), `${name}=${value}`).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected`)),
    ]);
  expect(problemsOf({ ...secret, WEBHOOK_URL: 'https://wallet.example/a@b?c=d@e' })).toEqual([]);
  expect(loadConfig([], {})).toMatchObject({
    PAYOUT_PROVIDER: 'ledger',
    WEBHOOK_RECEIPTS: 'required',
    WEBHOOK_BATCH_MAX: 1,
    WEBHOOK_TIMEOUT_MS: 5_000,
  });
});

test('[R12] orders for a shop without an address or a secret are refused, and so is a value it cannot work with, each by name', () => {
  expect(problemsOf({ ORDER_SERVICE: 'webhook' })).toEqual([
    expect.stringMatching(/^ORDER_WEBHOOK_URL: missing/),
    expect.stringMatching(/^ORDER_WEBHOOK_SECRET: missing/),
  ]);
  const shop = {
    ORDER_SERVICE: 'webhook',
    ORDER_WEBHOOK_URL: 'https://shop.example/orders',
    ORDER_WEBHOOK_SECRET: 's'.repeat(32),
  };
  expect(problemsOf(shop)).toEqual([]);
  for (const [name, value] of [
    ['ORDER_SERVICE', 'fax'],
    ['ORDER_WEBHOOK_URL', 'https://ann:pw@shop.example'],
    ['ORDER_WEBHOOK_SECRET', 's'.repeat(31)],
    ['ORDER_WEBHOOK_BATCH_MAX', '501'],
    ['ORDER_WEBHOOK_TIMEOUT_MS', '99'],
    ['ORDER_WEBHOOK_ORDERS_PER_SECOND', '0'],
    ['ORDER_WEBHOOK_REQUESTS_MAX', '257'],
    ['PAY_URL', 'https://shop.example/pay'],
    ['PAY_URL', 'shop.example/{orderId}'],
  ] as const)
    expect(problemsOf({ ...shop, [name]: value }), `${name}=${value}`).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected`)),
    ]);
  for (const PAY_URL of ['https://shop.example/pay/{orderId}', 'https://shop.example/pay?order={orderId}&from=rain'])
    expect(loadConfig([], { PAY_URL }).PAY_URL).toBe(PAY_URL);
  expect(loadConfig([], {})).toMatchObject({
    ORDER_SERVICE: 'builtin',
    ORDER_WEBHOOK_BATCH_MAX: 50,
    ORDER_WEBHOOK_ORDERS_PER_SECOND: 1_000,
    ORDER_WEBHOOK_REQUESTS_MAX: 8,
  });
});

test('the limits that can be set are, unless they are, those of the list of limits', () => {
  const config = loadConfig([], {});
  expect([
    config.GATEWAY_SOCKETS_MAX,
    config.GATEWAY_SOCKETS_PER_ADDRESS_MAX,
    config.GATEWAY_HANDSHAKES_PER_SECOND,
    config.GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND,
    config.GATEWAY_MESSAGES_PER_USER_PER_SECOND,
    config.GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND,
    config.GATEWAY_RECONNECTS_PER_SECOND,
    config.TRUSTED_PROXIES,
    config.GATEWAY_FAIR_START_MS,
  ]).toEqual([
    LIMITS.socketsMax,
    LIMITS.socketsPerAddressMax,
    LIMITS.handshakesPerSecondMax,
    LIMITS.handshakesPerAddressPerSecondMax,
    LIMITS.messagesPerSecondMax,
    LIMITS.messagesPerAddressPerSecondMax,
    LIMITS.reconnectsPerSecond,
    0,
    LIMITS.fairStartMs,
  ]);
});

test('the fair start can be switched off, and be no longer than a gateway that closes waits for', () => {
  expect(loadConfig([], { GATEWAY_FAIR_START_MS: '0' }).GATEWAY_FAIR_START_MS).toBe(0);
  for (const wrong of ['1001', '-1', '0.5', 'soon'])
    expect(problemsOf({ GATEWAY_FAIR_START_MS: wrong })).toEqual([
      expect.stringMatching(/^GATEWAY_FAIR_START_MS: expected/),
    ]);
  const { GATEWAY_FAIR_START_MS: longest } = loadConfig([], { GATEWAY_FAIR_START_MS: '1000' });
  // Gathering and drawing; half of the close belongs to answers under way.
  expect(longest * 1.5).toBeLessThan(LIMITS.closeMs / 2);
});

test('[R12] limits of 0 and too many proxies are refused by name', () => {
  expect(
    problemsOf({ GATEWAY_SOCKETS_MAX: '0', GATEWAY_MESSAGES_PER_USER_PER_SECOND: 'many', TRUSTED_PROXIES: '9' }),
  ).toEqual([
    'GATEWAY_SOCKETS_MAX: expected at least 1',
    'GATEWAY_MESSAGES_PER_USER_PER_SECOND: expected a number',
    'TRUSTED_PROXIES: expected 0 to 8',
  ]);
});

test('[R12] tickets: what depends on them, or on a secret, is refused by name without it', () => {
  const JWT_SECRET = 'x'.repeat(32);
  expect(
    problemsOf({
      JWT_SECRET,
      TICKETS: 'sometimes',
      PROOF_OF_WORK: 'on',
      TICKET_SECRET: 'short',
      PROOF_OF_WORK_TRIES: '0',
    }).map((problem) => problem.split(':')[0]),
  ).toEqual(['TICKETS', 'PROOF_OF_WORK', 'PROOF_OF_WORK_TRIES', 'TICKET_SECRET']);
  for (const TICKETS of ['', 'off']) {
    expect(problemsOf({ JWT_SECRET, TICKETS, PROOF_OF_WORK: 'pressure' })).toEqual([
      expect.stringMatching(/^PROOF_OF_WORK: .*TICKETS=pressure/),
    ]);
  }
  // All gateways have SIGNING_SECRET in common.
  expect(problemsOf({ JWKS_URL: 'https://example.org/keys', TICKETS: 'pressure' })).toEqual([]);
  expect(problemsOf({ JWT_SECRET, TICKETS: 'always', PROOF_OF_WORK: 'always' }, ['JWT'])).toEqual([]);
  expect(loadConfig([], {})).toMatchObject({ TICKETS: 'off', PROOF_OF_WORK: 'off', PROOF_OF_WORK_TRIES: 800 });
});
