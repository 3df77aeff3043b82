import { hash, randomUUID } from 'node:crypto';

/** Two 32-bit numbers; the first is never 0. */
export type Digest = [high: number, low: number];

/** Stands for a user id, in 8 bytes. */
export type UserDigest = (userId: string) => Digest;

/**
 * The key is new for each audit: nobody can choose two ids with one digest, and two of a million have one by chance
 * once in 30 million audits.
 */
export function createUserDigest(): UserDigest {
  const key = randomUUID();
  return (userId) => {
    const digest = hash('sha256', `${key}${userId}`, 'buffer');
    return [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)];
  };
}

/** A set of user ids that takes 16 to 32 bytes each, outside of the heap. */
export type UserSet = ReturnType<typeof createUserSet>;

export function createUserSet(digestOf: UserDigest) {
  // Open addressing: pairs of words, at most half of them taken.
  let slots = new Uint32Array(2 * 512);
  let size = 0;
  const slotOf = (table: Uint32Array, high: number, low: number): number => {
    const mask = table.length / 2 - 1;
    let slot = low & mask;
    while (table[2 * slot] !== 0 && !(table[2 * slot] === high && table[2 * slot + 1] === low))
      slot = (slot + 1) & mask;
    return 2 * slot;
  };
  function put(table: Uint32Array, high: number, low: number): boolean {
    const at = slotOf(table, high, low);
    if (table[at] !== 0) return false;
    [table[at], table[at + 1]] = [high, low];
    return true;
  }
  function grow(): void {
    const larger = new Uint32Array(slots.length * 2);
    for (let at = 0; at < slots.length; at += 2) if (slots[at] !== 0) put(larger, slots[at]!, slots[at + 1]!);
    slots = larger;
  }
  return {
    add(userId: string): void {
      if (put(slots, ...digestOf(userId)) && ++size > slots.length / 4) grow();
    },
    has: (userId: string): boolean => slots[slotOf(slots, ...digestOf(userId))] !== 0,
    size: (): number => size,
  };
}
