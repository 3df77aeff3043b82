import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser may cache a preflight answer. */
const PREFLIGHT_SECONDS = 600;

/**
 * Allows pages of these origins to read the answer. Pages of all other foreign origins cannot. The only credential is
 * the token in a header, and a page without the token cannot send it.
 */
export function allowOrigin(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  allowedOrigins: readonly string[],
): void {
  reply.header('vary', 'origin');
  if (origin !== undefined && allowedOrigins.includes(origin)) reply.header('access-control-allow-origin', origin);
}

export function allowPreflight(reply: FastifyReply): FastifyReply {
  if (!reply.hasHeader('access-control-allow-origin')) return reply;
  return reply.headers({
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'authorization',
    'access-control-max-age': PREFLIGHT_SECONDS,
  });
}
