import { createCipheriv, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomSource, shuffle } from '../../src/rain/fairness.ts';

const SEED = '00112233445566778899aabbccddeeff'.repeat(2);

/** Pearson's statistic against a uniform spread over `seen.length` bins. */
function chiSquare(seen: readonly number[]): number {
  const expected = seen.reduce((sum, n) => sum + n, 0) / seen.length;
  return seen.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
}

describe('the random source', () => {
  test('is HKDF-SHA-256 and ChaCha20, checked with another implementation of both', () => {
    const key = Buffer.from(hkdfSync('sha256', Buffer.from(SEED, 'hex'), 'red-packet-rain/v1', 'amounts', 32));
    // Longer than one refill, so that the block counter is checked, too.
    const keystream = createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(256 * 1024));
    const random = randomSource(SEED, 'amounts');
    for (let at = 0; at < keystream.length; at += 4) {
      if (random.belowNumber(2 ** 32) !== keystream.readUInt32LE(at)) expect.fail(`differs at byte ${at}`);
    }
  });

  test('gives the same stream for the same seed and purpose, another for any other', () => {
    const draw = (seed: string, purpose: string) => {
      const random = randomSource(seed, purpose);
      return Array.from({ length: 20 }, () => random.below(1_000_000n));
    };
    expect(draw(SEED, 'amounts')).toEqual(draw(SEED, 'amounts'));
    expect(draw(SEED, 'amounts')).not.toEqual(draw(SEED, 'order'));
    expect(draw(SEED, 'amounts')).not.toEqual(draw(SEED.replace('0', '1'), 'amounts'));
  });

  test('stays below its bound, whatever the bound', () => {
    const random = randomSource(SEED, 'bounds');
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 53n }), (n) => {
        const drawn = random.below(n);
        expect(drawn >= 0n && drawn < n).toBe(true);
      }),
    );
  });

  // Bounds of the form 3 × 2^k are where a remainder without rejection shows: the lowest third would come up half again
  // too often.
  test.each([3, 7, 10, 3 * 2 ** 30, 2 ** 32, 3 * 2 ** 51, 2 ** 53])('favours no number below %d', (n) => {
    const random = randomSource(SEED, 'uniformity');
    const bins = Math.min(n, 12);
    const seen = Array.from({ length: bins }, () => 0);
    for (let i = 0; i < 60_000; i++) seen[Math.floor((random.belowNumber(n) / n) * bins)]!++;
    // 99.99 % quantile of chi-square with 11 degrees of freedom.
    expect(chiSquare(seen)).toBeLessThan(37.4);
  });

  test.each([0, -1, 1.5, 2 ** 53 + 2, Number.NaN])('[R12] refuses the bound %d', (n) => {
    expect(() => randomSource(SEED, 'x').belowNumber(n)).toThrow(RangeError);
  });

  test.each(['', 'abc', 'g'.repeat(64), 'AB'.repeat(32), 'ab'.repeat(33)])('[R12] refuses the seed %j', (seed) => {
    expect(() => randomSource(seed, 'x')).toThrow('64 hex digits');
  });
});

describe('the shuffle', () => {
  test('[R3] loses and adds nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: 10_000n }), { maxLength: 300 }), fc.nat(), (amounts, n) => {
        const shuffled = BigInt64Array.from(amounts);
        shuffle(shuffled, randomSource(SEED, `shuffle ${n}`));
        expect([...shuffled].sort()).toEqual([...amounts].sort());
      }),
    );
  });

  test('[R3] makes all 24 orders of 4 packets equally likely', () => {
    const random = randomSource(SEED, 'orders');
    const seen = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const amounts = BigInt64Array.of(1n, 2n, 3n, 4n);
      shuffle(amounts, random);
      seen.set(amounts.join(), (seen.get(amounts.join()) ?? 0) + 1);
    }
    expect(seen.size).toBe(24);
    // 99.99 % quantile of chi-square with 23 degrees of freedom.
    expect(chiSquare([...seen.values()])).toBeLessThan(56.2);
  });
});
