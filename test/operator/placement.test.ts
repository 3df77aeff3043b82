/// <reference path="../../src/platform/redis/clusterKeySlot.d.ts" />
import calculateSlot from 'cluster-key-slot';
import { describe, expect, test } from 'vitest';
import { DRAWS_MAX, drawEvenId, unevenReason } from '../../src/operator/placement.ts';
import type { SlotTable } from '../../src/platform/redis/owner.ts';
import { shardKeys, SHARDS_MAX } from '../../src/store/keys.ts';

const SLOTS = 16_384;

/** Masters that own the slots up to these, in order. */
function tableOf(ends: readonly number[]): SlotTable {
  const masters = ends.map((_, i) => `m${i}`);
  return { masters, ownerOf: (key) => masters[ends.findIndex((end) => calculateSlot(key) < end)] };
}

const equal = (masters: number) =>
  tableOf(Array.from({ length: masters }, (_, i) => Math.ceil(((i + 1) * SLOTS) / masters)));

/** The next ids of a series that is the same in each run. */
function series(prefix = 'r'): { draw: () => string; drawn: () => number } {
  let count = 0;
  return { draw: () => `${prefix}${count++}`, drawn: () => count };
}

/** The shards of each master, the busiest first. */
const sharesOf = ({ masters, ownerOf }: SlotTable, id: string, shards: number) =>
  masters
    .map(
      (master) =>
        Array.from({ length: shards }, (_, shard) => ownerOf(shardKeys(id, shard).state)).filter(
          (owner) => owner === master,
        ).length,
    )
    .sort((a, b) => b - a);

describe.each([2, 3, 4, 5, 6, 7, 8])('of %i masters with equal parts of the slots', (masters) => {
  test.each([2, 3, 4, 5, 6, 7, 8])('each has its share of %i shards', (shards) => {
    for (let round = 0; round < 20; round++) {
      const [busiest, ...others] = sharesOf(
        equal(masters),
        drawEvenId(equal(masters), shards, series(`${round}-`).draw),
        shards,
      );
      expect(busiest! - others.at(-1)!).toBeLessThanOrEqual(1);
    }
  });
});

test('after a resharding it goes by the parts that the masters have now', () => {
  const table = tableOf([9_000, 11_000, SLOTS]);
  for (let round = 0; round < 20; round++)
    expect(sharesOf(table, drawEvenId(table, 3, series(`${round}-`).draw), 3)).toEqual([1, 1, 1]);
});

test('what no id can do is not sought for ever: the best of a bounded number is taken', () => {
  const table = tableOf([SLOTS - 1, SLOTS]);
  const { draw, drawn } = series();
  expect(sharesOf(table, drawEvenId(table, SHARDS_MAX, draw), SHARDS_MAX)[0]).toBeGreaterThanOrEqual(SHARDS_MAX - 1);
  expect(drawn()).toBe(DRAWS_MAX);
});

test.each<[string, SlotTable | undefined, number]>([
  ['a single Redis', undefined, 8],
  ['one shard', equal(3), 1],
  ['a client that does not know all owners at present', { masters: ['m0', 'm1'], ownerOf: () => undefined }, 4],
  ['an owner to which the client has no connection', { masters: ['m0', 'm1'], ownerOf: () => 'm2' }, 4],
])('%s: the first id is taken, and nothing is said of an id', (_, table, shards) => {
  const { draw, drawn } = series();
  expect(drawEvenId(table, shards, draw)).toBe('r0');
  expect(drawn()).toBe(1);
  expect(unevenReason(table, 'autumn', shards)).toBeUndefined();
});

test('of an id that puts more shards on one master than it must, a sentence says how many; of a good one nothing', () => {
  const table = equal(3);
  const good = drawEvenId(table, 3, series().draw);
  const bad = Array.from({ length: 1_000 }, (_, i) => `b${i}`).find((id) => sharesOf(table, id, 3)[0] === 2)!;
  expect(unevenReason(table, good, 3)).toBeUndefined();
  expect(unevenReason(table, bad, 3)).toMatch(
    new RegExp(`^the 3 shards of ${bad} are on 2 of 3 masters of the Redis Cluster, 2 of them on one; `),
  );
  expect(unevenReason(table, `${bad}.4`, 3), 'a round has the masters of its campaign').toContain('2 of them on one');
});
