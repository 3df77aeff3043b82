import { expect, test } from 'vitest';
import { RoundTrips } from '../../../src/gateway/overload/roundTrips.ts';
import { LoopBudget } from '../../../src/gateway/overload/loopBudget.ts';
import type { GrabAnswer } from '../../../src/grab/engine.ts';

test('a turn is overdue when it has taken too long and read many messages; the next one starts afresh', () => {
  let [now, end, looks] = [0, () => {}, 0];
  const loopBudget = new LoopBudget({
    limits: { turnMsMax: 250, turnMessagesMin: 10 },
    now: () => {
      looks++;
      return now;
    },
    atEnd: (go) => {
      end = go;
    },
  });
  const read = (messages: number) => {
    for (let i = 0; i < messages; i++) loopBudget.count();
  };
  read(5);
  now = 10_000;
  // A few messages on a machine that was suspended: this is no overload.
  expect([loopBudget.overdue, loopBudget.turn]).toEqual([false, 0]);
  end();
  read(9);
  now += 250;
  expect(loopBudget.overdue).toBe(false);
  read(1);
  expect([loopBudget.overdue, loopBudget.turn]).toEqual([true, 1]);
  end();
  expect([loopBudget.overdue, loopBudget.turn]).toEqual([false, 2]);
  looks = 0;
  read(1_000);
  expect([loopBudget.overdue, looks]).toEqual([false, 101]);
});

test('the work of Redis: grabs decided, time with grabs to decide, and the longest wait, pending grabs included', async () => {
  let now = 0;
  const waiting: ((code: '-1' | '-7') => void)[] = [];
  const trips = new RoundTrips(() => now);
  const engine = trips.measured({
    grab: (_rainId, _shard, userIds) =>
      new Promise((resolve) => {
        waiting.push((code) => resolve(userIds.map((): GrabAnswer => ({ code }))));
      }),
  });
  expect(trips.take()).toEqual({ decided: 0, busyMs: 0, waitMs: 0 });
  const first = engine.grab('r1', 0, ['a', 'b', 'c']);
  now = 30;
  const second = engine.grab('r1', 0, ['d']);
  now = 40;
  expect(trips.take()).toEqual({ decided: 0, busyMs: 40, waitMs: 40 });
  waiting[0]!('-1');
  await first;
  now = 50;
  expect(trips.take()).toEqual({ decided: 3, busyMs: 10, waitMs: 40 });
  waiting[1]!('-7');
  await second;
  now = 1_000;
  expect(trips.take()).toEqual({ decided: 0, busyMs: 0, waitMs: 20 });
  expect(trips.take()).toEqual({ decided: 0, busyMs: 0, waitMs: 0 });
});
