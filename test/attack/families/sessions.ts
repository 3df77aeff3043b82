import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { changePassword, changeRole, disableOperator } from '../../../src/operator/staff/staff.ts';
import { sessionKey } from '../../../src/store/keys.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import type { Scene, SignedInAs, Staff } from '../scene.ts';

const SESSION = '/api/console/session';
const NEW_PASSWORD = 'quartz lantern marmalade 71';
const STEP_MS = 30_000;

interface Visitor {
  scene: Scene;
  from: string;
  attempts: Attempts;
  /** The status of reading the own session with this cookie. */
  read(cookie: string): Promise<number>;
  withToken(token: string): Promise<number>;
  change(method: string, path: string, who: SignedInAs, body?: unknown): ReturnType<typeof ask>;
}

function openVisitor(scene: Scene, attempts: Attempts): Visitor {
  const [from, { port }] = [scene.address(), scene.console];
  return {
    scene,
    from,
    attempts,
    read: async (cookie) => (await ask(port, SESSION, { headers: { cookie }, from })).status,
    withToken: async (token) =>
      (await ask(port, SESSION, { headers: { authorization: `Bearer ${token}` }, from })).status,
    change: (method, path, { cookie, csrf }, body) =>
      ask(port, path, { method, headers: { cookie, 'x-csrf-token': csrf }, ...(body !== undefined && { body }), from }),
  };
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const sessionOf = (cookie: string): string => /rain_session=([^;]*)/.exec(cookie)?.[1] ?? '';

/** A session that somebody has put into the browser beforehand. */
async function fixation({ scene, from, attempts, read }: Visitor): Promise<void> {
  const { name, password } = await scene.addStaff('session-fixed', 'operator');
  const planted = randomBytes(32).toString('base64url');
  for (const cookie of [
    `rain_session=${planted}`,
    `rain_session=${planted}; rain_session=${planted}`,
    `__Host-rain_session=${planted}`,
    `rain_session=`,
    `rain_session=${'x'.repeat(4_000)}`,
    'rain_session[]=a',
    'rain_session=%00',
    'rain_session="a"',
    `RAIN_SESSION=${planted}`,
    'rain_session=__proto__',
  ]) {
    attempts.refused(`the planted cookie ${cookie.slice(0, 40)}`, await read(cookie), 401);
  }
  const signedIn = await ask(scene.console.port, SESSION, {
    method: 'POST',
    headers: { cookie: `rain_session=${planted}` },
    body: { name, password },
    from,
  });
  const lines = signedIn.headers['set-cookie'] ?? [];
  attempts.control('signs in with a planted cookie in the browser', signedIn.status, 200);
  attempts.refused('the planted session, after the sign-in', await read(`rain_session=${planted}`), 401);
  const given = lines.find((line) => line.startsWith('rain_session='))!;
  attempts.refused('a session that is the planted one', given.includes(planted), false);
  attempts.refused('a cookie that scripts and other sites have', given, /HttpOnly;.*SameSite=Strict/);
  attempts.control('the session that was given', await read(given.split(';')[0]!), 200);
  attempts.refused(
    'the given session under the name of a secure one',
    await read(given.replace('rain_session', '__Host-rain_session').split(';')[0]!),
    401,
  );
  attempts.refused(
    'its hash as a session',
    await read(`rain_session=${Buffer.from(sessionOf(given)).toString('hex').slice(0, 43)}`),
    401,
  );
  const { redis } = scene.context;
  const key = sessionKey(hashOf(sessionOf(given)));
  const stored = await redis.get(key);
  attempts.control('the session is kept in Redis under its hash', stored !== null, true);
  attempts.refused(
    'a session that can be read in Redis',
    (await redis.keys('*')).join(' ').includes(sessionOf(given)) || stored!.includes(sessionOf(given)),
    false,
  );
  // Somebody who writes to Redis copies the session under a token that they know.
  const forged = randomBytes(32).toString('base64url');
  await redis.set(sessionKey(hashOf(forged)), stored!);
  attempts.refused('a session that was copied in Redis', await read(`rain_session=${forged}`), 401);
}

/** The end of a session, by any way, ends it on the server. */
async function ended({ scene, from, attempts, read, withToken, change }: Visitor): Promise<void> {
  const { context } = scene;
  const someone = async (name: string): Promise<[Staff, SignedInAs]> => {
    const staff = await scene.addStaff(name, 'operator');
    return [staff, await scene.signIn(staff, from)];
  };
  const [, out] = await someone('session-out');
  attempts.control('signs out', (await change('DELETE', SESSION, out)).status, 204);
  attempts.refused('the session after signing out', await read(out.cookie), 401);

  const [changing, first] = await someone('session-changing');
  const second = await scene.signIn(changing, from);
  const changed = await change('PUT', `${SESSION}/password`, second, {
    password: changing.password,
    newPassword: NEW_PASSWORD,
  });
  attempts.control('another password', changed.status, 200);
  attempts.refused('the other session after it', await read(first.cookie), 401);
  attempts.refused('its own former session after it', await read(second.cookie), 401);
  attempts.refused('a token from before it', await withToken(changing.token), 401);
  attempts.refused(
    'another password without the present one',
    (
      await change(
        'PUT',
        `${SESSION}/password`,
        {
          cookie: (changed.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; '),
          csrf: String(changed.json!['csrf']),
        },
        { password: 'a guess', newPassword: `${NEW_PASSWORD} 2` },
      )
    ).status,
    401,
  );

  const [forgotten, third] = await someone('session-forgotten');
  await changePassword(context, forgotten.name, NEW_PASSWORD);
  attempts.refused('a session after somebody has reset the password', await read(third.cookie), 401);
  attempts.refused('a token after somebody has reset the password', await withToken(forgotten.token), 401);
  const [promoted, fourth] = await someone('session-promoted');
  await changeRole(context, promoted.name, 'viewer');
  attempts.refused('a session from before another role', await read(fourth.cookie), 401);
  const [gone, fifth] = await someone('session-gone');
  await disableOperator(context, gone.name);
  attempts.refused('a session of a disabled account', await read(fifth.cookie), 401);
  attempts.refused('a token of a disabled account', await withToken(gone.token), 401);
  attempts.refused(
    'a sign-in of a disabled account',
    (
      await ask(scene.console.port, SESSION, {
        method: 'POST',
        body: { name: gone.name, password: gone.password },
        from,
      })
    ).status,
    401,
  );
}

/** Sessions and tokens are ended one by one, each by its own operator. */
async function listed({ scene, from, attempts, read, withToken, change }: Visitor): Promise<void> {
  const [mine, other] = [
    await scene.addStaff('session-mine', 'operator'),
    await scene.addStaff('session-other', 'operator'),
  ];
  const [me, they] = [await scene.signIn(mine, from), await scene.signIn(other, from)];
  const list = async ({ cookie }: SignedInAs) =>
    (await ask(scene.console.port, '/api/console/sessions', { headers: { cookie }, from })).json!['sessions'] as {
      id: string;
      kind: string;
    }[];
  const [own, foreign] = [await list(me), await list(they)];
  for (const { id, kind } of foreign)
    attempts.refused(
      `ends the ${kind} of another operator`,
      (await change('DELETE', `/api/console/sessions/${id}`, me)).status,
      404,
    );
  for (const id of ['*', '%2a', '../session', '0'.repeat(16), '', '0'.repeat(64)])
    attempts.refused(
      `ends the session ${id}`,
      (await change('DELETE', `/api/console/sessions/${id}`, me)).status,
      [400, 404],
    );
  attempts.control('the session of the other operator goes on', await read(they.cookie), 200);
  attempts.control('… and the token', await withToken(other.token), 200);
  attempts.refused('sees sessions of others', own.filter(({ id }) => foreign.some((one) => one.id === id)).length, 0);
  const token = own.find(({ kind }) => kind === 'token')!;
  attempts.control(
    'ends a token of its own',
    (await change('DELETE', `/api/console/sessions/${token.id}`, me)).status,
    204,
  );
  attempts.refused('a token that was ended', await withToken(mine.token), 401);
  attempts.refused(
    'a token that has changed its own password',
    (
      await ask(scene.console.port, `${SESSION}/password`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${other.token}` },
        body: { password: other.password, newPassword: NEW_PASSWORD },
        from,
      })
    ).status,
    401,
  );
}

async function oneTimeCodes({ scene, from, attempts, change }: Visitor): Promise<void> {
  const staff = await scene.addStaff('session-codes', 'operator');
  const session = await scene.signIn(staff, from);
  const begun = (await change('POST', `${SESSION}/totp`, session, { password: staff.password })).json!;
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun['secret'])) });
  const now = Date.now();
  const code = (steps: number) => totp.generate({ timestamp: now + steps * STEP_MS });
  attempts.refused(
    'confirms with a made-up code',
    (await change('PUT', `${SESSION}/totp`, session, { setup: begun['setup'], code: '000000' })).status,
    422,
  );
  const confirmed = await change('PUT', `${SESSION}/totp`, session, { setup: begun['setup'], code: code(0) });
  attempts.control('confirms with the code of the app', confirmed.status, 200);
  // Each from an address of its own: what is tried is the code, not the limit of guesses.
  const attempt = async (given?: string) =>
    (
      await ask(scene.console.port, SESSION, {
        method: 'POST',
        body: { name: staff.name, password: staff.password, ...(given !== undefined && { code: given }) },
        from: scene.address(),
      })
    ).status;
  attempts.refused('signs in without a code', await attempt(), 403);
  attempts.refused('with an empty code', await attempt(''), 403);
  for (const [what, given] of [
    ['the code that has confirmed', code(0)],
    ['the code before', code(-1)],
    ['a code of five minutes ago', code(-10)],
    ['a code of five minutes ahead', code(10)],
    ['half a code', code(1).slice(0, 3)],
    ['two codes', code(1) + code(1)],
  ] as const)
    attempts.refused(`signs in with ${what}`, await attempt(given), 401);
  attempts.refused(
    'with one code twice, at once',
    (await Promise.all([attempt(code(1)), attempt(code(1))])).sort().join(' '),
    '200 401',
  );
  attempts.refused('with that code once more', await attempt(code(1)), 401);
  const [recovery] = confirmed.json!['recoveryCodes'] as string[];
  attempts.control('with a recovery code', await attempt(recovery), 200);
  attempts.refused('with that recovery code once more', await attempt(recovery), 401);
}

export const sessions: Family = {
  name: 'sessions',
  async attack(scene, attempts) {
    for (const part of [fixation, ended, listed, oneTimeCodes]) await part(openVisitor(scene, attempts));
  },
};
