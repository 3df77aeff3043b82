import { expect, test } from 'vitest';
import { Unread } from '../../../src/gateway/overload/unread.ts';

function userOf(unread: Unread) {
  const calls: string[] = [];
  const session = {
    busyUntil: 0,
    alive: true,
    pingedAt: 0,
    socket: {
      pause: () => {
        calls.push('pause');
      },
      resume: () => {
        calls.push('resume');
      },
    },
  };
  return { session, calls, isRefused: (retryInMs: number) => unread.refused(session, retryInMs) };
}

test('whoever asks again before the time told is left unread until then, and no longer', () => {
  let now = 1_000;
  const unread = new Unread(() => now);
  const { calls, isRefused } = userOf(unread);
  isRefused(300);
  expect(calls).toEqual([]);
  now = 1_299;
  isRefused(900);
  // The rest of what had been read with it: refused, too, and the socket is not paused for longer.
  isRefused(900);
  expect(calls).toEqual(['pause']);
  unread.resume();
  expect(calls).toEqual(['pause']);
  now = 1_300;
  unread.resume();
  unread.resume();
  expect(calls).toEqual(['pause', 'resume']);
});

test('whoever comes back when told is never left unread', () => {
  let now = 0;
  const unread = new Unread(() => now);
  const { calls, isRefused } = userOf(unread);
  for (let i = 0; i < 5; i++, now += 200) isRefused(200);
  expect(calls).toEqual([]);
});

test('each socket is read again at its own time; a pong that could not be read has its whole time again', () => {
  let now = 0;
  const unread = new Unread(() => now);
  const [first, second] = [userOf(unread), userOf(unread)];
  first.session.alive = false;
  for (const { isRefused } of [first, first]) isRefused(100);
  for (const { isRefused } of [second, second]) isRefused(200);
  now = 150;
  unread.resume();
  expect([first.calls, second.calls]).toEqual([['pause', 'resume'], ['pause']]);
  expect([first.session.pingedAt, second.session.pingedAt]).toEqual([150, 0]);
  now = 200;
  unread.resume();
  expect([second.calls, second.session.pingedAt]).toEqual([['pause', 'resume'], 0]);
});
