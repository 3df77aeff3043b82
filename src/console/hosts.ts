import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';

/** The names under which this server may be addressed, without port. */
export type HostNames = ReadonlySet<string>;

/**
 * @param origins our own pages
 * @param gatewayUrl as browsers use it
 * @returns these names, and those of this machine
 */
export function hostNames(names: readonly string[], origins: readonly string[], gatewayUrl: string): HostNames {
  const hostOf = (url: string) => (URL.canParse(url) ? [new URL(url).hostname] : []);
  return new Set(
    ['localhost', hostname(), `${hostname()}.local`, ...names, ...[...origins, gatewayUrl].flatMap(hostOf)].map(
      (name) => name.toLowerCase(),
    ),
  );
}

/**
 * A name or an address, and a port: what follows a second colon or a bracket might be the real name for somebody else.
 */
const HOST_FORM = /^(\[[^\]]*\]|[^:[\]@/\\?#,\s]+)(:\d{1,5})?$/;

/**
 * Whether the request names this server by one of its names, once. A page of another site that lets its own name point
 * here (DNS rebinding) would else be of one origin with us. It cannot use a bare address so. X-Forwarded-Host counts
 * beside the Host header, not in its place: some proxies pass on the header that the page has set.
 */
export function isOurHost({ raw: { rawHeaders, headers, url = '' }, host }: FastifyRequest, names: HostNames): boolean {
  // An address in place of the path names a host, too, which would come before the header.
  if (!url.startsWith('/')) return false;
  const hosts = rawHeaders.filter((header, i) => i % 2 === 0 && header.toLowerCase() === 'host').length;
  // A browser always sends one; some probes of old load balancers send none.
  if (hosts === 0) return true;
  return hosts === 1 && [headers.host ?? '', host].every((given) => isOurName(given, names));
}

function isOurName(given: string, names: HostNames): boolean {
  const name = HOST_FORM.exec(given)?.[1]?.toLowerCase();
  return name !== undefined && (isIP(name.replace(/^\[|\]$/g, '')) !== 0 || names.has(name));
}
