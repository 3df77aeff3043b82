const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
const ANY_INTERFACE = /^(0\.0\.0\.0|\[::\])$/;

/**
 * The gateway's address for this browser. A phone in the same network cannot use a loopback address. It gets the host
 * name under which it has loaded the page, without port. Any other address stays as configured.
 */
export function gatewayAddress(gatewayUrl: string, pageHost: string): string {
  const url = new URL(gatewayUrl);
  const local = LOOPBACK.test(url.hostname) && !LOOPBACK.test(pageHost);
  // The setter ignores an invalid host name, such as a forged Host header.
  if (pageHost && (local || ANY_INTERFACE.test(url.hostname))) url.hostname = pageHost;
  return url.href;
}
