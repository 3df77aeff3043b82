import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { userId } from '../rain/claim.ts';
import { TOKEN_ALGORITHM, tokenKey } from '../runtime/token.ts';

export interface TokenRules {
  /** HS256 secret; or */
  secret?: string | undefined;
  /** where the issuer publishes its public keys. */
  jwksUrl?: string | undefined;
  issuer?: string | undefined;
  audience?: string | undefined;
}

/** Who the token's bearer is, and until when (epoch ms). */
export interface Identity {
  userId: string;
  expiresAt: number;
}

export type VerifyToken = (token: string) => Promise<Identity | undefined>;

/**
 * The user is the `sub` of a verified, unexpired token and nothing else [R9]. The algorithm is ours to choose, never the
 * token's: HS256 with a secret, public-key signatures with a JWKS; the two are never mixed.
 *
 * Whether it has run out is judged by Redis's clock, which all gateways share and which rules the rain: a gateway whose own
 * clock is ten minutes ahead would turn away, in the middle of a rain, whoever has less than that left, and one behind would
 * let in whose token ran out ten minutes ago.
 *
 * @param now that clock, epoch ms
 */
export function createVerifier({ secret, jwksUrl, issuer, audience }: TokenRules, now: () => number): VerifyToken {
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
      const user = userId.safeParse(payload.sub);
      return user.success ? { userId: user.data, expiresAt: payload.exp! * 1000 } : undefined;
    } catch {
      return undefined;
    }
  };
}
