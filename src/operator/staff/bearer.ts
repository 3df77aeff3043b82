import { createHash, randomBytes } from 'node:crypto';

/** So that a token is known for one wherever it turns up, in a log or a repository. */
const PREFIX = 'rop_';
const FORM = /^rop_[A-Za-z0-9_-]{43}$/;

/** A bearer token for scripts: shown once, kept as its hash. */
export function makeBearer(): { token: string; hash: string } {
  const token = PREFIX + randomBytes(32).toString('base64url');
  return { token, hash: hashOfBearer(token)! };
}

/** `undefined`: it is none. It has 256 bits of chance, so that nothing slower than a hash is needed. */
export function hashOfBearer(token: string): string | undefined {
  return FORM.test(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}
