import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LIMITS } from '../../src/gateway/limits.ts';
import { end, heartbeat, type Session } from '../../src/gateway/session.ts';

function resting() {
  const calls: string[] = [];
  const socket = {
    readyState: WebSocket.OPEN, isPaused: true,
    resume() { this.isPaused = false; calls.push('resume'); },
    close: (code: number) => calls.push(`close ${code}`), ping: () => calls.push('ping'), terminate: () => calls.push('terminate'),
  };
  return { calls, socket, session: { socket, alive: false, pingedAt: 0, expiresAt: Infinity, closedWith: undefined } as unknown as Session };
}

test('who rests is not taken for dead: his pong lies unread; when he is read again, he is', () => {
  const { calls, socket, session } = resting();
  heartbeat(session, LIMITS.pongMs, 0, LIMITS);
  expect(calls).toEqual([]);
  socket.isPaused = false;
  heartbeat(session, LIMITS.pongMs, 0, LIMITS);
  expect(calls).toEqual(['close 4408', 'terminate']);
});

test('who rests and is closed is read on first, or his goodbye would not be heard in time', () => {
  const { calls, session } = resting();
  end(session, 4403);
  expect(calls).toEqual(['resume', 'close 4403']);
  expect(session.closedWith).toBe(4403);
});
