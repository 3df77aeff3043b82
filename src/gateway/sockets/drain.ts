import { setImmediate as nextTurn } from 'node:timers/promises';
import { encode } from '../../protocol/codec.ts';
import type { Hub } from '../broadcast/hub.ts';
import type { Limits } from '../limits.ts';
import { end, send } from './session.ts';

/** Sockets sent away per turn of the event loop: about 10 ms, so that pongs and closes are heard in between. */
const SLICE = 250;

/** Over how long so many sockets are asked to come back, ms. It grows with their number, so that their rate does not. */
export function reconnectWindowMs(sockets: number, { reconnectsPerSecond, reconnectWindowMsMin, reconnectWindowMsMax }: Limits): number {
  return Math.min(reconnectWindowMsMax, Math.max(reconnectWindowMsMin, Math.ceil((sockets * 1_000) / reconnectsPerSecond)));
}

/** When somebody is to come back to a gateway that closes, ms from now: when it has restarted, each at another moment. */
export function reconnectDelayMs(windowMs: number, { reconnectMsMin }: Limits, random: () => number = Math.random): number {
  return reconnectMsMin + Math.floor(random() * windowMs);
}

/**
 * Tells everybody who is here that the gateway goes and when to come back, each another moment, and hangs up.
 * @param random in [0, 1)
 */
export async function drainSockets(audience: Hub, limits: Limits, random: () => number = Math.random): Promise<void> {
  const sessions = [...audience];
  const windowMs = reconnectWindowMs(sessions.length, limits);
  for (let from = 0; from < sessions.length; from += SLICE) {
    for (const session of sessions.slice(from, from + SLICE)) {
      const reconnectInMs = reconnectDelayMs(windowMs, limits, random);
      send(session, encode({ type: 'goodbye', reason: 'service_restart', reconnectInMs }), limits);
      end(session, 1012);
    }
    await nextTurn();
  }
}
