import { setImmediate as nextTurn } from 'node:timers/promises';
import { encode } from '../../protocol/codec.ts';
import type { Hub } from '../broadcast/hub.ts';
import type { Limits } from '../limits.ts';
import { DRAIN_SLICE } from './limits.ts';
import { end, send } from './session.ts';

/** The period over which the reconnects of this many sockets are spread, ms: the rate stays the same. */
export function reconnectWindowMs(
  sockets: number,
  { reconnectsPerSecond, reconnectWindowMsMin, reconnectWindowMsMax }: Limits,
): number {
  return Math.min(
    reconnectWindowMsMax,
    Math.max(reconnectWindowMsMin, Math.ceil((sockets * 1_000) / reconnectsPerSecond)),
  );
}

/** Delay until a client should reconnect to a closing gateway, ms: the restart time plus a random time. */
export function reconnectDelayMs(windowMs: number, { reconnectMsMin }: Limits): number {
  return reconnectMsMin + Math.floor(Math.random() * windowMs);
}

/** Sends a goodbye with a random reconnect delay to every session, then closes it. */
export async function drainSockets(hub: Hub, limits: Limits): Promise<void> {
  const sessions = [...hub];
  const windowMs = reconnectWindowMs(sessions.length, limits);
  for (let from = 0; from < sessions.length; from += DRAIN_SLICE) {
    for (const session of sessions.slice(from, from + DRAIN_SLICE)) {
      const reconnectInMs = reconnectDelayMs(windowMs, limits);
      send(session, encode({ type: 'goodbye', reason: 'service_restart', reconnectInMs }), limits);
      end(session, 1012);
    }
    await nextTurn();
  }
}
