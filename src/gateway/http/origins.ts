import type { IncomingMessage, ServerResponse } from 'node:http';
import { KEY_HEADER } from './httpReply.ts';
import { PREFLIGHT_SECONDS } from './limits.ts';

/**
 * Allows pages of these origins to ask, as the player's API of the console does. Pages of all other origins cannot: a
 * token in a header and a body of JSON need a preflight.
 */
export function allowOrigin(
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
  allowedOrigins: readonly string[],
): void {
  if (origin === undefined) return;
  response.setHeader('Vary', 'Origin');
  if (!allowedOrigins.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
}

export function allowPreflight(response: ServerResponse): void {
  if (response.hasHeader('Access-Control-Allow-Origin')) {
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
    response.setHeader('Access-Control-Allow-Headers', `Authorization, Content-Type, ${KEY_HEADER}`);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  }
  response.writeHead(204).end();
}
