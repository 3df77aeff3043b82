/** Limits of buyers over HTTP [R10]. */
export const HTTP_LIMITS = {
  /** Callers whose tokens are not verified with each request, the latest. About 2 KB each. Protects memory. */
  httpCallersMax: 20_000,
  /** Requests that wait for a change of an order, in this process and of one user. Protects the places of sockets. */
  orderWaitsMax: 4_000,
  orderWaitsPerUserMax: 16,
  /** Orders, sales and tickets asked for over HTTP that wait for Redis or a verification. Protects purchases. */
  httpReadsPendingMax: 256,
  /** How long an unused connection stays open for the next request. Protects the places of sockets. */
  httpKeepAliveMs: 5_000,
} as const;

/** A longer token is verified with each request, characters. Protects the memory of the callers. */
export const TOKEN_CHARACTERS_MAX = 2_048;
/** How long a browser may remember which pages may ask, seconds. */
export const PREFLIGHT_SECONDS = 600;
