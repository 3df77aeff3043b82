import { createSecretKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

interface TokenClaims {
  /** Who the token speaks for: the user, on the wire and in the book [R9]. */
  sub: string;
  expiresInSeconds: number;
  issuer?: string;
  audience?: string;
}

/** Tokens are signed and verified with this algorithm only; a verifier that let the header choose could be talked out of it. */
export const TOKEN_ALGORITHM = 'HS256';

/** One per secret: a process has one or two. */
const keys = new Map<string, KeyObject>();

/** The form in which jose takes a shared secret: of bytes it would make a key anew for each token. */
export function tokenKey(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) keys.set(secret, key = createSecretKey(secret, 'utf8'));
  return key;
}

/**
 * A compact JWT signed with the shared secret.
 * @param now epoch milliseconds of issue
 */
export function signToken(secret: string, { sub, expiresInSeconds, issuer, audience }: TokenClaims, now = Date.now()): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  const token = new SignJWT().setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'JWT' })
    .setSubject(sub).setIssuedAt(issuedAt).setExpirationTime(issuedAt + expiresInSeconds);
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(tokenKey(secret));
}
