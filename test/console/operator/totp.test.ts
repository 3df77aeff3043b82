import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { issueToken } from '../../../src/operator/staff/staff.ts';
import { resetTotp } from '../../../src/operator/staff/totp.ts';
import { laterSigner } from '../../support/signer.ts';
import {
  addAccount,
  ask,
  openTestConsole,
  PASSWORD,
  type TestConsole,
  type Visitor,
} from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await openTestConsole();
});
afterAll(() => testConsole?.stop());

let name: string;
let count = 0;
beforeEach(async () => {
  name = `person-${++count}`;
  await addAccount(testConsole, name, 'operator');
  const keys = await testConsole.redis.keys('rain:attempts:*');
  if (keys.length > 0) await testConsole.redis.del(...keys);
});

/**
 * The operator's app: the code of the step of now, and of those before and after. It stays at this step, however long
 * the test takes.
 */
function app(secret: string): (steps?: number) => string {
  const now = Date.now();
  return (steps = 0) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * 30_000 });
}
const attempt = (code?: string, password = PASSWORD, url = testConsole.url) =>
  ask(url, 'POST', '/api/console/session', { name, password, ...(code !== undefined && { code }) });
const begin = (visitor: Visitor, password: string, code?: string) =>
  visitor.ask('POST', '/api/console/session/totp', { password, ...(code !== undefined && { code }) });

/** Somebody who has set up one-time codes; the step of now is used up. */
async function withCodes() {
  const visitor = await testConsole.signIn(name);
  const { secret, uri, setup } = (await begin(visitor, PASSWORD)).body as {
    secret: string;
    uri: string;
    setup: string;
  };
  const codeOf = app(secret);
  const confirmed = await visitor.ask('PUT', '/api/console/session/totp', { setup, code: codeOf() });
  expect(confirmed.status).toBe(200);
  const { recoveryCodes } = confirmed.body as { recoveryCodes: string[] };
  return {
    visitor,
    secret,
    uri,
    setup,
    codeOf,
    recoveryCodes,
    cookie: confirmed.headers.get('set-cookie')!.split(';')[0]!,
  };
}

