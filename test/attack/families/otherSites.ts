import { SignJWT } from 'jose';
import { listBlocks } from '../../../src/operator/block.ts';
import { ask, type Question } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { claims } from '../jwt.ts';
import { upgradeStatus } from '../raw.ts';
import { STRICT, type Scene, type SignedInAs } from '../scene.ts';

const BLOCKS = '/api/console/blocks';
const WHO = 'blocked-by-another-site';
const BODY = { kind: 'user', who: WHO, reason: 'attack' };

interface Forgery extends Question {
  path?: string;
  status?: number;
}

/** Requests that a page of another site lets an operator's browser send. */
function forgeries(own: string, { cookie, csrf }: SignedInAs, foreign: SignedInAs): [string, Forgery][] {
  const post = (headers: Record<string, string>, more: Forgery = {}): Forgery => ({
    method: 'POST',
    headers: { cookie, ...headers },
    body: BODY,
    ...more,
  });
  const full = { 'x-csrf-token': csrf };
  return [
    ['no token', post({})],
    ['an empty token', post({ 'x-csrf-token': '' })],
    ['a made-up token', post({ 'x-csrf-token': 'a'.repeat(csrf.length) })],
    ['half a token', post({ 'x-csrf-token': csrf.slice(0, -4) })],
    ['the token of another session', post({ 'x-csrf-token': foreign.csrf })],
    ['the cookie of another session under the own token', post({ cookie: foreign.cookie, ...full })],
    ['the session as token', post({ 'x-csrf-token': /rain_session=([^;]*)/.exec(cookie)?.[1] ?? 'none' })],
    ['the token in the body', post({}, { body: { ...BODY, csrf } })],
    ['the token in the address', post({}, { path: `${BLOCKS}?csrf=${csrf}&x-csrf-token=${csrf}` })],
    ['the token in a cookie', post({ cookie: `${cookie}; x-csrf-token=${csrf}; csrf=${csrf}` })],
    ...[
      'https://evil.example',
      'null',
      'http://127.0.0.1',
      `http://127.0.0.1:1`,
      `https://${own}.evil.example`,
      `http://${own}@evil.example`,
      'file://',
      '',
    ].map((origin): [string, Forgery] => [`Origin: ${origin}`, post({ ...full, origin })]),
    ...['cross-site', 'same-site', 'Cross-Site', '', 'unknown'].map((site): [string, Forgery] => [
      `Sec-Fetch-Site: ${site}`,
      post({ ...full, 'sec-fetch-site': site }),
    ]),
    ['another site that names our origin', post({ 'sec-fetch-site': 'cross-site', origin: `http://${own}` })],
    ['a body of plain text', post({ 'content-type': 'text/plain' }, { body: JSON.stringify(BODY) })],
    ['… with the token', post({ ...full, 'content-type': 'text/plain' }, { body: JSON.stringify(BODY), status: 415 })],
    [
      'a form',
      post({ 'content-type': 'application/x-www-form-urlencoded' }, { body: new URLSearchParams(BODY).toString() }),
    ],
    [
      '… with the token',
      post(
        { ...full, 'content-type': 'application/x-www-form-urlencoded' },
        { body: new URLSearchParams(BODY).toString(), status: 415 },
      ),
    ],
    [
      'a form of parts',
      post(
        { ...full, 'content-type': 'multipart/form-data; boundary=a' },
        { body: '--a\r\nContent-Disposition: form-data; name="kind"\r\n\r\nuser\r\n--a--', status: 415 },
      ),
    ],
    ['a type that is none', post({ ...full, 'content-type': 'json' }, { body: JSON.stringify(BODY), status: 415 })],
    ['GET with a body', { method: 'GET', headers: { cookie }, body: BODY, status: 200 }],
    [
      'GET that calls itself POST',
      {
        headers: { cookie, 'x-http-method-override': 'POST', 'x-method-override': 'POST', 'x-http-method': 'POST' },
        status: 200,
      },
    ],
    [
      'GET with _method',
      { headers: { cookie }, path: `${BLOCKS}?_method=POST&kind=user&who=${WHO}&reason=attack`, status: 400 },
    ],
    ['HEAD', { method: 'HEAD', headers: { cookie }, status: 404 }],
    [
      'OPTIONS',
      {
        method: 'OPTIONS',
        headers: { cookie, origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        status: 404,
      },
    ],
    ['signing out', { method: 'DELETE', path: '/api/console/session', headers: { cookie } }],
    [
      'another password',
      {
        method: 'PUT',
        path: '/api/console/session/password',
        headers: { cookie },
        body: { password: 'a', newPassword: 'b' },
      },
    ],
  ];
}

/** A sign-in of another site would make the operator work as somebody else. */
async function signInFromElsewhere(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const { name, password } = scene.staff.viewer;
  const headers: [string, Record<string, string>][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin that can be told', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port', { 'sec-fetch-site': 'same-site' }],
  ];
  for (const [what, header] of headers) {
    const { status, headers: answered } = await ask(scene.console.port, '/api/console/session', {
      method: 'POST',
      headers: header,
      body: { name, password },
      from,
    });
    attempts.refused(
      `signing in from ${what}`,
      `${status} ${answered['set-cookie'] === undefined ? '' : 'with a cookie'}`,
      '403 ',
    );
  }
}

