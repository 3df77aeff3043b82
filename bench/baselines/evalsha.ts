// `ws`, one EVALSHA per grab: the obvious first implementation.
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { WebSocketServer, type RawData } from 'ws';
import { bearer, keysOf, listen, loadScript, REDIS_URL } from './surroundings.ts';

const redis = new Redis(REDIS_URL);
const sha = await loadScript(redis, 'grab.lua');

const server = createServer();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on('upgrade', (request, socket, head) => {
  const userId = bearer(request.headers.authorization);
  if (userId === undefined) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  sockets.handleUpgrade(request, socket, head, (peer) => {
    const answerTo = async (data: RawData): Promise<void> => {
      const { type, rainId } = JSON.parse(String(data)) as { type: string; rainId: string };
      if (type !== 'grab') return;
      const { packets, claimed, claims } = keysOf(rainId);
      const answer = JSON.parse(String(await redis.evalsha(sha, 3, packets, claimed, claims, userId))) as object;
      peer.send(JSON.stringify({ type: 'result', rainId, ...answer }));
    };
    peer.on('message', (data) => void answerTo(data));
    peer.send(JSON.stringify({ type: 'welcome', userId }));
  });
});
listen(server);
