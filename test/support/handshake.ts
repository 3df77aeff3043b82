import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { tokenFor } from './client.ts';

interface HandshakeResult {
  /** HTTP status of the refusal, or `open`; the socket is gone again then. */
  status: number | 'open';
  /** Seconds. */
  retryAfter: number | undefined;
  body: { code?: number; reason?: string; retryInMs?: number };
}

/** Asks for a socket and tells what came of it. */
export async function handshake(
  url: string,
  user: string,
  headers: Record<string, string> = {},
): Promise<HandshakeResult> {
  const socket = new WebSocket(url, [SUBPROTOCOL], {
    headers: { authorization: `Bearer ${await tokenFor(user)}`, ...headers },
  });
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const { statusCode, headers: told } = response as IncomingMessage;
    const body = JSON.parse(await text(response as IncomingMessage)) as HandshakeResult['body'];
    return {
      status: statusCode!,
      retryAfter: told['retry-after'] === undefined ? undefined : Number(told['retry-after']),
      body,
    };
  });
  const opened = once(socket, 'open').then((): HandshakeResult => ({
    status: 'open',
    retryAfter: undefined,
    body: {},
  }));
  const handshakeResult = await Promise.race([refused, opened]);
  socket.terminate();
  return handshakeResult;
}

/** The headers of a request that came through one proxy. */
export const through = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
