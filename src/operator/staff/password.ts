import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { z } from 'zod';

/** A long password is better than one with a digit and a hyphen, so only its length is checked. */
export const newPassword = z.string().min(10, 'expected at least 10 characters').max(1_024, 'expected at most 1024 characters');

/** 32 MiB and about a tenth of a second of one core: for whoever guesses, too. */
const COST = { N: 2 ** 15, r: 8, p: 1 } as const;
const MEMORY_BYTES_MAX = 64 * 1_024 * 1_024;
const HASH_BYTES = 32;

/** What the book keeps of a password: `scrypt$N$r$p$salt$hash`, so that the cost can grow and old ones still hold. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Of nobody: compared with when there is no such operator, so that the answer takes as long. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(HASH_BYTES).toString('base64url')}`;

/** In constant time, and as long whether there is a hash or not. @param stored absent: nobody's */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt, hash] = (stored ?? NOBODY).split('$');
  const expected = Buffer.from(hash ?? '', 'base64url');
  const derived = await derive(password, Buffer.from(salt ?? '', 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return expected.length === HASH_BYTES && timingSafeEqual(derived, expected) && stored !== undefined;
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // What looks alike is alike, whichever keyboard it was typed on.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
