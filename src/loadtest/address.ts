import { GATEWAY_PATH } from '../protocol/constants.ts';

/** One source address has about 28,000 client ports towards one server port; half of them may still be in TIME_WAIT. */
const USERS_PER_ADDRESS = 10_000;

/** `ws://host:port` or the full address → the full address. @throws TypeError unless it is a WebSocket address */
export function gatewayAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^wss?:$/.test(address.protocol)) throw new TypeError(`expected ws://… or wss://…, got ${url}`);
  if (address.pathname === '/') address.pathname = GATEWAY_PATH;
  return address;
}

/**
 * 127.0.0.1, 127.0.0.2 … if one has too few ports and the target is this machine; otherwise empty. Only Linux accepts
 * all of 127/8.
 */
export function sourceAddresses(target: URL, users: number, platform: NodeJS.Platform = process.platform): string[] {
  const needed = Math.ceil(users / USERS_PER_ADDRESS);
  if (needed < 2 || platform !== 'linux' || !/^(127(\.\d+){3}|localhost)$/.test(target.hostname)) return [];
  return Array.from({ length: Math.min(needed, 254) }, (_, i) => `127.0.0.${i + 1}`);
}
