import { expect, test } from 'vitest';
import { Pauses } from '../../src/gateway/pauses.ts';
import { RoundTrips } from '../../src/gateway/roundTrips.ts';
import type { Session } from '../../src/gateway/session.ts';
import { Turn } from '../../src/gateway/turn.ts';
import type { GrabAnswer } from '../../src/grab/engine.ts';

test('a turn is overdue when reading has taken too long and many were read; the next one begins anew', () => {
  let [now, end, looks] = [0, () => {}, 0];
  const turn = new Turn({ limits: { turnMs: 250, turnMsMax: 600, turnMessagesMin: 10 }, now: () => { looks++; return now; }, atEnd: (go) => { end = go; } });
  const read = (messages: number) => { for (let i = 0; i < messages; i++) turn.count(); };
  read(5);
  now = 10_000;
  // A few messages and a machine that stood still: that is no overload.
  expect([turn.overdue, turn.number]).toEqual([false, 0]);
  end();
  read(9);
  now += 250;
  expect(turn.overdue).toBe(false);
  read(1);
  expect([turn.overdue, turn.lost, turn.number]).toEqual([true, false, 1]);
  now += 350;
  read(10);
  expect([turn.overdue, turn.lost]).toEqual([true, true]);
  end();
  expect([turn.overdue, turn.lost, turn.number]).toEqual([false, false, 2]);
  looks = 0;
  read(1_000);
  expect([turn.overdue, looks]).toEqual([false, 101]);
});

function sleeper() {
  const socket = { isPaused: false, resumed: 0, pause() { this.isPaused = true; }, resume() { this.isPaused = false; this.resumed++; } };
  return { socket, session: { socket, closedWith: undefined } as unknown as Session };
}

test('who rests is read again at his time, once, however often he is sent to rest; who is on his way out does not rest', () => {
  const pauses = new Pauses(50);
  const [short, long] = [sleeper(), sleeper()];
  const leaving = { ...sleeper().session, closedWith: 4401 } as Session;
  pauses.rest(short.session, 120);
  pauses.rest(short.session, 500);
  pauses.rest(long.session, 100_000);
  pauses.rest(leaving, 100);
  expect([pauses.size, leaving.socket.isPaused]).toEqual([2, false]);
  for (let look = 1; look <= 2; look++) pauses.look();
  expect(short.socket.isPaused).toBe(true);
  pauses.look();
  expect([short.socket.isPaused, short.socket.resumed, pauses.size]).toEqual([false, 1, 1]);
  for (let look = 4; look <= 62; look++) pauses.look();
  expect(long.socket.isPaused).toBe(true);
  pauses.look();
  expect([long.socket.isPaused, pauses.size]).toEqual([false, 0]);
  pauses.rest(short.session, 1);
  pauses.end();
  expect([short.socket.isPaused, pauses.size]).toEqual([false, 0]);
});

test('the work of Redis: what was decided, in the time in which there was anything, and the longest wait, of what still waits too', async () => {
  let now = 0;
  const waiting: ((code: '-1' | '-7') => void)[] = [];
  const trips = new RoundTrips(() => now);
  const engine = trips.of({ grab: (_rainId, _shard, userIds) => new Promise((resolve) => { waiting.push((code) => resolve(userIds.map((): GrabAnswer => ({ code })))); }) });
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
