import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';
import { tokenKey } from '../../../src/platform/auth/token.ts';

const NOW = Date.UTC(2026, 1, 17);
const SECONDS = NOW / 1_000;
const { publicKey, privateKey } = await generateKeyPair('ES256');
const issuer = createServer(
  (_, response) =>
    void exportJWK(publicKey).then((key) => response.end(JSON.stringify({ keys: [{ ...key, alg: 'ES256' }] }))),
);
await once(issuer.listen(0, '127.0.0.1'), 'listening');
afterAll(() => issuer.close());
const jwksUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`;
const read = createTokenReader({ jwksUrl, issuer: 'https://idp.example', audience: 'rain' }, () => NOW);

const CLAIMS: JWTPayload = { sub: 'ann', iat: SECONDS, exp: SECONDS + 60, iss: 'https://idp.example', aud: 'rain' };
const signed = (changed: Record<string, unknown> = {}) =>
  new SignJWT({ ...CLAIMS, ...changed }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);

test('[R9] a token under a public key of the issuer is read, for one audience or several', async () => {
  expect(await read(await signed())).toEqual({ subject: 'ann', expiresAt: NOW + 60_000 });
  expect(await read(await signed({ aud: ['shop', 'rain'], rains: ['vip'] }))).toEqual({
    subject: 'ann',
    expiresAt: NOW + 60_000,
    rains: ['vip'],
  });
});

test.each<[string, Record<string, unknown>]>([
  ['of another issuer', { iss: 'https://other.example' }],
  ['of no issuer', { iss: undefined }],
  ['for others', { aud: ['shop'] }],
  ['for nobody', { aud: undefined }],
  ['without a subject', { sub: undefined }],
  ['without an end', { exp: undefined }],
  ['that has expired', { exp: SECONDS }],
  ['that is not valid yet', { nbf: SECONDS + 1 }],
  ['from the future', { iat: SECONDS + 121 }],
  ['that is valid for more than a year', { exp: SECONDS + 366 * 24 * 3_600 + 1 }],
  ['whose rains cannot be read', { rains: 'vip' }],
])('[R9] a token %s is none, also under a public key', async (_, changed) => {
  expect(await read(await signed(changed))).toBeUndefined();
});

test('[R9] a public key is no secret: a token in HS256 under its text is none, and a signature has one spelling', async () => {
  const forged = await new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(tokenKey(await exportSPKI(publicKey)));
  expect(await read(forged)).toBeUndefined();
  expect(await read(`${await signed()}==`)).toBeUndefined();
});

test('a token is read as soon as the issuer can be asked again, whatever its first answer was', async () => {
  const answers = [
    (response: ServerResponse) => void response.writeHead(503).end(),
    (response: ServerResponse) => void response.end('{"keys":'),
    (response: ServerResponse) => void response.destroy(),
    (response: ServerResponse) =>
      void exportJWK(publicKey).then((key) => response.end(JSON.stringify({ keys: [{ ...key, alg: 'ES256' }] }))),
  ];
  const moody = createServer((_, response) => (answers.length > 1 ? answers.shift()! : answers[0]!)(response));
  await once(moody.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void moody.close());
  const readFromMoody = createTokenReader(
    { jwksUrl: `http://127.0.0.1:${(moody.address() as AddressInfo).port}/keys` },
    () => NOW,
  );
  const token = await signed();
  const first = [await readFromMoody(token), await readFromMoody(token), await readFromMoody(token)];
  expect([...first, await readFromMoody(token)]).toEqual([
    undefined,
    undefined,
    undefined,
    { subject: 'ann', expiresAt: NOW + 60_000 },
  ]);
});
