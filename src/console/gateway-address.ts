const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
const ANY_INTERFACE = /^(0\.0\.0\.0|\[::\])$/;

/**
 * Where this browser finds the gateway. An address that means something only on this machine is of no use to a phone in
 * the same network: it gets the host name under which it has reached the page. Any other address is taken as it is.
 *
 * @param gatewayUrl `ws://…` as configured
 * @param pageHost host name of the request, without port
 */
export function gatewayAddress(gatewayUrl: string, pageHost: string): string {
  const url = new URL(gatewayUrl);
  const local = LOOPBACK.test(url.hostname) && !LOOPBACK.test(pageHost);
  // The setter ignores what is no host name, and that is what a made-up Host header deserves.
  if (pageHost && (local || ANY_INTERFACE.test(url.hostname))) url.hostname = pageHost;
  return url.href;
}
