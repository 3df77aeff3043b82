/** Where no port is written, by scheme. */
const PORTS: readonly [RegExp, number][] = [[/^redis\+sentinel:/, 26_379], [/^redis/, 6_379], [/^postgres/, 5_432]];

/**
 * For logs and sentences: the address without its password. Whatever stands before the last `@` goes, since a password may hold any
 * letter that somebody forgot to escape; too much may go with it, never too little.
 */
export function redactUrl(url: string): string {
  return url.replace(/:\/\/.*@/s, '://').replace(/([?&]password=)[^&]*/gi, '$1…');
}

/** The servers that an address names, e.g. `10.0.0.1:6379, 10.0.0.2:6379`: what to look at when nobody answers. */
export function serversOf(url: string): string {
  const port = PORTS.find(([scheme]) => scheme.test(url))?.[1];
  const hosts = /:\/\/([^/?#]*)/.exec(redactUrl(url))?.[1] ?? '';
  return hosts.split(',').map((host) => (/:\d+$/.test(host) || port === undefined ? host : `${host}:${port}`)).join(', ');
}
