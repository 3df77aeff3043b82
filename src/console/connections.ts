import type { Server, Socket } from 'node:net';
import { addressOf } from '../platform/network/address.ts';

/**
 * Each limit protects this process from one careless or hostile visitor [R10]. Two hundred phones behind one address
 * open six each.
 */
const LIMITS = { connectionsMax: 4_000, perAddressMax: 1_200 } as const;

interface ConnectionRules {
  /** Behind a proxy all visitors have its address, so only the sum is limited. */
  trustedProxies: number;
  limits?: { connectionsMax: number; perAddressMax: number };
}

/** Closes connections beyond the limits at once, without an answer. */
export function limitConnections(
  server: Server,
  { trustedProxies, limits: { connectionsMax, perAddressMax } = LIMITS }: ConnectionRules,
): void {
  server.maxConnections = connectionsMax;
  if (trustedProxies > 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress ?? '') ?? '';
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddressMax) return void socket.destroy();
    open.set(address, count);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
