import { createHmac } from 'node:crypto';

const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/**
 * A token as it is written here, valid or not. Text is taken as it is, for JSON that no program writes.
 * @param sign gives the signature of the first two parts
 */
export function jwt(header: unknown, payload: unknown, sign: (signed: string) => string): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${sign(signed)}`;
}

/** HMAC under this key. */
export const hmac =
  (key: string | Buffer, hash = 'sha256') =>
  (signed: string): string =>
    createHmac(hash, key).update(signed).digest('base64url');

export const HS256 = { alg: 'HS256', typ: 'JWT' } as const;

/** Claims of a good token, changed. */
export function claims(changed: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1_000);
  return { sub: 'ann', iat: now, exp: now + 600, ...changed };
}
