/// <reference path="../../src/platform/redis/clusterKeySlot.d.ts" />
import { randomBytes } from 'node:crypto';
import calculateSlot from 'cluster-key-slot';
import { describe, expect, test } from 'vitest';
import { campaignKeys, shardKeys, SHARDS_MAX } from '../../src/store/keys.ts';

const SLOTS = 16_384;
const IDS = Array.from({ length: 150 }, () => randomBytes(1 + Math.floor(Math.random() * 47)).toString('base64url'));

/** The part of the slots, of so many equal ones, in which each of the first shards lies. */
const partsOf = (rainId: string, shards: number, parts: number) =>
  Array.from({ length: shards }, (_, shard) =>
    Math.floor((calculateSlot(shardKeys(rainId, shard).state) * parts) / SLOTS),
  );

describe.each([
  ['a rain', (id: string) => id],
  ['a round of a campaign', (id: string) => `${id}.7`],
])('whatever the id of %s is', (_, idOf) => {
  test.each([2, 4, 8])('the first %i shards lie in different equal parts of the slots of a Cluster', (shards) => {
    for (const id of IDS) expect(new Set(partsOf(idOf(id), shards, shards)).size, id).toBe(shards);
  });

  test('half as many masters as shards, or a quarter: each has the same number of them, also of 16', () => {
    for (const id of IDS) {
      for (const [shards, masters] of [
        [4, 2],
        [6, 2],
        [8, 2],
        [8, 4],
        [12, 4],
        [16, 4],
        [16, 8],
      ] as const) {
        const parts = partsOf(idOf(id), shards, masters);
        for (let master = 0; master < masters; master++)
          expect(
            parts.filter((part) => part === master),
            `${id}, ${shards} shards, master ${master}`,
          ).toHaveLength(shards / masters);
      }
    }
  });
});

test('each shard has a label of its own, of one character, and a rain of one shard keeps its keys', () => {
  const labels = Array.from(
    { length: SHARDS_MAX },
    (_, shard) => /^rain:\{r1\/([^\s{}/*?[\]\\])\}:state$/.exec(shardKeys('r1', shard).state)?.[1],
  );
  expect(new Set(labels).size).toBe(SHARDS_MAX);
  expect(labels).not.toContain(undefined);
  expect(labels[0]).toBe('0');
});

test('a digit names the shard that it has always named: before, all labels were digits', () => {
  for (let shard = 0; shard < SHARDS_MAX; shard++) {
    const label = /\/(.+)\}/.exec(shardKeys('r1', shard).state)![1]!;
    expect(/\d/.test(label) ? Number(label) : shard).toBe(shard);
  }
});

test('all keys of a shard, and those of its campaign, lie in one slot', () => {
  for (let shard = 0; shard < SHARDS_MAX; shard++) {
    const keys = [
      ...Object.values(shardKeys('autumn.3', shard)),
      ...Object.values(campaignKeys('autumn.12', shard)),
      ...Object.values(campaignKeys('autumn', shard)),
    ];
    expect(new Set(keys.map(calculateSlot)).size).toBe(1);
  }
});
