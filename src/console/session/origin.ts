import type { FastifyRequest } from 'fastify';
import { addressOf } from '../../platform/network/address.ts';

/** The proxies in front of this server. */
export interface RequestOrigin {
  /** Number of our own proxies. Each of them appends to X-Forwarded-For. */
  trustedProxies: number;
  /** Whether cookies are sent over https only. `auto`: if the request came over https. */
  secureCookies: 'auto' | 'on' | 'off';
}

/** Fastify reads X-Forwarded-For from the right and skips our own proxies only. An IPv6 /64 counts as one visitor. */
export function visitorAddress(request: FastifyRequest): string {
  return addressOf(request.ip) ?? 'unknown';
}

export function isSecure(request: FastifyRequest, { secureCookies }: RequestOrigin): boolean {
  return secureCookies === 'auto' ? request.protocol === 'https' : secureCookies === 'on';
}

/**
 * Whether the browser reports that a page of another origin sent the request. Scripts and curl send no such header and need no
 * protection. `same-site` counts as foreign: it may be a page on another port of the same host.
 */
export function isForeign({ headers, host, protocol }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // Only the host is compared: behind a proxy that does not forward the scheme, our protocol may be wrong.
  return !URL.canParse(origin) || new URL(origin).host !== host.replace(protocol === 'https' ? /:443$/ : /:80$/, '');
}
