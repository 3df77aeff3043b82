import { SECRET } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../asker.ts';
import { ALL_OPEN, ALL_SHUT, tryDoors } from '../doors.ts';
import type { Attempts, Family } from '../family.ts';
import { claims, HS256, hmac, jwt } from '../jwt.ts';
import { upgradeHead, upgradeStatus } from '../raw.ts';
import type { Scene } from '../scene.ts';

const YEAR_SECONDS = 366 * 24 * 3_600;
const signed = (payload: unknown) => jwt(HS256, payload, hmac(SECRET));
const now = () => Math.floor(Date.now() / 1_000);
/** JSON that JSON.stringify does not write. */
const written = (field: string, value: string) => signed(`{"sub":"ann","exp":${now() + 600},"${field}":${value}}`);

function times(): [string, string][] {
  const changed = (...list: Record<string, unknown>[]) =>
    list.map((change): [string, string] => [
      Object.entries(change)
        .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
        .join(),
      signed(claims(change)),
    ]);
  return [
    ...changed(
      { exp: now() - 1 },
      { exp: 0 },
      { exp: -1 },
      { exp: null },
      { exp: true },
      { exp: String(now() + 600) },
      { exp: [now() + 600] },
      { exp: {} },
      { exp: now() + YEAR_SECONDS + 60 },
      { exp: Number.MAX_SAFE_INTEGER },
    ),
    ['no exp', signed(claims({ exp: undefined }))],
    ['exp 1e400', written('exp', '1e400')],
    ['exp twice, the last one over', written('exp', String(now() - 60))],
    ['exp in milliseconds', signed(claims({ exp: Date.now() + 600_000 }))],
    ...changed(
      { nbf: now() + 300 },
      { nbf: 'now' },
      { nbf: null },
      { nbf: [0] },
      { iat: now() + 300 },
      { iat: String(now()) },
      { iat: {} },
      { iat: Number.MAX_SAFE_INTEGER },
    ),
    ['iat 1e400', written('iat', '1e400')],
    ['nbf 1e400', written('nbf', '1e400')],
  ];
}

function subjects(): [string, string][] {
  const list: unknown[] = [
    null,
    7,
    0,
    true,
    [],
    ['ann'],
    {},
    { toString: 'ann' },
    '',
    'x'.repeat(129),
    'x'.repeat(10_000),
    'ann\nbob',
    'ann\u0000',
    '\u001b[2J',
    'ann\u0085',
    '\u0007',
  ];
  return [
    ['no sub', signed(claims({ sub: undefined }))],
    ['a lone surrogate as sub', signed(`{"exp":${now() + 600},"sub":"\\ud800"}`)],
    ...list.map((sub): [string, string] => [`sub ${JSON.stringify(sub).slice(0, 40)}`, signed(claims({ sub }))]),
    ...(
      ['vip', [7], [''], null, {}, ['x'.repeat(129)], Array.from({ length: 101 }, (_, i) => `r${i}`)] as unknown[]
    ).flatMap((named): [string, string][] => [
      [`rains ${JSON.stringify(named).slice(0, 40)}`, signed(claims({ rains: named }))],
      [`sales ${JSON.stringify(named).slice(0, 40)}`, signed(claims({ sales: named }))],
    ]),
  ];
}

/** Addresses are logged, so a token in one opens nothing. */
async function elsewhere(
  { gateway, console: consoleServer }: Scene,
  attempts: Attempts,
  saleId: string,
  from: string,
): Promise<void> {
  const token = signed(claims());
  for (const name of ['token', 'access_token', 'authorization', 'bearer', 'jwt']) {
    const head = upgradeHead('')
      .replace('GET /v1', `GET /v1?${name}=${token}`)
      .replace(/Authorization: .*\r\n/, '');
    attempts.refused(
      `the token as ?${name}= at the upgrade`,
      await upgradeStatus(gateway.port, '', { from, head }),
      [401, 404],
    );
    attempts.refused(
      `the token as ?${name}= over HTTP`,
      (await ask(gateway.port, `/v1/sales/${saleId}?${name}=${token}`, { from })).status,
      [400, 401],
    );
    attempts.refused(
      `the token as ?${name}= at the wallet`,
      (await ask(consoleServer.port, `/api/me?${name}=${token}`, { from })).status,
      401,
    );
  }
  const headers: Record<string, string>[] = [
    { cookie: `token=${token}; rain_session=${token}; jwt=${token}` },
    { 'x-authorization': `Bearer ${token}` },
    { 'proxy-authorization': `Bearer ${token}` },
    { authorization: token },
    { authorization: `Basic ${Buffer.from(`ann:${token}`).toString('base64')}` },
    { authorization: `Bearer ${token} ${token}` },
  ];
  for (const header of headers) {
    const what = Object.entries(header)
      .map(([name, value]) => `${name}: ${value.slice(0, 10)}…`)
      .join();
    attempts.refused(
      `${what} over HTTP`,
      (await ask(gateway.port, `/v1/sales/${saleId}`, { headers: header, from })).status,
      401,
    );
    attempts.refused(
      `${what} at the wallet`,
      (await ask(consoleServer.port, '/api/me', { headers: header, from })).status,
      401,
    );
  }
}

async function endsWithItsToken(scene: Scene, attempts: Attempts, saleId: string, from: string): Promise<void> {
  const token = signed(claims({ exp: now() + 3 }));
  const read = async () =>
    (await ask(scene.gateway.port, `/v1/sales/${saleId}`, { headers: { authorization: `Bearer ${token}` }, from }))
      .status;
  attempts.control('a token of three seconds', await tryDoors(scene, saleId, token, from), ALL_OPEN);
  const socket = await scene.socket(token, from);
  await socket.next('welcome');
  attempts.refused(
    'stays on a socket when its token has ended',
    await Promise.race([socket.closed, eventually(() => false, { timeoutMs: 15_000 }).catch(() => 'open')]),
    4401,
  );
  attempts.refused('reads on over HTTP with a token that has ended', await read(), 401);
}

export const claimsOfTokens: Family = {
  name: 'times and claims of tokens',
  async attack(scene, attempts) {
    const [from, saleId] = [scene.address(), await scene.sale()];
    const at = (token: string) => tryDoors(scene, saleId, token, from);
    for (const [what, token] of [...times(), ...subjects()]) attempts.refused(what, await at(token), ALL_SHUT);
    await elsewhere(scene, attempts, saleId, from);
    await endsWithItsToken(scene, attempts, saleId, from);
    attempts.control(
      'a token of a year, from a clock that is a minute ahead',
      await at(signed(claims({ iat: now() + 60, exp: now() + YEAR_SECONDS - 60 }))),
      ALL_OPEN,
    );
    attempts.control(
      'a user with a name of 128 letters',
      await at(signed(claims({ sub: '名'.repeat(128) }))),
      ALL_OPEN,
    );
    attempts.control(
      'a token with extra claims',
      await at(signed(claims({ role: 'admin', rains: ['*'], sales: [saleId] }))),
      ALL_OPEN,
    );
  },
};
