import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../../src/protocol/constants.ts';
import type { ClientMessage, ServerMessage, WelcomeMessage } from '../../../src/protocol/messages.ts';

export const welcomeOf = (userId: string, serverTime = Date.now()): WelcomeMessage => ({
  type: 'welcome',
  userId,
  serverTime,
  rains: [],
  limits: { messageBytesMax: 4_096, heartbeatMs: 25_000 },
});

/** One visit of a client: what the script may do with it. */
export interface Visit {
  /** How many came before. */
  index: number;
  request: IncomingMessage;
  say(message: ServerMessage | string): void;
  close(code: number): void;
}

interface ScriptedGateway {
  url: string;
  /** When each client came, monotonic ms. */
  comes: number[];
  /** All that was said to it. */
  heard: ClientMessage[];
}

/**
 * A gateway that sends what a real one sends only by chance.
 * @param script called for each connection
 * @param answer called for each message; for pings only if it wants them
 */
export async function scriptedGateway(
  script: (visit: Visit) => void,
  answer: (message: ClientMessage, visit: Visit) => void = () => {},
): Promise<ScriptedGateway> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const comes: number[] = [];
  const heard: ClientMessage[] = [];
  server.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const visit: Visit = {
      index: comes.push(performance.now()) - 1,
      request,
      say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
      close: (code) => socket.close(code),
    };
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ClientMessage;
      heard.push(message);
      answer(message, visit);
    });
    script(visit);
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, comes, heard };
}
