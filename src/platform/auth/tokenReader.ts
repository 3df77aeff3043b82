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

/** How long the issuer may take to send its public keys, ms. */
const JWKS_ANSWER_MS_MAX = 3_000;

/** The user of a token, and when it expires, epoch ms; `undefined` for a text that is no verified, unexpired token. */
export type ReadToken = (token: string) => Promise<{ subject: string; expiresAt: number } | undefined>;

/** We choose the algorithm, never the token: HS256 with a secret, public-key signatures with a JWKS. The two are never mixed. */
export function createTokenReader({ secret, jwksUrl, issuer, audience }: TokenRules, now: () => number): ReadToken {
  const claims = { requiredClaims: ['sub', 'exp'], ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };
  const sharedKey = secret === undefined ? undefined : tokenKey(secret);
  const publicKeys: JWTVerifyGetKey | undefined = jwksUrl === undefined ? undefined : createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: JWKS_ANSWER_MS_MAX });
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
