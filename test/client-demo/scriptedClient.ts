import type { RainClient, RainEvents } from '../../src/client/client.ts';
import type { RainSnapshot } from '../../src/protocol/messages.ts';

export const NOW = 1_900_000_000_000;

export const snapshot = (rainId: string, change: Partial<RainSnapshot> = {}): RainSnapshot =>
  ({ type: 'rain', rainId, title: rainId, state: 'open', opensAt: NOW - 1_000, closesAt: NOW + 600_000, packets: 10, left: 10, serverTime: NOW, ...change });

/** A client whose events are emitted by the test. */
export function scriptClient() {
  const calls = { now: NOW, joined: [] as string[], left: [] as string[] };
  const listeners = new Map<string, (event: never) => void>();
  const client: Pick<RainClient, 'on' | 'join' | 'leave' | 'serverNow' | 'renew'> = {
    on(name, listener) {
      listeners.set(name, listener);
      return () => {};
    },
    join: (rainId) => {
      calls.joined.push(rainId);
      return new Promise(() => {});
    },
    leave: (rainId) => { calls.left.push(rainId); },
    renew: () => {},
    serverNow: () => calls.now,
  };
  const emit = <Name extends keyof RainEvents>(name: Name, event: RainEvents[Name]) => listeners.get(name)!(event as never);
  return { client: client as RainClient, calls, emit };
}
