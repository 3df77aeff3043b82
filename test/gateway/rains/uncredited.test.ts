import { expect, onTestFinished, test } from 'vitest';
import { UNCREDITED_MAX } from '../../../src/gateway/rains/limits.ts';
import { Uncredited } from '../../../src/gateway/rains/uncredited.ts';
import type { Session } from '../../../src/gateway/sockets/session.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { laterSigner, signer } from '../../support/signer.ts';

const win = (userId: string, shard = 0) => ({
  rainId: 'r1',
  shard,
  userId,
  redPacketId: `r1-${userId}`,
  amount: '1.00',
});

/** A Redis of which only this question is asked. */
function open(here: readonly string[]) {
  const credited = new Set<string>();
  const asked: string[] = [];
  const told: string[] = [];
  const redis = {
    smismember: async (key: string, ...marks: string[]) => {
      asked.push(`${key} ${marks.length}`);
      return marks.map((mark) => (credited.has(`${key} ${mark}`) ? 1 : 0));
    },
  };
  const uncredited = new Uncredited({
    redis: redis as unknown as RedisClient,
    signer: laterSigner,
    hub: { of: (userId) => new Set<Session>(here.includes(userId) ? [{} as Session] : []) },
    tell: ({ userId }) => told.push(userId),
    onFault: (error) => {
      throw error;
    },
    askMs: 40,
  });
  onTestFinished(() => uncredited.close());
  return {
    uncredited,
    asked,
    told,
    credit: (userId: string, shard = 0) =>
      credited.add(`${shardKeys('r1', shard).credited} ${signer.creditMark(win(userId, shard))}`),
  };
}

test('users are told once, when their wins are credited, also under the former signing secret; those of a shard are asked for together', async () => {
  const { uncredited, asked, told, credit } = open(['ann', 'bob', 'eve']);
  for (const each of [win('ann'), win('bob'), win('eve', 1), win('ann')]) uncredited.watch(each);
  await eventually(() =>
    expect(asked.slice(0, 2)).toEqual([`${shardKeys('r1', 0).credited} 4`, `${shardKeys('r1', 1).credited} 2`]),
  );
  expect(told).toEqual([]);
  credit('bob');
  credit('eve', 1);
  await eventually(() => expect([...told].sort()).toEqual(['bob', 'eve']));
  uncredited.heard('r1', 'ann');
  expect(uncredited.size).toBe(0);
});

test('[R10] a user who has gone is not asked for, and no more than a limit are watched', async () => {
  const { uncredited, asked } = open([]);
  uncredited.watch(win('gone'));
  await eventually(() => expect(uncredited.size).toBe(0));
  expect(asked).toEqual([]);
  for (let i = 0; i <= UNCREDITED_MAX; i++) uncredited.watch(win(`u${i}`));
  expect(uncredited.size).toBe(UNCREDITED_MAX);
});
