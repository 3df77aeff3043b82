import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { z } from 'zod';
import { isUsual } from './usualPasswords.ts';

export const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 128;

/**
 * A long password is better than one with a digit and a hyphen: its length counts, and that nobody guesses it (NIST SP
 * 800-63B).
 * @param name the operator's
 */
export const newPassword = (name: string) =>
  z
    .string()
    .min(PASSWORD_CHARACTERS_MIN, `expected at least ${PASSWORD_CHARACTERS_MIN} characters`)
    .max(PASSWORD_CHARACTERS_MAX, `expected at most ${PASSWORD_CHARACTERS_MAX} characters`)
    .refine((password) => !password.includes('\0'), 'expected no NUL among its characters')
    .refine(
      (password) => !isUsual(password, [name]),
      'expected more than usual words, names, rows of keys and repetition; several words that do not belong together are good',
    );

/** 32 MiB and about a tenth of a second of one core, for every guess. */
const COST = { N: 2 ** 15, r: 8, p: 1 } as const;
const MEMORY_BYTES_MAX = 64 * 1_024 * 1_024;
const HASH_BYTES = 32;

/** The stored form `scrypt$N$r$p$salt$hash`: the cost can grow and old hashes remain valid. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** The hash compared when there is no such operator, so that the answer takes equally long. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(HASH_BYTES).toString('base64url')}`;

/** Compares in constant time, equally long with and without a hash. @param stored absent: no such operator */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt, hash] = (stored ?? NOBODY).split('$');
  const expected = Buffer.from(hash ?? '', 'base64url');
  const derived = await derive(password, Buffer.from(salt ?? '', 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  // scrypt fills up a password with NULs, so that it is the same with some behind it.
  return (
    expected.length === HASH_BYTES &&
    timingSafeEqual(derived, expected) &&
    stored !== undefined &&
    !password.includes('\0')
  );
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Normalized: text that looks the same is the same on every keyboard.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
