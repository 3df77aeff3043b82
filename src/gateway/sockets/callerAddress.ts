import type { IncomingMessage } from 'node:http';
import { addressOf } from '../../platform/network/address.ts';
import { PROXY_HOPS_MAX } from './limits.ts';

/**
 * The address of the client: the peer's or, behind `trustedProxies` proxies of ours, the one that the outermost of them
 * wrote into X-Forwarded-For. The client may have written what stands before it. If an entry is not an address, the
 * next one inwards is used.
 */
export function callerAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  trustedProxies: number,
): string {
  const written =
    trustedProxies > 0
      ? String(headers['x-forwarded-for'] ?? '')
          .split(',')
          .slice(-PROXY_HOPS_MAX)
      : [];
  for (const entry of written.slice(-trustedProxies)) {
    const address = addressOf(entry.trim());
    if (address !== undefined) return address;
  }
  // A socket without an address has already disconnected; all of these share one name.
  return addressOf(socket.remoteAddress ?? '') ?? 'unknown';
}
