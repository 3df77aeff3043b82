import type { RainClient, RainEvents, SaleSnapshot } from '../../src/client/client.ts';
import type { RainSnapshot } from '../../src/protocol/messages.ts';

export const NOW = 1_900_000_000_000;

export const snapshot = (rainId: string, change: Partial<RainSnapshot> = {}): RainSnapshot => ({
  type: 'rain',
  rainId,
  title: rainId,
  state: 'open',
  opensAt: NOW - 1_000,
  closesAt: NOW + 600_000,
  packets: 10,
  left: 10,
  serverTime: NOW,
  ...change,
});

export const saleSnapshot = (saleId: string, change: Partial<SaleSnapshot> = {}): SaleSnapshot => ({
  type: 'sale',
  saleId,
  title: saleId,
  state: 'open',
  opensAt: NOW - 1_000,
  closesAt: NOW + 600_000,
  holdMs: 60_000,
  items: [{ sku: 'seat', price: '0.00', units: 10, left: 10 }],
  serverTime: NOW,
  ...change,
});

/** A client whose events are emitted by the test. */
export function scriptClient() {
  /** `refusedSales`: visits of these are refused. */
  const calls = {
    now: NOW,
    joined: [] as string[],
    left: [] as string[],
    visited: [] as string[],
    leftSales: [] as string[],
    refusedSales: new Set<string>(),
  };
  const listeners = new Map<string, (event: never) => void>();
  const client: Pick<RainClient, 'on' | 'join' | 'leave' | 'visit' | 'leaveSale' | 'serverNow' | 'renew'> = {
    on(name, listener) {
      listeners.set(name, listener);
      return () => {};
    },
    join: (rainId) => {
      calls.joined.push(rainId);
      return new Promise(() => {});
    },
    leave: (rainId) => {
      calls.left.push(rainId);
    },
    visit: (saleId) => {
      calls.visited.push(saleId);
      return calls.refusedSales.has(saleId)
        ? Promise.resolve({ kind: 'refused', code: '-8', reason: 'no_such_sale' })
        : new Promise(() => {});
    },
    leaveSale: (saleId) => {
      calls.leftSales.push(saleId);
    },
    renew: () => {},
    serverNow: () => calls.now,
  };
  const emit = <Name extends keyof RainEvents>(name: Name, event: RainEvents[Name]) =>
    listeners.get(name)!(event as never);
  return { client: client as RainClient, calls, emit };
}
