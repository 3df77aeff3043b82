import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addOperator,
  changePassword,
  changeRole,
  disableOperator,
  hashOfBearer,
  issueToken,
} from '../../../src/operator/staff/staff.ts';
import { endAccess } from '../../../src/operator/staff/access.ts';
import { operatorSessionsKey, sessionKey } from '../../../src/store/keys.ts';
import { ask, openTestConsole, PASSWORD, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await openTestConsole();
});
afterAll(() => testConsole?.stop());

const attempt = (name: string, password: string, headers: Record<string, string> = {}) =>
  ask(testConsole.url, 'POST', '/api/console/session', { name, password }, headers);
const newcomer = async (name: string): Promise<void> => {
  expect(await addOperator(testConsole, name, 'operator', PASSWORD)).toEqual({ ok: true });
};

describe('signing in', () => {
  test('sets a cookie that no script can read and no other page can send, and returns the session', async () => {
    const { status, body, headers } = await attempt('opal', PASSWORD);
    expect(status).toBe(200);
    expect(body).toEqual({
      name: 'opal',
      role: 'operator',
      csrf: expect.stringMatching(/^[\w-]{43}$/) as string,
      expiresAt: expect.any(String) as string,
      totp: 'off',
      currency: 'CNY',
      participants: false,
    });
    const cookies = headers.getSetCookie();
    const cookie = cookies[0]!.split('; ');
    expect(cookie[0]).toMatch(/^rain_session=[\w-]{43}$/);
    expect(cookie.slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict']);
    // It opens nothing; see attempts.test.ts.
    expect(cookies[1]).toMatch(/^rain_device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('is returned by GET, with the same CSRF token, until signing out', async () => {
    const opal = await testConsole.signIn('opal');
    expect((await opal.ask('GET', '/api/console/session')).body).toMatchObject({
      name: 'opal',
      role: 'operator',
      csrf: opal.csrf,
    });
    const out = await opal.ask('DELETE', '/api/console/session');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect(await opal.ask('GET', '/api/console/session')).toMatchObject({ status: 401, body: { code: 'no_session' } });
  });

  test('stores nothing usable: neither the password nor the session token', async () => {
    const opal = await testConsole.signIn('opal');
    const held = opal.cookie.split('=')[1]!;
    const keys = await testConsole.redis.keys('rain:sessions:*');
    expect(keys.length).toBeGreaterThan(0);
    expect(
      JSON.stringify([
        keys,
        await testConsole.redis.mget(...keys),
        await testConsole.redis.zrange(operatorSessionsKey('opal'), '0', '-1'),
      ]),
    ).not.toContain(held);
    await newcomer('hanna');
    expect((await testConsole.ledger.staff.operator('hanna'))!.passwordHash).toMatch(/^scrypt\$32768\$8\$1\$/);
    for (const key of keys) expect(await testConsole.redis.pttl(key)).toBeGreaterThan(0);
  });

  test('a session that somebody has written into Redis is none: neither made up, nor with another name, nor under another token', async () => {
    const { redis } = testConsole;
    const keyOf = (token: string) => sessionKey(createHash('sha256').update(token).digest('hex'));
    const current = (token: string) =>
      ask(testConsole.url, 'GET', '/api/console/session', undefined, { cookie: `rain_session=${token}` });
    const [made, own] = ['M'.repeat(43), (await testConsole.signIn('vera')).cookie.split('=')[1]!];
    const { epoch } = (await testConsole.ledger.staff.operator('opal'))!;
    await redis.set(keyOf(made), JSON.stringify({ name: 'opal', epoch, since: Date.now() }), 'PX', 60_000);
    expect(await current(made)).toMatchObject({ status: 401, body: { code: 'no_session' } });
    expect((await current(own)).body).toMatchObject({ name: 'vera', role: 'viewer' });
    const stored = (await redis.get(keyOf(own)))!;
    await redis.set(keyOf(made), stored, 'PX', 60_000);
    expect((await current(made)).status).toBe(401);
    await redis.set(
      keyOf(own),
      JSON.stringify({ ...(JSON.parse(stored) as object), name: 'opal', epoch }),
      'PX',
      60_000,
    );
    expect((await current(own)).status).toBe(401);
  });

  test('[R14] a session that has ended stays ended, whoever puts it back into Redis: signed out, ended from a list, or one too many', async () => {
    const { redis, ledger } = testConsole;
    const name = 'leaver';
    await newcomer(name);
    const hashOf = ({ cookie }: Visitor) => createHash('sha256').update(cookie.split('=')[1]!).digest('hex');
    const isIn = async (visitor: Visitor) => (await visitor.ask('GET', '/api/console/session')).status === 200;
    const [out, listed, first] = [
      await testConsole.signIn(name),
      await testConsole.signIn(name),
      await testConsole.signIn(name),
    ];
    const kept = await Promise.all(
      [out, listed, first].map(async (visitor) => ({ visitor, text: (await redis.get(sessionKey(hashOf(visitor))))! })),
    );
    await out.ask('DELETE', '/api/console/session');
    expect(await endAccess({ ...testConsole, actor: 'cli:ann' }, name, hashOf(listed).slice(0, 16))).toMatchObject({
      ok: true,
    });
    for (let n = 0; n < 20; n++) await testConsole.signIn(name);
    // Made-up ones crowd neither the ended ones out of the ledger, nor the real ones out of the list.
    const made = Array.from({ length: 2_000 }, (_, n) => [n, createHash('sha256').update(String(n)).digest('hex')]);
    await redis.zadd(operatorSessionsKey(name), ...made.flat());
    const last = await testConsole.signIn(name);
    for (const { visitor, text } of kept) {
      expect(await isIn(visitor)).toBe(false);
      await redis.set(sessionKey(hashOf(visitor)), text, 'PX', 60_000);
      expect(await isIn(visitor)).toBe(false);
    }
    expect((await ledger.staff.operator(name))!.endedSessions).toHaveLength(4);
    expect(await isIn(last)).toBe(true);
    expect(await redis.zcard(operatorSessionsKey(name))).toBe(20);
  });

  test('a wrong password, an unknown name and a disabled one get the same answer after the same time', async () => {
    await newcomer('olga');
    await newcomer('gone');
    await disableOperator(testConsole, 'gone');
    const took: number[] = [];
    const answers = [];
    for (const [name, password] of [
      ['olga', 'wrong password'],
      ['nobody-at-all', PASSWORD],
      ['gone', PASSWORD],
    ] as const) {
      const start = performance.now();
      const { status, body } = await attempt(name, password);
      took.push(performance.now() - start);
      answers.push({ status, body });
    }
    expect(answers[0]).toEqual({ status: 401, body: { code: 'wrong_password', reason: expect.any(String) as string } });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    // An answer without a password hash would take only a millisecond or two.
    expect(Math.min(...took)).toBeGreaterThan(Math.max(...took) / 10);
  });

  test('a token that the browser held before does not become valid by signing in', async () => {
    const planted = 'A'.repeat(43);
    const { headers } = await attempt('opal', PASSWORD, { cookie: `rain_session=${planted}` });
    expect(headers.get('set-cookie')).not.toContain(planted);
    expect(
      await ask(testConsole.url, 'GET', '/api/console/session', undefined, { cookie: `rain_session=${planted}` }),
    ).toMatchObject({ status: 401 });
  });

  test('a new password or disabling the account ends every session at once; a new password enables it again', async () => {
    await newcomer('petra');
    const petra = await testConsole.signIn('petra');
    const look = () => petra.ask('GET', '/api/console/session');
    expect(await look()).toMatchObject({ status: 200 });
    expect(await changePassword(testConsole, 'petra', 'another long password')).toEqual({ ok: true });
    expect(await look()).toMatchObject({ status: 401, body: { code: 'no_session' } });
    expect(await attempt('petra', PASSWORD)).toMatchObject({ status: 401 });
    expect(await changePassword(testConsole, 'petra', PASSWORD)).toEqual({ ok: true });
    const again = await testConsole.signIn('petra');
    await disableOperator(testConsole, 'petra');
    expect(await again.ask('GET', '/api/console/session')).toMatchObject({ status: 401 });
  });

  test('is recorded with name and address, failures too, and without the typed text', async () => {
    await attempt('opal', 'a typed secret');
    await attempt('my-password-in-the-wrong-field', 'x');
    await testConsole.signIn('vera');
    const actions = await testConsole.ledger.latestActions({ limit: 100 });
    expect(actions[0]).toMatchObject({ actor: 'console:vera', verb: 'login', details: { address: '127.0.0.1' } });
    expect(actions.some(({ actor, verb }) => actor === 'console:opal' && verb === 'login_failed')).toBe(true);
    expect(JSON.stringify(actions)).not.toMatch(/a typed secret|wrong-field|correct horse/);
  });
});

describe('over https', () => {
  const secure = async (
    requestOrigin: { trustedProxies: number; secureCookies: 'auto' | 'on' | 'off' },
    headers: Record<string, string>,
  ) => {
    const other = await testConsole.another({ requestOrigin });
    try {
      return /; Secure/.test(
        (
          await ask(other.url, 'POST', '/api/console/session', { name: 'opal', password: PASSWORD }, headers)
        ).headers.get('set-cookie')!,
      );
    } finally {
      await other.close();
    }
  };

  test('the cookie is https-only if our own proxy reports https, and only our own proxy is believed', async () => {
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
    expect(await secure({ trustedProxies: 1, secureCookies: 'auto' }, https)).toBe(true);
    expect(await secure({ trustedProxies: 0, secureCookies: 'auto' }, https)).toBe(false);
    expect(await secure({ trustedProxies: 1, secureCookies: 'auto' }, {})).toBe(false);
    expect(await secure({ trustedProxies: 0, secureCookies: 'on' }, {})).toBe(true);
    expect(await secure({ trustedProxies: 1, secureCookies: 'off' }, https)).toBe(false);
  });

  test('the cookies are of this host alone: a cookie without the prefix, planted or of an earlier version, opens nothing and goes with the next sign-in', async () => {
    const other = await testConsole.another({ requestOrigin: { trustedProxies: 1, secureCookies: 'auto' } });
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
    const current = async (cookie: string, headers: Record<string, string> = https) =>
      (await ask(other.url, 'GET', '/api/console/session', undefined, { ...headers, cookie })).status;
    try {
      const { headers } = await ask(
        other.url,
        'POST',
        '/api/console/session',
        { name: 'opal', password: PASSWORD },
        { ...https, cookie: 'rain_session=old' },
      );
      const cookies = headers.getSetCookie();
      expect(cookies[0]).toMatch(
        /^__Host-rain_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      expect(cookies.filter((one) => one.startsWith('rain_'))).toEqual([
        expect.stringMatching(/^rain_session=; Max-Age=0; Path=\/;/),
      ]);
      expect(cookies.find((one) => one.startsWith('__Host-rain_device='))).toMatch(
        /; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      const token = cookies[0]!.split(';')[0]!.split('=')[1]!;
      expect(await current(`__Host-rain_session=${token}`)).toBe(200);
      expect(await current(`rain_session=${token}`)).toBe(401);
      expect(await current(`__Host-rain_session=${token}`, {}), 'without https').toBe(401);
      expect(await current(`rain_session=${token}`, {}), 'without https').toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('bearer tokens', () => {
  test('have the rights of their operator, without a CSRF token, until the account is disabled', async () => {
    await newcomer('robin');
    const issued = await issueToken(testConsole, 'robin', 'nightly');
    if (!issued.ok) throw new Error('no token');
    expect(issued.token).toMatch(/^rop_[\w-]{43}$/);
    const authorization = `Bearer ${issued.token}`;
    const block = () =>
      ask(
        testConsole.url,
        'POST',
        '/api/console/blocks',
        { kind: 'user', who: 'bot', reason: 'a test' },
        { authorization },
      );
    expect(await block()).toMatchObject({ status: 201 });
    expect((await testConsole.ledger.latestActions({ limit: 1 }))[0]).toMatchObject({
      actor: 'console:robin',
      verb: 'block',
    });
    await disableOperator(testConsole, 'robin');
    expect(await block()).toMatchObject({ status: 401, body: { code: 'no_session' } });
    await changePassword(testConsole, 'robin', PASSWORD);
    expect(await block()).toMatchObject({ status: 401 });
  });

  test('that have expired or are invalid are refused, even together with a valid cookie', async () => {
    const token = `rop_${'e'.repeat(43)}`;
    await testConsole.ledger.staff.addToken(
      'opal',
      { hash: hashOfBearer(token)!, label: 'short', expiresAt: Date.now() - 1 },
      'test',
    );
    const opal = await testConsole.signIn('opal');
    expect(
      await opal.ask('GET', '/api/console/session', undefined, { authorization: `Bearer ${token}` }),
    ).toMatchObject({ status: 401, body: { code: 'token_ended' } });
    for (const authorization of ['Bearer rop_x', `Bearer rop_${'f'.repeat(43)}`, 'Bearer', 'Basic b3BhbDp4']) {
      expect(await opal.ask('GET', '/api/console/session', undefined, { authorization }), authorization).toMatchObject({
        status: 401,
        body: { code: 'no_session' },
      });
    }
  });

  test.each([
    ['another password', (name: string) => changePassword(testConsole, name, 'another long password')],
    ['another role', (name: string) => changeRole(testConsole, name, 'viewer')],
    ['a disabled account', (name: string) => disableOperator(testConsole, name)],
  ])('%s ends them, and the sessions', async (what, change) => {
    const name = what.replaceAll(' ', '-');
    await newcomer(name);
    const issued = await issueToken(testConsole, name, 'nightly');
    const signedIn = await testConsole.signIn(name);
    if (!issued.ok) throw new Error('no token');
    const authorization = `Bearer ${issued.token}`;
    const looks = () =>
      Promise.all([
        ask(testConsole.url, 'GET', '/api/console/session', undefined, { authorization }),
        signedIn.ask('GET', '/api/console/session'),
      ]);
    expect((await looks()).map(({ status }) => status)).toEqual([200, 200]);
    expect(await change(name)).toEqual({ ok: true });
    expect((await looks()).map(({ status }) => status)).toEqual([401, 401]);
  });

  test('[R12] end after 90 days where nothing is said, and after a year at most', async () => {
    const issued = await issueToken(testConsole, 'opal', 'nightly');
    expect(issued).toMatchObject({ ok: true });
    expect(issued.ok && Math.abs(issued.expiresAt - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
    for (const forMs of [0, -1, Number.NaN, 367 * 86_400_000])
      expect(await issueToken(testConsole, 'opal', 'long', forMs)).toEqual({
        ok: false,
        refusals: [{ field: 'for', reason: 'expected 1s to 366d' }],
      });
  });
});
