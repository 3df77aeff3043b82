import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { TOKEN_ALGORITHM, tokenKey } from './token.ts';

export interface TokenRules {
  /** Shared secret for HS256; either this or `jwksUrl`. */
  secret?: string | undefined;
  /** Address where the issuer publishes its public keys. */
  jwksUrl?: string | undefined;
  issuer?: string | undefined;
  audience?: string | undefined;
}

/** The user of a token, and when the token expires, epoch ms. */
interface Bearer {
  subject: string;
  expiresAt: number;
}

export type ReadToken = (token: string) => Promise<Bearer | undefined>;

/**
 * Reads a verified, unexpired token; `undefined` for any other text. We choose the algorithm, never the token: HS256 with a secret,
 * public-key signatures with a JWKS. The two are never mixed.
 *
 * @param now clock for the expiry, epoch ms
 */
export function createTokenReader({ secret, jwksUrl, issuer, audience }: TokenRules, now: () => number): ReadToken {
  const claims = { requiredClaims: ['sub', 'exp'], ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };
  const sharedKey = secret === undefined ? undefined : tokenKey(secret);
  const publicKeys: JWTVerifyGetKey | undefined = jwksUrl === undefined ? undefined : createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000 });
  if (!sharedKey && !publicKeys) throw new TypeError('a verifier needs a secret or a JWKS address');
  return async (token) => {
    const currentDate = new Date(now());
    try {
      const { payload } = publicKeys
        ? await jwtVerify(token, publicKeys, { ...claims, currentDate, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] })
        : await jwtVerify(token, sharedKey!, { ...claims, currentDate, algorithms: [TOKEN_ALGORITHM] });
      return { subject: payload.sub!, expiresAt: payload.exp! * 1000 };
    } catch {
      return undefined;
    }
  };
}
