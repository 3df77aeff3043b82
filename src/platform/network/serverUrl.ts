/** Default ports by scheme. */
const PORTS: readonly [RegExp, number][] = [
  [/^redis\+sentinel:/, 26_379],
  [/^redis/, 6_379],
  [/^postgres/, 5_432],
];

/**
 * The address without its password, for logs. A password may contain `@`: this may remove too much, never too little.
 */
export const redactUrl = (url: string): string =>
  url.replace(/:\/\/.*@/s, '://').replace(/([?&]password=)[^&]*/gi, '$1…');

/** The servers of an address, e.g. `10.0.0.1:6379, 10.0.0.2:6379`, for messages about unreachable servers. */
export function serversOf(url: string): string {
  const port = PORTS.find(([scheme]) => scheme.test(url))?.[1];
  const hosts = /:\/\/([^/?#]*)/.exec(redactUrl(url))?.[1] ?? '';
  // A Unix socket: the folder that it is in.
  if (/^%2f/i.test(hosts)) return decodeURIComponent(hosts);
  return hosts
    .split(',')
    .map((host) => (/:\d+$/.test(host) || port === undefined ? host : `${host}:${port}`))
    .join(', ');
}
