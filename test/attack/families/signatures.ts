import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { SECRET } from '../../support/client.ts';
import { ALL_OPEN, ALL_SHUT, tryDoors, tryGateway } from '../doors.ts';
import type { Attempts, Family } from '../family.ts';
import { claims, HS256, hmac, jwt } from '../jwt.ts';
import { STRICT, type Scene } from '../scene.ts';

const none = () => '';

/** Tokens for the doors that know a secret. */
function forgeries(): [string, string][] {
  const good = jwt(HS256, claims(), hmac(SECRET));
  const [head, body, mac] = good.split('.') as [string, string, string];
  const bob = Buffer.from(JSON.stringify(claims({ sub: 'bob' }))).toString('base64url');
  return [
    ...['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg): [string, string][] => [
      [`alg "${alg}" without a signature`, jwt({ alg, typ: 'JWT' }, claims(), none)],
      [`alg "${alg}" signed with the secret`, jwt({ alg, typ: 'JWT' }, claims(), hmac(SECRET))],
    ]),
    ...['HS384', 'HS512', 'HS257', 'RS256', 'ES256', 'dir', 'A128KW', 'hs256', 'HS256 ', '__proto__'].map(
      (alg): [string, string] => [
        `alg ${alg} over HMAC with the secret`,
        jwt({ alg }, claims(), hmac(SECRET, alg === 'HS384' ? 'sha384' : alg === 'HS512' ? 'sha512' : 'sha256')),
      ],
    ),
    ...[undefined, null, 256, ['HS256'], { toString: 'HS256' }].map((alg): [string, string] => [
      `alg ${JSON.stringify(alg)}`,
      jwt({ alg }, claims(), hmac(SECRET)),
    ]),
    ['alg twice, none first', jwt('{"alg":"none","alg":"HS256"}', claims(), none)],
    ['alg twice, none last', jwt('{"alg":"HS256","alg":"none"}', claims(), hmac(SECRET))],
    [
      'kid with a path to an empty file, signed with nothing',
      jwt({ ...HS256, kid: '../../../../../dev/null' }, claims(), hmac('')),
    ],
    ['kid with SQL, signed with its result', jwt({ ...HS256, kid: "x' UNION SELECT 'a'--" }, claims(), hmac('a'))],
    ['kid with a command', jwt({ ...HS256, kid: '|touch /tmp/attacked' }, claims(), hmac('a'))],
    ['an unknown critical header', jwt({ ...HS256, crit: ['evil'], evil: true }, claims(), hmac(SECRET))],
    [
      'a payload that is not encoded',
      `${Buffer.from(JSON.stringify({ ...HS256, b64: false, crit: ['b64'] })).toString('base64url')}.${JSON.stringify(claims()).replaceAll('.', '')}.${mac}`,
    ],
    ['an empty signature', `${head}.${body}.`],
    ['no signature', `${head}.${body}`],
    ['only a head', head],
    ['dots', '..'],
    ['five parts', `${good}.a.b`],
    ['half a signature', `${head}.${body}.${mac.slice(0, 21)}`],
    ['one byte of a signature', `${head}.${body}.${mac.slice(0, 2)}`],
    ['a signature and more', `${head}.${body}.${mac}AAAA`],
    ['a changed signature', `${head}.${body}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`],
    ['another user under a good signature', `${head}.${bob}.${mac}`],
    ['signed with another secret', jwt(HS256, claims(), hmac('another-secret-for-tests-only-0123456789abc'))],
    ['signed with the secret and a line end', jwt(HS256, claims(), hmac(`${SECRET}\n`))],
    ['signed with an empty secret', jwt(HS256, claims(), hmac(''))],
    ['signed with the hash of nothing', jwt(HS256, claims(), hmac(Buffer.alloc(32)))],
    ['signed with "undefined"', jwt(HS256, claims(), hmac('undefined'))],
    ['a payload that is no JSON', jwt(HS256, 'sub=ann', hmac(SECRET))],
    ['a payload that is a list', jwt(HS256, '["ann"]', hmac(SECRET))],
    ['a payload that is null', jwt(HS256, 'null', hmac(SECRET))],
  ];
}

