import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { NAMED_MAX, TOKEN_ALGORITHM, tokenKey } from './token.ts';

export interface TokenRules {
  /** Shared secret for HS256; either this or `jwksUrl`. */
  secret?: string | undefined;
  /** Address where the issuer publishes its public keys. */
  jwksUrl?: string | undefined;
  issuer?: string | undefined;
  audience?: string | undefined;
}

/** How long the issuer may take to send its public keys, ms. */
const JWKS_ANSWER_MS_MAX = 3_000;

/** How far the issuer's clock may be ahead of ours, and how long a token may be valid from now on. */
const FUTURE_SECONDS_MAX = 120;
const LIFE_SECONDS_MAX = 366 * 24 * 3_600;

const names = z.array(z.string().min(1).max(128)).max(NAMED_MAX).optional();
/** What the token is for, where it says so. */
const named = z.object({ rains: names, sales: names });

interface Bearer extends z.infer<typeof named> {
  subject: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** The bearer of a token; `undefined` for a text that is no verified, unexpired token. */
export type ReadToken = (token: string) => Promise<Bearer | undefined>;

/** We choose the algorithm, never the token: HS256 with a secret, public-key signatures with a JWKS. The two are never mixed. */
export function createTokenReader({ secret, jwksUrl, issuer, audience }: TokenRules, now: () => number): ReadToken {
  const claims = { requiredClaims: ['sub', 'exp'], ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };
  const sharedKey = secret === undefined ? undefined : tokenKey(secret);
  const publicKeys: JWTVerifyGetKey | undefined = jwksUrl === undefined ? undefined : createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: JWKS_ANSWER_MS_MAX });
  if (!sharedKey && !publicKeys) throw new TypeError('a verifier needs a secret or a JWKS address');
  return async (token) => {
    if (!isSignatureSpelledOnce(token)) return undefined;
    const currentDate = new Date(now());
    try {
      const { payload } = publicKeys
        ? await jwtVerify(token, publicKeys, { ...claims, currentDate, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] })
        : await jwtVerify(token, sharedKey!, { ...claims, currentDate, algorithms: [TOKEN_ALGORITHM] });
      // A token from the future is a mistake of the issuer's, and one without an end in sight cannot be withdrawn.
      const seconds = currentDate.getTime() / 1_000;
      if ((payload.iat ?? 0) > seconds + FUTURE_SECONDS_MAX || payload.exp! > seconds + LIFE_SECONDS_MAX) return undefined;
      // A claim that cannot be read might have kept the bearer out.
      const ids = named.safeParse(payload);
      return ids.success ? { subject: payload.sub!, expiresAt: payload.exp! * 1000, ...ids.data } : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Head and claims are signed as they are written. Of the signature, padding, blanks and free bits would give one token several texts. */
function isSignatureSpelledOnce(token: string): boolean {
  return isCanonical(token.slice(token.lastIndexOf('.') + 1));
}

/** Whether these bytes are written so in base64url. The text is compared with itself, so the time it takes tells nothing new. */
function isCanonical(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}
