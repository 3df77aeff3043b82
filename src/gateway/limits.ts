import { CHALLENGE_LIMITS } from './challenge/limits.ts';
import { HANDLER_LIMITS } from './handlers/limits.ts';
import { HTTP_LIMITS } from './http/limits.ts';
import { OVERLOAD_LIMITS } from './overload/limits.ts';
import { RAIN_LIMITS } from './rains/limits.ts';
import { RATE_LIMITS } from './ratelimit/limits.ts';
import { SALE_LIMITS } from './sales/limits.ts';
import { SOCKET_LIMITS } from './sockets/limits.ts';

/**
 * All limits that a deployment or a test may set [R10]. Each shelf has its own, and its other numbers, in its
 * `limits.ts`.
 */
export const LIMITS = {
  ...SOCKET_LIMITS,
  ...HANDLER_LIMITS,
  ...RATE_LIMITS,
  ...OVERLOAD_LIMITS,
  ...CHALLENGE_LIMITS,
  ...RAIN_LIMITS,
  ...SALE_LIMITS,
  ...HTTP_LIMITS,
} as const;
export type Limits = { [K in keyof typeof LIMITS]: number };
