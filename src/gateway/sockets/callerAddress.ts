import type { IncomingMessage } from 'node:http';
import { addressOf } from '../../platform/network/address.ts';

/** Hops that are looked at, at most: nobody has more proxies, and the header is written by whoever likes [R10]. */
const HOPS_MAX = 32;

/**
 * The address a request comes from: the peer's or, behind `trustedProxies` proxies of ours, the one that the outermost of
 * them saw and wrote into X-Forwarded-For. What stands before that in the header is the client's word and counts for nothing.
 * A hop that has written no address is passed over for the next one inwards.
 */
export function callerAddress({ headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }, trustedProxies: number): string {
  const written = trustedProxies > 0 ? String(headers['x-forwarded-for'] ?? '').split(',').slice(-HOPS_MAX) : [];
  for (const entry of written.slice(-trustedProxies)) {
    const address = addressOf(entry.trim());
    if (address !== undefined) return address;
  }
  // Without an address it has hung up already; whoever has none shares one.
  return addressOf(socket.remoteAddress ?? '') ?? 'unknown';
}
