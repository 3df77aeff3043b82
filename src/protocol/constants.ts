/**
 * Client and server must agree on this before the first message. Kept apart from the schemas, so that a browser need
 * not load zod.
 */
export const SUBPROTOCOL = 'rain.v1';
/**
 * Browsers cannot set headers. They offer `bearer.<jwt>` as a second subprotocol entry, which the server never echoes.
 */
export const BEARER_PREFIX = 'bearer.';
export const GATEWAY_PATH = '/v1';
/** `ws://HOST:PORT/v1`, as a gateway is bound. */
export const gatewayUrlAt = (host: string, port: number): string => `ws://${host}:${port}${GATEWAY_PATH}`;
