import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser need not ask again whether it may ask, s. */
const PREFLIGHT_S = 600;

/**
 * Lets pages of these origins read the answer; every other page but our own cannot. There are no credentials but the token in a
 * header, which no page can send that does not have it.
 */
export function allowOrigin({ headers: { origin } }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply, allowedOrigins: readonly string[]): void {
  reply.header('vary', 'origin');
  if (origin !== undefined && allowedOrigins.includes(origin)) reply.header('access-control-allow-origin', origin);
}

/** Answers the browser's question before the question. */
export function allowPreflight(reply: FastifyReply): FastifyReply {
  if (reply.hasHeader('access-control-allow-origin')) {
    reply.headers({ 'access-control-allow-methods': 'GET', 'access-control-allow-headers': 'authorization', 'access-control-max-age': PREFLIGHT_S });
  }
  return reply.code(204).send();
}
