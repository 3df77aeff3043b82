import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../../src/console/routes/route.ts';
import { ask, deviceOf, openTestConsole, PASSWORD, type TestConsole } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await openTestConsole();
});
afterAll(() => testConsole?.stop());

const bearer = (n: number) => ({ authorization: `Bearer rop_${String(n).padStart(43, '0')}` });

/** A console that tells how often the database was asked for a bearer token. */
async function openCounting(): Promise<{ url: string; asked: () => number; close: () => Promise<void> }> {
  let asked = 0;
  const { redis, ledger, signer, queues } = testConsole;
  const staff = {
    ...ledger.staff,
    bearer: (hash: string, address: string) => {
      asked++;
      return ledger.staff.bearer(hash, address);
    },
  };
  const { url, close } = await testConsole.another({
    backend: { redis, signer, ledger: { ...ledger, staff }, queues: { ...queues, later: queues.credit } } as Backend,
  });
  return { url, close, asked: () => asked };
}

test.each([
  ['the API', '/api/console/rains', '/console/queues'],
  ['the list of queues', '/api/console/queues', '/api/console/session'],
])(
  '[R10] %s refuses a flood before it looks at who asks, and so does what the limit is shared with',
  async (_what, path, other) => {
    const { url, asked, close } = await openCounting();
    const statuses: number[] = [];
    for (let at = 0; at < 1_300; at += 100)
      statuses.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, async (_, i) => (await ask(url, 'GET', path, undefined, bearer(at + i))).status),
        )),
      );
    const elsewhere = await ask(url, 'GET', other, undefined, bearer(0));
    await close();
    expect(elsewhere.status, 'the limit is one for all routes').toBe(429);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100);
    expect(statuses.filter((status) => status === 401)).toHaveLength(1_200);
    expect(asked()).toBe(1_200);
  },
);

test('[R10] wrong sign-ins from many addresses take one thread at a time: the page and right sign-ins are served', async () => {
  const { url, close } = await testConsole.another({ requestOrigin: { trustedProxies: 1, secureCookies: 'auto' } });
  const attempt = (n: number, name: string, password: string) =>
    ask(url, 'POST', '/api/console/session', { name, password }, { 'x-forwarded-for': `10.0.0.${n}` });
  const statuses = Promise.all(Array.from({ length: 30 }, async (_, n) => attempt(n + 1, 'nobody', 'guess')));
  // Refused at once, not queued: the queue is short.
  const answers = await statuses;
  expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await attempt(200, 'opal', PASSWORD)).status).toBe(200);
  await close();
});

test('[R10] a known device signs in while strangers from forty addresses keep the queue of checks full', async () => {
  const { url, close } = await testConsole.another({ requestOrigin: { trustedProxies: 1, secureCookies: 'auto' } });
  const signIn = (address: string, name: string, password: string, cookie?: string) =>
    ask(
      url,
      'POST',
      '/api/console/session',
      { name, password },
      { 'x-forwarded-for': address, ...(cookie !== undefined && { cookie }) },
    );
  const cookie = deviceOf((await signIn('10.9.0.1', 'opal', PASSWORD)).headers);
  for (let round = 1; round <= 2; round++) {
    let checked = 0;
    const strangers = Array.from({ length: 40 }, async (_, n) => {
      const { status } = await signIn(`10.9.${round}.${n}`, `nobody-${n}`, 'guess');
      if (status !== 429) checked++;
      return status;
    });
    // The first refusal: the queue is full.
    await Promise.any(strangers.map(async (one) => expect(await one).toBe(429)));
    const before = checked;
    expect((await signIn('10.9.0.1', 'opal', PASSWORD, cookie)).status).toBe(200);
    expect(checked - before, 'checks of strangers before it').toBeLessThanOrEqual(4);
    await Promise.all(strangers);
    expect(checked).toBeGreaterThanOrEqual(8);
  }
  await close();
});
