import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The proxies in front of this server. */
export interface RequestOrigin {
  /** Number of our own proxies. Each of them appends to X-Forwarded-For. */
  trustedProxies: number;
  /** Whether cookies are sent over https only. `auto`: if the request came over https. */
  secureCookies: 'auto' | 'on' | 'off';
}

interface Cookie {
  name: string;
  value: string;
  /** Seconds; 0 deletes it. */
  maxAge: number;
}

/**
 * With this prefix a browser takes a cookie only over https and from this very host: no other subdomain can plant one.
 */
const HOST_ONLY = '__Host-';

function isSecure({ protocol }: FastifyRequest, { secureCookies }: RequestOrigin): boolean {
  return secureCookies === 'auto' ? protocol === 'https' : secureCookies === 'on';
}

/** Over https a cookie without the prefix is not read. */
export function readCookie(request: FastifyRequest, name: string, origin: RequestOrigin): string | undefined {
  return request.cookies[isSecure(request, origin) ? HOST_ONLY + name : name];
}

/**
 * No script reads our cookies, and no other page sends them. Each is of the whole host: a proxy may serve the console
 * below a path that it alone knows, and `__Host-` demands it.
 */
export function writeCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  origin: RequestOrigin,
  { name, value, maxAge }: Cookie,
): void {
  const secure = isSecure(request, origin);
  const rules = { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
  void reply.setCookie(secure ? HOST_ONLY + name : name, value, { ...rules, maxAge });
  // One of an earlier version, or planted.
  if (secure && request.cookies[name] !== undefined) void reply.setCookie(name, '', { ...rules, maxAge: 0 });
}
