import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, deviceOf, openTestConsole, PASSWORD, type TestConsole } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
let url: string;
let close: () => Promise<void>;
beforeAll(async () => {
  testConsole = await openTestConsole();
  ({ url, close } = await testConsole.another({ requestOrigin: { trustedProxies: 1, secureCookies: 'auto' } }));
});
afterAll(async () => {
  await close?.();
  await testConsole?.stop();
});
beforeEach(async () => {
  const keys = await testConsole.redis.keys('rain:attempts:*');
  if (keys.length > 0) await testConsole.redis.del(...keys);
});

const from = (address: string, password: string, { name = 'opal', cookie }: { name?: string; cookie?: string } = {}) =>
  ask(
    url,
    'POST',
    '/api/console/session',
    { name, password },
    { 'x-forwarded-for': address, ...(cookie !== undefined && { cookie }) },
  );

test('after five wrong passwords for a name from an address each further one has to wait longer, and is told how long', async () => {
  for (let n = 0; n < 6; n++) expect((await from('10.1.0.1', 'guess')).status).toBe(401);
  const refused = await from('10.1.0.1', PASSWORD);
  expect(refused).toMatchObject({
    status: 429,
    body: { code: 'too_many_attempts', reason: expect.stringContaining('second') as string },
  });
  expect(refused.headers.get('retry-after')).toBe('10');
  // Other names from there, and the name from elsewhere, are not concerned.
  expect((await from('10.1.0.1', PASSWORD, { name: 'vera' })).status).toBe(200);
  expect((await from('10.1.0.2', PASSWORD)).status).toBe(200);
});

test('right sign-ins do not count', async () => {
  for (let n = 0; n < 25; n++) expect((await from('10.2.0.1', PASSWORD)).status).toBe(200);
});

test('a device that has signed in before is not locked out by strangers, also not from its own address', async () => {
  const cookie = deviceOf((await from('10.3.0.1', PASSWORD)).headers);
  for (let n = 0; n < 45; n++) await from(`10.3.${1 + Math.floor(n / 4)}.9`, 'guess');
  for (let n = 0; n < 25; n++) await from('10.3.0.1', 'guess');
  expect((await from('10.3.0.7', PASSWORD)).status).toBe(429);
  expect((await from('10.3.0.1', PASSWORD)).status).toBe(429);
  expect((await from('10.3.0.1', PASSWORD, { cookie })).status).toBe(200);
  // Whose device it is, is part of it; and it has limits of its own.
  for (let n = 0; n < 6; n++) await from('10.3.0.8', 'guess', { name: 'vera', cookie });
  expect((await from('10.3.0.8', PASSWORD, { name: 'vera' })).status).toBe(429);
  for (let n = 0; n < 6; n++) expect((await from('10.3.0.1', 'guess', { cookie })).status).toBe(401);
  expect((await from('10.3.0.1', PASSWORD, { cookie })).status).toBe(429);
});

test('a device that somebody made up is none', async () => {
  for (let n = 0; n < 6; n++)
    await from('10.4.0.1', 'guess', { cookie: `rain_device=${'A'.repeat(22)}.${Date.now()}.${'B'.repeat(43)}` });
  expect(
    (await from('10.4.0.1', PASSWORD, { cookie: `rain_device=${'C'.repeat(22)}.${Date.now()}.${'D'.repeat(43)}` }))
      .status,
  ).toBe(429);
});

test('[R10] of parallel attempts no more are checked than one after the other', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => from('10.5.0.1', 'guess')));
  expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(6);
});
