import { expect, test } from 'vitest';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { signToken } from '../../src/platform/auth/token.ts';

const SECRET = 'a secret of more than thirty-two characters';
const NOW = Date.UTC(2026, 1, 17);
const DAY_SECONDS = 24 * 3_600;
const read = createTokenReader({ secret: SECRET }, () => NOW);
const signed = (issuedAt: number, expiresInSeconds: number) =>
  signToken(SECRET, { sub: 'ann', expiresInSeconds }, issuedAt);

test('[R9] a token from the future is none; the clock of its issuer may be two minutes ahead', async () => {
  expect(await read(await signed(NOW + 120_000, 3_600))).toEqual({
    subject: 'ann',
    expiresAt: NOW + 120_000 + 3_600_000,
  });
  expect(await read(await signed(NOW + 121_000, 3_600))).toBeUndefined();
});

test('[R9] a token that is valid for more than a year from now is none', async () => {
  expect(await read(await signed(NOW, 366 * DAY_SECONDS))).toMatchObject({ subject: 'ann' });
  expect(await read(await signed(NOW, 366 * DAY_SECONDS + 1))).toBeUndefined();
});

test('[R9] a token says what it is for; one whose claims cannot be read is none, since they might have kept the bearer out', async () => {
  const naming = (named: object) => signToken(SECRET, { sub: 'ann', expiresInSeconds: 3_600, ...named }, NOW);
  expect(await read(await naming({ rains: ['*', 'vip'], sales: [] }))).toEqual({
    subject: 'ann',
    expiresAt: NOW + 3_600_000,
    rains: ['*', 'vip'],
    sales: [],
  });
  for (const rains of ['vip', [7], [''], ['x'.repeat(129)], Array.from({ length: 101 }, (_, i) => `r${i}`), null])
    expect(await read(await naming({ rains })), JSON.stringify(rains)).toBeUndefined();
});

test('[R9] a token has one spelling: padding and free bits of the last letter of its signature make it none', async () => {
  const token = await signed(NOW, 3_600);
  // 32 bytes: the last of 43 letters has four bits and two free ones.
  const spellings = Array.from(
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    (letter) => token.slice(0, -1) + letter,
  );
  const taken = [];
  for (const spelling of [...spellings, `${token}=`, `${token}==`, `${token} `, `${token}\n`])
    if (await read(spelling)) taken.push(spelling);
  expect(taken).toEqual([token]);
});