/** Keys that the token itself brings, or tells where to fetch. */
async function ownKeys({ refused }: Pick<Attempts, 'refused'>, at: (token: string) => Promise<string>): Promise<void> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = await exportJWK(publicKey);
  let fetched = 0;
  const keys = createServer((_request, response) => {
    fetched++;
    response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'mine', alg: 'RS256' }] }));
  });
  await once(keys.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
  try {
    for (const header of [{ jwk }, { jku: url, kid: 'mine' }, { x5u: url }, { kid: url }]) {
      refused(
        `RS256 with a key of its own as ${Object.keys(header)[0]}`,
        await at(await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey)),
        /^401( 401)+$/,
      );
    }
    refused('asks for the keys that a token names', fetched, 0);
  } finally {
    keys.close();
  }
}

/** The doors that know a public key. */
async function strictDoor(scene: Scene, saleId: string, attempts: Attempts): Promise<void> {
  const { strict } = scene;
  const from = scene.address();
  const at = async (token: string) => (await tryGateway(strict.port, saleId, token, from)).join(' ');
  const good = { iss: STRICT.issuer, aud: STRICT.audience };
  const sign = (changed: Record<string, unknown>, header: Record<string, string> = {}, key = strict.privateKey) =>
    new SignJWT(claims({ ...good, ...changed }))
      .setProtectedHeader({ alg: 'RS256', kid: strict.kid, ...header })
      .sign(key);
  attempts.control('a token of the identity provider', await at(await sign({})), '101 200');
  attempts.control('one for several audiences', await at(await sign({ aud: ['other', STRICT.audience] })), '101 200');
  const { privateKey: other } = await generateKeyPair('RS256');
  const pem = strict.publicPem;
  const confused = (key: string) => jwt({ alg: 'HS256', kid: strict.kid }, claims(good), hmac(key));
  const tokens: [string, string][] = [
    ['HS256 with the public key as text', confused(pem)],
    ['… without its last line end', confused(pem.trimEnd())],
    ['… and with one', confused(`${pem.trimEnd()}\n`)],
    [
      '… as bytes',
      jwt(
        { alg: 'HS256', kid: strict.kid },
        claims(good),
        hmac(Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')),
      ),
    ],
    ['HS256 with the secret of the other gateway', jwt({ alg: 'HS256', kid: strict.kid }, claims(good), hmac(SECRET))],
    ['alg none', jwt({ alg: 'none', kid: strict.kid }, claims(good), none)],
    ['RS256 of another key under its name', await sign({}, {}, other)],
    ['RS256 under another name', await sign({}, { kid: 'key-2' })],
    ['… with a path for a name', await sign({}, { kid: '../key-1' })],
    ['no issuer', await sign({ iss: undefined })],
    ['another issuer', await sign({ iss: 'https://issuer.example.evil.example' })],
    ['the issuer with a slash', await sign({ iss: `${STRICT.issuer}/` })],
    ['the issuer in a list', await sign({ iss: [STRICT.issuer] })],
    ['no audience', await sign({ aud: undefined })],
    ['another audience', await sign({ aud: 'red-packet-rain-admin' })],
    ['an empty list of audiences', await sign({ aud: [] })],
    ['the audience in an object', await sign({ aud: { 0: STRICT.audience } })],
  ];
  for (const [what, token] of tokens)
    attempts.refused(`at a gateway with public keys: ${what}`, await at(token), '401 401');
  await ownKeys(
    { refused: (what, ...rest) => attempts.refused(`at a gateway with public keys: ${what}`, ...rest) },
    at,
  );
  attempts.refused(
    'its token at the doors that know a secret',
    await tryDoors(scene, saleId, await sign({}), from),
    ALL_SHUT,
  );
}

export const signatures: Family = {
  name: 'signatures of tokens',
  async attack(scene, attempts) {
    const [from, saleId] = [scene.address(), await scene.sale()];
    const at = (token: string) => tryDoors(scene, saleId, token, from);
    for (const [what, token] of forgeries()) attempts.refused(what, await at(token), ALL_SHUT);
    await ownKeys({ refused: (...noted) => attempts.refused(...noted) }, at);
    await strictDoor(scene, saleId, attempts);
    attempts.control('a token signed with the secret', await at(jwt(HS256, claims(), hmac(SECRET))), ALL_OPEN);
    attempts.control(
      'one with a kid that nobody knows',
      await at(jwt({ ...HS256, kid: 'a' }, claims(), hmac(SECRET))),
      ALL_OPEN,
    );
  },
};
