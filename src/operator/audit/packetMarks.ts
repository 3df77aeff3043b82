import type { Digest, UserDigest } from './userDigest.ts';

/** A yes or no for each packet of a rain, by its index: one bit each, outside of the heap. */
export type PacketMarks = ReturnType<typeof createPacketMarks>;

/**
 * Only indices of allocated packets: what somebody has written to Redis must not decide how much memory is taken [R10].
 */
export function createPacketMarks() {
  let words = new Uint32Array(256);
  let isEmpty = true;
  return {
    add(index: number): void {
      isEmpty = false;
      if (index >>> 5 >= words.length) words = grown(words, (index >>> 5) + 1);
      words[index >>> 5]! |= 1 << (index & 31);
    },
    isEmpty: () => isEmpty,
    has: (index: number): boolean => ((words[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0,
  };
}

/** The user of each packet of a rain, by its index: 8 bytes each, outside of the heap. */
export type PacketUsers = ReturnType<typeof createPacketUsers>;

export function createPacketUsers(digestOf: UserDigest) {
  let [high, low] = [new Uint32Array(256), new Uint32Array(256)];
  const has = (index: number): boolean => (high[index] ?? 0) !== 0;
  return {
    set(index: number, userId: string): void {
      if (index >= high.length) [high, low] = [grown(high, index + 1), grown(low, index + 1)];
      [high[index], low[index]] = digestOf(userId) satisfies Digest;
    },
    has,
    is(index: number, userId: string): boolean {
      if (!has(index)) return false;
      const [first, second] = digestOf(userId);
      return high[index] === first && low[index] === second;
    },
  };
}

function grown(words: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(least, words.length * 2));
  larger.set(words);
  return larger;
}
