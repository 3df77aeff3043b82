import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { tokenFor } from './client.ts';

interface Knocked {
  /** HTTP status of the refusal, or `open`; the socket is gone again then. */
  status: number | 'open';
  /** Seconds. */
  retryAfter: number | undefined;
  body: { code?: number; reason?: string; retryInMs?: number };
}

/** Asks for a socket and tells what came of it. */
export async function knock(url: string, user: string, headers: Record<string, string> = {}): Promise<Knocked> {
  const socket = new WebSocket(url, [SUBPROTOCOL], { headers: { authorization: `Bearer ${await tokenFor(user)}`, ...headers } });
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const { statusCode, headers: told } = response as IncomingMessage;
    const body = JSON.parse(await text(response as IncomingMessage)) as Knocked['body'];
    return { status: statusCode!, retryAfter: told['retry-after'] === undefined ? undefined : Number(told['retry-after']), body };
  });
  const opened = once(socket, 'open').then((): Knocked => ({ status: 'open', retryAfter: undefined, body: {} }));
  const knocked = await Promise.race([refused, opened]);
  socket.terminate();
  return knocked;
}

/** The headers of a request that came through one proxy. */
export const through = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
