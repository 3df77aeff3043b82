import calculateSlot from 'cluster-key-slot';
import { expect, test } from 'vitest';
import { Marks } from '../../src/store/marks.ts';

const SLOTS = 16_384;

test('[R4] a master with one slot only, as one that was just added to a Cluster, has a mark, whichever slot it is', () => {
  const marks = new Marks(calculateSlot);
  for (let slot = 0; slot < SLOTS; slot++) {
    const found = marks.in(new Set([slot]));
    expect([found.slot, calculateSlot(found.key)]).toEqual([slot, slot]);
  }
});

test('each key is tried once', () => {
  let tries = 0;
  const marks = new Marks((key) => {
    tries++;
    return calculateSlot(key);
  });
  const { key, slot } = marks.in(new Set([7]));
  const before = tries;
  expect(marks.in(new Set([7]))).toEqual({ key, slot });
  expect(tries).toBe(before);
});

test('after a fault a key of another slot is taken, if the master has another', () => {
  const marks = new Marks(calculateSlot);
  const { slot } = marks.in(new Set([1, 2, 3]));
  expect(marks.in(new Set([1, 2, 3]), slot).slot).not.toBe(slot);
  expect(marks.in(new Set([slot]), slot).slot).toBe(slot);
});

test('a master without slots has none', () => {
  expect(() => new Marks(calculateSlot).in(new Set())).toThrow('no key is in any of these slots');
});
