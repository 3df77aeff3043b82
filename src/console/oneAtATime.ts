import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Answers one request of a connection at a time, as browsers and proxies ask. A second one that does not wait is not
 * answered, and ends the connection after the first: in line it would keep what answers it, such as an open file, also
 * when its sender has hung up, since nobody tells an answer so whose turn has not come.
 */
export function answerOneAtATime(server: FastifyInstance): void {
  const answering = new WeakMap<Socket, ServerResponse>();
  const ending = new WeakSet<Socket>();
  server.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const first = answering.get(socket);
    if (first && !ending.has(socket)) {
      ending.add(socket);
      first.once('close', () => socket.destroySoon());
    }
    if (ending.has(socket)) return reply.hijack();
    answering.set(socket, reply.raw);
    reply.raw.once('close', () => {
      if (!ending.has(socket)) answering.delete(socket);
    });
    return undefined;
  });
}