test('codes are set up with the password, confirmed by the first one, and asked for after the password', async () => {
  const { visitor, secret, uri, codeOf, recoveryCodes, cookie } = await withCodes();
  expect(uri).toBe(
    `otpauth://totp/Red-packet%20rain:${name}?issuer=Red-packet%20rain&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
  expect([
    new Set(recoveryCodes).size,
    recoveryCodes.every((code) => /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/.test(code)),
  ]).toEqual([10, true]);
  expect((await visitor.ask('GET', '/api/console/session')).status, 'a session that was opened without a code').toBe(
    401,
  );
  expect((await ask(testConsole.url, 'GET', '/api/console/session', undefined, { cookie })).body).toMatchObject({
    name,
    totp: 'on',
  });
  expect(await attempt()).toMatchObject({ status: 403, body: { code: 'code_needed' } });
  expect(await attempt('', 'a wrong password')).toMatchObject({ status: 401, body: { code: 'wrong_password' } });
  expect(await attempt(codeOf(1), 'a wrong password')).toMatchObject({ status: 401, body: { code: 'wrong_password' } });
  expect(await attempt(codeOf(1))).toMatchObject({ status: 200, body: { name, totp: 'on' } });
});

test('a code is accepted once, and none before it any more; the step beside this one is, the one after not', async () => {
  const { codeOf } = await withCodes();
  for (const steps of [0, -1, 3, -3])
    expect(await attempt(codeOf(steps)), `${steps}`).toMatchObject({ status: 401, body: { code: 'wrong_code' } });
  const next = codeOf(1);
  const both = await Promise.all([attempt(next), attempt(next)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test('a recovery code signs in once, as it was typed, also under a later signing secret; new ones end the old', async () => {
  const { codeOf, recoveryCodes } = await withCodes();
  const typed = ` ${recoveryCodes[0]!.toLowerCase().replaceAll('-', ' ')}`;
  expect((await attempt(typed)).status).toBe(200);
  expect(await attempt(typed)).toMatchObject({ status: 401, body: { code: 'wrong_code' } });
  const later = await testConsole.another({
    backend: {
      ...testConsole,
      signer: laterSigner,
      queues: { ...testConsole.queues, later: testConsole.queues.credit },
      sendReservations: async () => {},
    },
  });
  expect((await attempt(recoveryCodes[1], PASSWORD, later.url)).status).toBe(200);
  const signedIn = await attempt(codeOf(1), PASSWORD, later.url);
  expect(signedIn.status).toBe(200);
  const headers = {
    cookie: signedIn.headers.get('set-cookie')!.split(';')[0]!,
    'x-csrf-token': (signedIn.body as { csrf: string }).csrf,
  };
  const again = (method: string, body: unknown) => ask(later.url, method, '/api/console/session/totp', body, headers);
  expect(await again('POST', { password: PASSWORD }), 'other codes ask for one of these').toMatchObject({
    status: 403,
    body: { code: 'code_needed' },
  });
  expect(await testConsole.ledger.staff.recoveryCodes(name)).toHaveLength(8);
  const { secret, setup } = (await again('POST', { password: PASSWORD, code: recoveryCodes[2] })).body as {
    secret: string;
    setup: string;
  };
  expect((await again('PUT', { setup, code: app(secret)() })).status).toBe(200);
  await later.close();
  expect(await testConsole.ledger.staff.recoveryCodes(name)).toHaveLength(10);
  expect(await attempt(recoveryCodes[3])).toMatchObject({ status: 401, body: { code: 'wrong_code' } });
});

test('secrets and codes are not stored as themselves, and one moved into another row opens nothing', async () => {
  const { secret, recoveryCodes } = await withCodes();
  const operator = (await testConsole.ledger.staff.operator(name))!;
  const stored = JSON.stringify([
    operator,
    await testConsole.ledger.staff.recoveryCodes(name),
    await testConsole.ledger.latestActions({ limit: 100 }),
  ]);
  for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
    expect(stored).not.toContain(text);
  expect(testConsole.signer.openTotp(operator.totpSecret!, `secret of ${name}`)).toBe(secret);
  expect([
    testConsole.signer.openTotp(operator.totpSecret!, 'secret of opal'),
    laterSigner.openTotp(`${operator.totpSecret!.slice(0, -4)}AAAA`, `secret of ${name}`),
  ]).toEqual([undefined, undefined]);
});

test('[R10] wrong codes are slowed down as wrong passwords are', async () => {
  await withCodes();
  const codes: unknown[] = [];
  for (let n = 0; n < 9; n++) codes.push(((await attempt('000000')).body as { code: string }).code);
  expect(codes.slice(-2)).toEqual(['too_many_attempts', 'too_many_attempts']);
  expect(codes.slice(0, 5)).toEqual(Array(5).fill('wrong_code'));
});

test('[R12] a set-up with a wrong code, of somebody else, made up, or used before is refused', async () => {
  const visitor = await testConsole.signIn(name);
  expect(await begin(visitor, 'a wrong password')).toMatchObject({ status: 401, body: { code: 'wrong_password' } });
  const { secret, setup } = (await begin(visitor, PASSWORD)).body as { secret: string; setup: string };
  const confirm = (who: Visitor, text: string, code: string) =>
    who.ask('PUT', '/api/console/session/totp', { setup: text, code });
  const refused = (field: string) => ({ status: 422, body: { code: 'refused', refusals: [{ field }] } });
  expect(await confirm(visitor, setup, app(secret)(5))).toMatchObject(refused('code'));
  expect(await confirm(await testConsole.signIn('vera'), setup, app(secret)())).toMatchObject(refused('setup'));
  expect(await confirm(visitor, 'A'.repeat(200), app(secret)())).toMatchObject(refused('setup'));
  expect((await confirm(visitor, setup, app(secret)())).status).toBe(200);
  const { csrf, cookie } = await (async () => {
    const { body, headers } = await attempt(app(secret)(1));
    return { csrf: (body as { csrf: string }).csrf, cookie: headers.get('set-cookie')!.split(';')[0]! };
  })();
  expect(
    await ask(
      testConsole.url,
      'PUT',
      '/api/console/session/totp',
      { setup, code: app(secret)(1) },
      { cookie, 'x-csrf-token': csrf },
    ),
  ).toMatchObject(refused('setup'));
});

test('an administrator takes them away: the sessions end, and the password alone signs in', async () => {
  const { cookie, recoveryCodes } = await withCodes();
  expect(await resetTotp(testConsole, name)).toEqual({ ok: true });
  expect((await ask(testConsole.url, 'GET', '/api/console/session', undefined, { cookie })).status).toBe(401);
  expect((await attempt()).body).toMatchObject({ name, totp: 'off' });
  expect(await testConsole.ledger.staff.recoveryCodes(name)).toEqual([]);
  expect(recoveryCodes).toHaveLength(10);
  expect(await resetTotp(testConsole, name)).toMatchObject({
    ok: false,
    refusals: [{ field: 'name', reason: `${name} has no one-time codes` }],
  });
});

test('where they are demanded, an operator without them may read and set them up, and nothing else; tokens, too', async () => {
  const demanding = await testConsole.another({ demandTotp: true });
  const issued = await issueToken(testConsole, name, 'nightly');
  if (!issued.ok) throw new Error('no token');
  const block = (headers: Record<string, string>) =>
    ask(demanding.url, 'POST', '/api/console/blocks', { kind: 'user', who: 'bot', reason: 'a test' }, headers);
  const signedIn = async (code?: string) => {
    const { body, headers } = await attempt(code, PASSWORD, demanding.url);
    return {
      totp: (body as { totp: string }).totp,
      headers: { cookie: headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': (body as { csrf: string }).csrf },
    };
  };
  const without = await signedIn();
  expect(without.totp).toBe('needed');
  for (const headers of [without.headers, { authorization: `Bearer ${issued.token}` }]) {
    expect(await block(headers)).toMatchObject({ status: 403, body: { code: 'totp_needed' } });
    expect((await ask(demanding.url, 'GET', '/api/console/rains', undefined, headers)).status).toBe(200);
  }
  const { codeOf } = await withCodes();
  expect((await block((await signedIn(codeOf(1))).headers)).status).toBe(201);
  expect((await block({ authorization: `Bearer ${issued.token}` })).status).toBe(201);
  await demanding.close();
});
