// `ws`, one EVALSHA per grab: the obvious first implementation.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { WebSocketServer } from 'ws';
import { keysOf, listen, REDIS_URL, SECRET } from './surroundings.ts';
import { verify } from './token.ts';

const redis = new Redis(REDIS_URL);
const sha = String(await redis.script('LOAD', readFileSync(new URL('grab.lua', import.meta.url), 'utf8')));

const server = createServer();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on('upgrade', (request, socket, head) => {
  const userId = verify((request.headers.authorization ?? '').slice('Bearer '.length), SECRET);
  if (userId === undefined) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  sockets.handleUpgrade(request, socket, head, (peer) => {
    peer.on('message', async (data) => {
      const { type, rainId } = JSON.parse(String(data)) as { type: string; rainId: string };
      if (type !== 'grab') return;
      const { packets, claimed, claims } = keysOf(rainId);
      const answer = JSON.parse(String(await redis.evalsha(sha, 3, packets, claimed, claims, userId))) as object;
      peer.send(JSON.stringify({ type: 'result', rainId, ...answer }));
    });
    peer.send(JSON.stringify({ type: 'welcome', userId }));
  });
});
listen(server);
