import { createHash, randomBytes } from 'node:crypto';

/** The prefix makes a token recognizable wherever it leaks, in a log or a repository. */
const PREFIX = 'rop_';
const FORM = /^rop_[A-Za-z0-9_-]{43}$/;

/** Makes a bearer token for scripts: it is shown once, and only its hash is stored. */
export function makeBearer(): { token: string; hash: string } {
  const token = PREFIX + randomBytes(32).toString('base64url');
  return { token, hash: hashOfBearer(token)! };
}

/** `undefined`: not a valid token. A token has 256 random bits, so that a fast hash is enough. */
export function hashOfBearer(token: string): string | undefined {
  return FORM.test(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}
