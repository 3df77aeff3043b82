import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeOwnPassword, disableOperator, issueToken } from '../../../src/operator/staff/staff.ts';
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
});

interface Listed {
  id: string;
  kind: string;
  current: boolean;
  address?: string;
  device: string;
  lastUsedAt?: string;
}
const listed = async (visitor: Pick<Visitor, 'ask'>) =>
  ((await visitor.ask('GET', '/api/console/sessions')).body as { sessions: Listed[] }).sessions;
const isIn = async (visitor: Visitor) => (await visitor.ask('GET', '/api/console/session')).status === 200;

async function token(label: string): Promise<{ authorization: string }> {
  const issued = await issueToken(testConsole, name, label);
  if (!issued.ok) throw new Error('no token');
  return { authorization: `Bearer ${issued.token}` };
}

test('sessions and tokens are listed with their device, address and last use; nobody sees those of others', async () => {
  const [first, second] = [await testConsole.signIn(name), await testConsole.signIn(name)];
  const script = await token('nightly report');
  expect((await listed(first)).find(({ kind }) => kind === 'token')).toEqual(
    expect.not.objectContaining({ lastUsedAt: expect.anything() as unknown }),
  );
  await ask(testConsole.url, 'GET', '/api/console/session', undefined, script);
  const sessions = await listed(first);
  expect(sessions.map(({ kind, current, address, device }) => ({ kind, current, address, device }))).toEqual([
    { kind: 'session', current: true, address: '127.0.0.1', device: 'node' },
    { kind: 'session', current: false, address: '127.0.0.1', device: 'node' },
    { kind: 'token', current: false, address: '127.0.0.1', device: 'nightly report' },
  ]);
  for (const { id, lastUsedAt } of sessions)
    expect([id, lastUsedAt]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/Z$/)]);
  expect((await listed(second)).map(({ current }) => current)).toEqual([true, false, false]);
  expect(await listed(await testConsole.signIn('vera'))).toHaveLength(1);
});

test('each can be ended by its operator, at once, and by nobody else', async () => {
  const [first, second] = [await testConsole.signIn(name), await testConsole.signIn(name)];
  const script = await token('nightly');
  const [other, own] = [(await listed(first)).filter(({ current }) => !current), await testConsole.signIn('vera')];
  for (const { id } of other) {
    expect(await own.ask('DELETE', `/api/console/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'no_such_session' },
    });
    expect((await first.ask('DELETE', `/api/console/sessions/${id}`)).status).toBe(204);
    expect(await first.ask('DELETE', `/api/console/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'no_such_session' },
    });
  }
  expect([await isIn(first), await isIn(second), await isIn(own)]).toEqual([true, false, true]);
  expect(await ask(testConsole.url, 'GET', '/api/console/session', undefined, script)).toMatchObject({
    status: 401,
    body: { code: 'token_ended' },
  });
  expect((await testConsole.ledger.latestActions({ limit: 2 })).map(({ actor, verb }) => [actor, verb])).toEqual(
    Array(2).fill([`console:${name}`, 'operator_end']),
  );
});

test('[R10] the twenty-first session ends the one that was used least recently', async () => {
  const visitors: Visitor[] = [];
  for (let n = 0; n < 20; n++) visitors.push(await testConsole.signIn(name));
  expect(await isIn(visitors[0]!)).toBe(true);
  visitors.push(await testConsole.signIn(name));
  expect(await listed(visitors[0]!)).toHaveLength(20);
  expect([await isIn(visitors[0]!), await isIn(visitors[1]!), await isIn(visitors[20]!)]).toEqual([true, false, true]);
});

test('a new password asks for the present one, ends the other sessions and the tokens, and this browser goes on', async () => {
  const [first, second] = [await testConsole.signIn(name), await testConsole.signIn(name)];
  const script = await token('nightly');
  const change = (password: string, newPassword: string) =>
    first.ask('PUT', '/api/console/session/password', { password, newPassword });
  expect(await change('a wrong password', 'another long password')).toMatchObject({
    status: 401,
    body: { code: 'wrong_password' },
  });
  expect(await change(PASSWORD, 'Password2024!')).toMatchObject({
    status: 422,
    body: { refusals: [{ field: 'newPassword' }] },
  });
  expect([await isIn(first), await isIn(second)]).toEqual([true, true]);
  const changed = await change(PASSWORD, 'another long password');
  expect(changed).toMatchObject({ status: 200, body: { name } });
  expect([await isIn(first), await isIn(second)]).toEqual([false, false]);
  expect((await ask(testConsole.url, 'GET', '/api/console/session', undefined, script)).status).toBe(401);
  const cookie = changed.headers.get('set-cookie')!.split(';')[0]!;
  expect((await ask(testConsole.url, 'GET', '/api/console/session', undefined, { cookie })).status).toBe(200);
  expect((await ask(testConsole.url, 'POST', '/api/console/session', { name, password: PASSWORD })).status).toBe(401);
});

test('a password change that was begun before the account was disabled does not enable it', async () => {
  const before = (await testConsole.ledger.staff.operator(name))!;
  await disableOperator(testConsole, name);
  expect(await changeOwnPassword(testConsole, before, 'another long password')).toMatchObject({
    ok: false,
    refusals: [{ field: 'name' }],
  });
  expect(await testConsole.ledger.staff.operator(name)).toMatchObject({
    disabledAt: expect.any(Number) as number,
    passwordHash: before.passwordHash,
  });
});

test('a token changes no password and sets up no codes', async () => {
  const script = await token('nightly');
  for (const [method, path, body] of [
    ['PUT', 'password', { password: PASSWORD, newPassword: 'another long password' }],
    ['POST', 'totp', { password: PASSWORD }],
    ['PUT', 'totp', { setup: 'x', code: '123456' }],
  ] as const) {
    expect(await ask(testConsole.url, method, `/api/console/session/${path}`, body, script)).toMatchObject({
      status: 401,
      body: { code: 'no_session' },
    });
  }
});
