import { jwtVerify } from 'jose';
import { z } from 'zod';
import { createHs256Reader, decodeCanonical, readObject } from './hs256.ts';
import { createPublicKeys, KeysUnavailableError } from './publicKeys.ts';
import { NAMED_MAX } from './token.ts';

export interface TokenRules {
  /** Shared secret for HS256; either this or `jwksUrl`. */
  secret?: string | undefined;
  /** Address where the issuer publishes its public keys. */
  jwksUrl?: string | undefined;
  issuer?: string | undefined;
  audience?: string | undefined;
  /** How long after its end a token is still read, to be renewed; default: not at all. */
  expiredSecondsMax?: number;
}

/** How far the issuer's clock may be ahead of ours, for `iat` and `nbf`, and how long a token may be valid from now on. */
const FUTURE_SECONDS_MAX = 120;
const LIFE_SECONDS_MAX = 366 * 24 * 3_600;

const names = z.array(z.string().min(1).max(128)).max(NAMED_MAX).optional();
/** A claim that cannot be read might have kept the bearer out, so it makes the token none. The times are seconds. */
const claims = z.object({
  sub: z.string(),
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
  iss: z.unknown().optional(),
  aud: z.unknown().optional(),
  /** The scope of the token, where it has one. */
  rains: names,
  sales: names,
  watch: z.literal(true).optional(),
});
type Claims = z.infer<typeof claims>;

interface Bearer extends Pick<Claims, 'rains' | 'sales' | 'watch'> {
  subject: string;
  /** Epoch ms. */
  expiresAt: number;
}

/**
 * The bearer of a token; `undefined` for a text that is no verified, unexpired token; `unavailable` while the issuer
 * does not send the keys that would tell.
 */
export type ReadToken = (token: string) => Promise<Bearer | 'unavailable' | undefined>;

/**
 * We choose the algorithm, never the token: HS256 with a secret, public-key signatures with a JWKS. The two are never
 * mixed.
 */
export function createTokenReader(rules: TokenRules, now: () => number): ReadToken {
  const { secret, jwksUrl } = rules;
  if (jwksUrl !== undefined) {
    const read = createJwksReader(jwksUrl, now);
    return async (token) => {
      const payload = await read(token);
      return payload === 'unavailable' ? payload : bearerOf(payload, rules, now());
    };
  }
  if (!secret) throw new TypeError('a verifier needs a secret or a JWKS address');
  const read = createHs256Reader(secret);
  return async (token) => bearerOf(read(token), rules, now());
}

/** Only one spelling of a signature is taken, as with a secret. */
function createJwksReader(jwksUrl: string, now: () => number): (token: string) => Promise<unknown> {
  const publicKeys = createPublicKeys(jwksUrl, now);
  return async (token) => {
    const [head, payload, signature, ...more] = token.split('.');
    if (!readObject(head!) || !readObject(payload ?? '') || more.length > 0) return undefined;
    if (!decodeCanonical(signature ?? '')) return undefined;
    try {
      const verified = await jwtVerify(token, publicKeys, {
        currentDate: new Date(now()),
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
        clockTolerance: FUTURE_SECONDS_MAX,
      });
      return verified.payload;
    } catch (error) {
      return error instanceof KeysUnavailableError ? 'unavailable' : undefined;
    }
  };
}

/** The bearer, if the claims of a verified token are for us and for this moment. @param now epoch ms */
function bearerOf(
  payload: unknown,
  { issuer, audience, expiredSecondsMax = 0 }: TokenRules,
  now: number,
): Bearer | undefined {
  const read = claims.safeParse(payload);
  if (!read.success) return undefined;
  const { sub, exp, iss, aud, rains, sales, watch } = read.data;
  if (issuer !== undefined && iss !== issuer) return undefined;
  if (audience !== undefined && aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) return undefined;
  return isNow({ ...read.data, exp: exp + expiredSecondsMax }, now / 1_000)
    ? { subject: sub, expiresAt: exp * 1_000, rains, sales, watch }
    : undefined;
}

/** Says what must be true and not what must not: a clock that is not known makes each of these false. */
function isNow({ exp, nbf = -Infinity, iat = 0 }: Pick<Claims, 'exp' | 'nbf' | 'iat'>, seconds: number): boolean {
  const begun = Math.floor(seconds);
  // A token from the future is a mistake of the issuer's, and one without an end in sight cannot be withdrawn.
  return (
    nbf <= begun + FUTURE_SECONDS_MAX &&
    exp > begun &&
    iat <= seconds + FUTURE_SECONDS_MAX &&
    exp <= seconds + LIFE_SECONDS_MAX
  );
}
