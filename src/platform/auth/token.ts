import { createSecretKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

/** Ids in one of the claims `rains` and `sales` at most [R10]: every session keeps them. */
export const NAMED_MAX = 100;

/**
 * Ids of the rains, and of the sales, that a token is for; `*`: all that are not by invitation. A token without both is
 * for these.
 */
export interface Named {
  rains?: readonly string[];
  sales?: readonly string[];
  /** The bearer sees everything that the token is for, and takes part in nothing. */
  watch?: true;
}

interface TokenClaims extends Named {
  /** When the bearer first came in, epoch seconds (OpenID Connect); absent: with this token. */
  authTime?: number;
  /** The user id of the bearer, the same on the wire and in the ledger [R9]. */
  sub: string;
  expiresInSeconds: number;
  issuer?: string;
  audience?: string;
}

/** If the verifier trusted the token's header instead, an attacker could choose a weaker one. */
export const TOKEN_ALGORITHM = 'HS256';

/** One key per secret; a process has one or two secrets. */
const keys = new Map<string, KeyObject>();

/** The secret as a key object: from bytes, jose would derive a new key for each token. */
export function tokenKey(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) keys.set(secret, (key = createSecretKey(secret, 'utf8')));
  return key;
}

/** @param now time of issue, epoch ms */
export function signToken(
  secret: string,
  { sub, expiresInSeconds, issuer, audience, rains, sales, watch, authTime }: TokenClaims,
  now = Date.now(),
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const times = { iat, exp: iat + expiresInSeconds, auth_time: authTime };
  return new SignJWT({ sub, ...times, iss: issuer, aud: audience, rains, sales, watch })
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'JWT' })
    .sign(tokenKey(secret));
}
