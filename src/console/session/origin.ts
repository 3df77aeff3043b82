import type { FastifyRequest } from 'fastify';
import { addressOf } from '../../platform/network/address.ts';

/** What stands before this server. */
export interface RequestOrigin {
  /** How many proxies of ours, each of which adds to X-Forwarded-For. */
  trustedProxies: number;
  /** Whether cookies go over https only; `auto`: when the visitor has come by https. */
  secureCookies: 'auto' | 'on' | 'off';
}

/** Fastify walks X-Forwarded-For from the right, past our own proxies only; a /64 is one visitor. */
export function visitorAddress(request: FastifyRequest): string {
  return addressOf(request.ip) ?? 'unknown';
}

export function isSecure(request: FastifyRequest, { secureCookies }: RequestOrigin): boolean {
  return secureCookies === 'auto' ? request.protocol === 'https' : secureCookies === 'on';
}

/**
 * Whether a browser says that another page has sent this. A script of ours, or curl, says nothing of the kind and needs no
 * protection from pages. `same-site` is another origin, too: a neighbour's page on the same host name.
 */
export function isForeign({ headers, host, protocol }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // The scheme is compared where both are known to be true; behind a proxy that does not tell it, the host decides.
  return !URL.canParse(origin) || new URL(origin).host !== host.replace(protocol === 'https' ? /:443$/ : /:80$/, '');
}
