import { chacha20 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';

/**
 * All randomness comes from one recorded seed, so that anybody can recompute a rain once the seed is shown.
 *
 * Players see amounts. From a few hundred of them they could compute the state of Math.random, an xorshift or a
 * Mersenne Twister, and tap only when the big packet comes. A part of a cipher's stream reveals nothing about the rest
 * without the seed.
 */
export const seed = z.string().regex(/^[0-9a-f]{64}$/, 'expected a seed of 64 hex digits (32 random bytes)');

export interface RandomSource {
  /** Uniform in [0, n). @throws RangeError unless 1 ≤ n ≤ 2^53 */
  below(n: bigint): bigint;
  /** Uniform in [0, n). @throws RangeError unless n is an integer and 1 ≤ n ≤ 2^53 */
  belowNumber(n: number): number;
}

const KEYSTREAM_BLOCK_BYTES = 64;
/** Big blocks, because a cipher call has a fixed cost: one call serves about 16,000 draws. */
const REFILL_BYTES = 64 * 1024;
const ZEROS = new Uint8Array(REFILL_BYTES);
const NONCE = new Uint8Array(12);
const SALT = utf8ToBytes('red-packet-rain/v1');

const TWO_32 = 2 ** 32;
const TWO_53 = 2 ** 53;

/**
 * A deterministic, unpredictable stream: ChaCha20 under a key that HKDF-SHA-256 derives from the seed for this purpose.
 * Purposes are independent of each other, so drawing one number more for the amounts does not change the order.
 * @throws ZodError unless the seed is 64 hex digits
 */
export function randomSource(seedHex: string, purpose: string): RandomSource {
  const key = hkdf(sha256, hexToBytes(seed.parse(seedHex)), SALT, utf8ToBytes(purpose), 32);
  const keystream = new Uint8Array(REFILL_BYTES);
  // Always little-endian: a seed must give the same rain on every machine.
  const words = new DataView(keystream.buffer);
  let at = REFILL_BYTES;
  let block = 0;

  function word(): number {
    if (at === REFILL_BYTES) {
      chacha20(key, NONCE, ZEROS, keystream, block);
      block += REFILL_BYTES / KEYSTREAM_BLOCK_BYTES;
      at = 0;
    }
    const value = words.getUint32(at, true);
    at += 4;
    return value;
  }

  /** A plain remainder would favour small results; a value above the last whole multiple of n is drawn again. */
  function belowNumber(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > TWO_53)
      throw new RangeError(`expected an integer from 1 to 2^53, got ${n}`);
    const wide = n > TWO_32;
    const range = wide ? TWO_53 : TWO_32;
    const fair = range - (range % n);
    for (;;) {
      const drawn = wide ? (word() >>> 11) * TWO_32 + word() : word();
      if (drawn < fair) return drawn % n;
    }
  }

  return {
    belowNumber,
    below(n) {
      if (n < 1n || n > BigInt(TWO_53)) throw new RangeError(`expected 1 to 2^53, got ${n}`);
      return BigInt(belowNumber(Number(n)));
    },
  };
}

/** Fisher–Yates, in place: every order is equally likely, so no position is worth more than another [R3]. */
export function shuffle(amounts: BigInt64Array, random: RandomSource): void {
  for (let last = amounts.length - 1; last > 0; last--) {
    const other = random.belowNumber(last + 1);
    const held = amounts[last]!;
    amounts[last] = amounts[other]!;
    amounts[other] = held;
  }
}
