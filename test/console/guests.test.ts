import { createSecretKey } from 'node:crypto';
import { decodeJwt, jwtVerify, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { ENTRY_TOKEN_SECONDS } from '../../src/console/entryTokens.ts';
import { createGuestTokens } from '../../src/console/guests.ts';
import { signToken } from '../../src/platform/auth/token.ts';

const SECRET = 'a secret of at least thirty-two characters';
const NOW = Date.UTC(2031, 0, 28, 12, 0, 0, 750);
const HOUR_MS = 3_600_000;

describe('guest tokens', () => {
  test('[R9] a guest token verifies with the secret, names its guest and ends after two hours', async () => {
    const guests = createGuestTokens({ secret: SECRET, issuer: 'demo', audience: 'rain', now: () => NOW });
    const { token, userId, expiresAt } = await guests.issue();
    const { payload, protectedHeader } = await jwtVerify(token, createSecretKey(Buffer.from(SECRET)), {
      issuer: 'demo',
      audience: 'rain',
      algorithms: ['HS256'],
      currentDate: new Date(NOW),
    });
    expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(payload.sub).toBe(userId);
    expect(userId).toMatch(/^guest-[A-Za-z0-9_-]{12}$/);
    expect(payload.exp! - payload.iat!).toBe(ENTRY_TOKEN_SECONDS);
    expect(expiresAt).toBe(payload.exp! * 1000);
  });

  test('[R9] another secret does not verify it', async () => {
    const { token } = await createGuestTokens({ secret: SECRET }).issue();
    await expect(jwtVerify(token, createSecretKey(Buffer.from(`not ${SECRET}`)))).rejects.toThrow(/signature/);
  });

  test('a guest who gives a name has it in the user id, and keeps it; two with one name are two users', async () => {
    const guests = createGuestTokens({ secret: SECRET, now: () => NOW });
    const [anna, other] = [await guests.issue('Anna'), await guests.issue('Anna')];
    expect(anna.userId).toMatch(/^guest-Anna-[\w-]{12}$/);
    expect(other.userId).not.toBe(anna.userId);
    expect((await guests.renew(anna.token))!.userId).toBe(anna.userId);
  });

  test('two guests are two users', async () => {
    const guests = createGuestTokens({ secret: SECRET });
    const ids = await Promise.all(Array.from({ length: 1_000 }, async () => (await guests.issue()).userId));
    expect(new Set(ids).size).toBe(1_000);
  });

  test("a guest with a former token keeps the user id, even some hours after the token's end", async () => {
    let now = NOW;
    const guests = createGuestTokens({ secret: SECRET, now: () => now });
    const first = await guests.issue();
    now += 5 * HOUR_MS;
    const renewed = (await guests.renew(first.token))!;
    expect(renewed.userId).toBe(first.userId);
    expect(renewed.expiresAt).toBe(first.expiresAt + 5 * HOUR_MS);
  });

  test('[R9] a token of another login that is limited stays so when it is renewed', async () => {
    const guests = createGuestTokens({ secret: SECRET, now: () => NOW });
    for (const limits of [{ rains: ['one'] }, { sales: ['tees'], rains: [] }, { watch: true }] as const) {
      const former = await signToken(SECRET, { sub: 'guest-me', expiresInSeconds: 60, ...limits }, NOW);
      const renewed = decodeJwt((await guests.renew(former))!.token);
      expect(renewed).toMatchObject({ sub: 'guest-me', ...limits });
      expect(['rains', 'sales', 'watch'].filter((claim) => claim in renewed)).toEqual(
        ['rains', 'sales', 'watch'].filter((claim) => claim in limits),
      );
    }
  });

  test('[R9][R10] renewals end a week after the first token, however often somebody renews', async () => {
    let now = NOW;
    const guests = createGuestTokens({ secret: SECRET, now: () => now });
    let { token } = await guests.issue('Anna');
    let renewals = 0;
    for (; renewals < 1_000; renewals++) {
      now += HOUR_MS;
      const renewed = await guests.renew(token);
      if (!renewed) break;
      ({ token } = renewed);
    }
    expect(renewals).toBe(7 * 24 - 1);
  });

  test.each([
    ['signed by somebody else', () => signToken(`not ${SECRET}`, { sub: 'guest-me', expiresInSeconds: 60 }, NOW)],
    ['not signed at all', async () => new UnsecuredJWT({}).setSubject('guest-me').setExpirationTime('2h').encode()],
    ['over for two days', () => signToken(SECRET, { sub: 'guest-me', expiresInSeconds: 60 }, NOW - 48 * HOUR_MS)],
    ['of a user who is no guest', () => signToken(SECRET, { sub: 'alice', expiresInSeconds: 60 }, NOW)],
    ['no token', async () => 'guest-me'],
  ])('[R9] a former token that is %s renews nobody', async (_what, former) => {
    expect(await createGuestTokens({ secret: SECRET, now: () => NOW }).renew(await former())).toBeUndefined();
  });

  test('[R9] a token without issuer is not renewed where an issuer is demanded', async () => {
    const former = await signToken(SECRET, { sub: 'guest-me', expiresInSeconds: 60 }, NOW);
    const guests = createGuestTokens({ secret: SECRET, issuer: 'demo', now: () => NOW, random: () => 'new' });
    expect(await guests.renew(former)).toBeUndefined();
    const { token, userId } = await guests.issue();
    expect(userId).toBe('guest-new');
    expect(decodeJwt(token).iss).toBe('demo');
  });
});