/** No page of another origin may read an answer. */
async function foreignReaders(
  { console: { port }, strict, gateway }: Scene,
  attempts: Attempts,
  from: string,
  cookie: string,
): Promise<void> {
  const allowed = async (
    at: number,
    path: string,
    method: string,
    origin: string,
    more: Record<string, string> = {},
  ) => {
    const { headers } = await ask(at, path, {
      method,
      headers: { origin, 'access-control-request-method': 'GET', ...more },
      from,
    });
    return String(headers['access-control-allow-origin'] ?? headers['access-control-allow-credentials'] ?? 'nothing');
  };
  for (const origin of ['https://evil.example', 'null']) {
    for (const path of [
      '/api/console/rains',
      '/api/console/session',
      '/api/me',
      '/api/config',
      '/api/rains/a/luckiest',
      '/api/console/queues',
    ]) {
      for (const method of ['GET', 'OPTIONS'])
        attempts.refused(
          `${method} ${path} for a page of ${origin}`,
          await allowed(port, path, method, origin, { cookie }),
          'nothing',
        );
    }
    for (const at of [strict.port, gateway.port])
      for (const method of ['GET', 'OPTIONS'])
        attempts.refused(
          `${method} of a gateway for a page of ${origin}`,
          await allowed(at, '/v1/sales/none', method, origin),
          'nothing',
        );
  }
  attempts.control(
    'a page of the allowed origin',
    await allowed(strict.port, '/v1/sales/none', 'OPTIONS', STRICT.origin),
    STRICT.origin,
  );
}

async function foreignSockets({ strict }: Scene, attempts: Attempts, from: string): Promise<void> {
  const token = await new SignJWT(claims({ iss: STRICT.issuer, aud: STRICT.audience }))
    .setProtectedHeader({ alg: 'RS256', kid: strict.kid })
    .sign(strict.privateKey);
  const at = (...lines: string[]) => upgradeStatus(strict.port, token, { from, lines });
  for (const origin of [
    'https://evil.example',
    'null',
    `${STRICT.origin}.evil.example`,
    `${STRICT.origin}:444`,
    STRICT.origin.replace('https', 'http'),
    `${STRICT.origin}/`,
    STRICT.origin.replace('play', 'a.play'),
    `${STRICT.origin},https://evil.example`,
    '*',
  ]) {
    attempts.refused(`a socket from ${origin}`, await at(`Origin: ${origin}`), 403);
  }
  attempts.refused(
    'a socket with two origins, the first of them foreign',
    await at('Origin: https://evil.example', `Origin: ${STRICT.origin}`),
    [400, 403],
  );
  attempts.control('a socket from the allowed origin', await at(`Origin: ${STRICT.origin}`), 101);
  attempts.control('a socket of an app, which has none', await at(), 101);
}

export const otherSites: Family = {
  name: 'other sites',
  async attack(scene, attempts) {
    const {
      console: { port },
    } = scene;
    const from = scene.address();
    const [mine, foreign] = [
      await scene.signIn(await scene.addStaff('csrf-one', 'operator'), from),
      await scene.signIn(await scene.addStaff('csrf-two', 'operator'), from),
    ];
    for (const [what, { path = BLOCKS, status = 403, ...question }] of forgeries(`127.0.0.1:${port}`, mine, foreign)) {
      attempts.refused(what, (await ask(port, path, { ...question, from })).status, status);
    }
    await signInFromElsewhere(scene, attempts, from);
    await foreignReaders(scene, attempts, from, mine.cookie);
    await foreignSockets(scene, attempts, from);
    attempts.refused(
      'blocked by another site',
      (await listBlocks(scene.context)).filter(({ who }) => who === WHO).length,
      0,
    );
    const honest = await ask(port, BLOCKS, {
      method: 'POST',
      headers: {
        cookie: mine.cookie,
        'x-csrf-token': mine.csrf,
        origin: `http://127.0.0.1:${port}`,
        'sec-fetch-site': 'same-origin',
      },
      body: BODY,
      from,
    });
    attempts.control('the operator blocks by the own page', honest.status, 201);
  },
};
