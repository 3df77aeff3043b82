import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';
import { tokenKey } from '../../../src/platform/auth/token.ts';
import { eventually } from '../../support/eventually.ts';

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

test('[R9] the clock of the issuer may be two minutes ahead of ours, for `nbf` as for `iat`', async () => {
  expect(await read(await signed({ nbf: SECONDS + 120, iat: SECONDS + 120 }))).toMatchObject({ subject: 'ann' });
});

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
  ['that is not valid yet', { nbf: SECONDS + 121 }],
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

/** An issuer who answers as a test says, and a reader whose clock the test moves. */
async function openMoodyIssuer() {
  const issued = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'old' }] };
  const good = (response: ServerResponse) => void response.end(JSON.stringify(issued));
  const state: { asked: number; now: number; answer: (response: ServerResponse) => void } = {
    asked: 0,
    now: NOW,
    answer: good,
  };
  const moody = createServer((_, response) => {
    state.asked++;
    state.answer(response);
  });
  await once(moody.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    moody.closeAllConnections();
    moody.close();
  });
  const readMoody = createTokenReader(
    { jwksUrl: `http://127.0.0.1:${(moody.address() as AddressInfo).port}/keys` },
    () => state.now,
  );
  const token = (key: CryptoKey, kid: string) =>
    new SignJWT({ ...CLAIMS, exp: SECONDS + 86_400 }).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
  return { state, good, issued, readMoody, token, old: await token(privateKey, 'old') };
}

const ANN = { subject: 'ann', expiresAt: NOW + 86_400_000 };
const FAILURES: [string, (response: ServerResponse) => void][] = [
  ['503', (response) => void response.writeHead(503).end()],
  ['a cut text', (response) => void response.end('{"keys":')],
  ['a closed connection', (response) => void response.destroy()],
  ['no set of keys', (response) => void response.end('{}')],
];

test.each(FAILURES)(
  'an issuer who answers with %s leaves it open whether a token is good, until asked again',
  async (_, fail) => {
    const { state, good, readMoody, old } = await openMoodyIssuer();
    state.answer = fail;
    expect(await Promise.all([readMoody(old), readMoody(old), readMoody(old)])).toEqual(Array(3).fill('unavailable'));
    expect(state.asked).toBe(1);
    state.answer = good;
    expect(await readMoody(old)).toBe('unavailable');
    expect(state.asked).toBe(1);
    state.now += 2_000;
    expect(await readMoody(old)).toEqual(ANN);
    expect(await readMoody(`${old.slice(0, -9)}AAAAAAAAA`)).toBeUndefined();
  },
);

test('while the issuer is away its last keys hold, for hours, and each pause is longer', async () => {
  const { state, good, readMoody, old } = await openMoodyIssuer();
  expect(await readMoody(old)).toEqual(ANN);
  state.answer = (response) => void response.writeHead(503).end();
  state.now += 10 * 60_000;
  // Ten minutes of a hall that comes back, ten times a second.
  for (let tick = 0; tick < 6_000; tick++) {
    expect(await readMoody(old)).toEqual(ANN);
    state.now += 100;
  }
  expect(state.asked).toBeGreaterThan(5);
  expect(state.asked).toBeLessThan(1 + 30);
  state.now = NOW + 6 * 3_600_000;
  expect(await readMoody(old)).toBe('unavailable');
  state.answer = good;
  state.now += 30_000;
  expect(await readMoody(old)).toEqual(ANN);
});

test('an issuer that keeps its answer back is waited for once', async () => {
  const { state, readMoody, old } = await openMoodyIssuer();
  expect(await readMoody(old)).toEqual(ANN);
  state.answer = () => {};
  state.now += 10 * 60_000;
  expect(await readMoody(old)).toEqual(ANN);
  state.now += 30_000;
  const began = performance.now();
  expect(await readMoody(old)).toEqual(ANN);
  expect(performance.now() - began).toBeLessThan(1_000);
  await eventually(() => expect(state.asked).toBe(3));
});

test('a new key of the issuer is known after a second, and a withdrawn one is refused after ten minutes', async () => {
  const { state, issued, readMoody, token, old } = await openMoodyIssuer();
  expect(await readMoody(old)).toEqual(ANN);
  const next = await generateKeyPair('ES256');
  const fresh = await token(next.privateKey, 'next');
  const early = readMoody(fresh);
  issued.keys.push({ ...(await exportJWK(next.publicKey)), alg: 'ES256', kid: 'next' });
  expect(await early, 'asked within a second of the last answer, it waits for the next one').toEqual(ANN);
  const madeUp = Array.from({ length: 50 }, async (_, n) => readMoody(await token(next.privateKey, `made up ${n}`)));
  expect(new Set(await Promise.all(madeUp))).toEqual(new Set([undefined]));
  expect(state.asked, 'made-up names of keys cost the issuer one request a second').toBe(3);
  issued.keys.shift();
  expect(await readMoody(old)).toEqual(ANN);
  state.now += 10 * 60_000;
  expect(await readMoody(old)).toBeUndefined();
});
