// Socket.IO, one EVALSHA per grab, one job per win: what most teams would build. claims.ts processes its jobs.
import { createServer } from 'node:http';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Server } from 'socket.io';
import { keysOf, listen, loadScript, REDIS_URL, verify } from './surroundings.ts';

type Answer = { code: string; redPacketId?: string; amount?: string };

const redis = new Redis(REDIS_URL);
const sha = await loadScript(redis, 'grab.lua');
const queue = new Queue('claims', {
  connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }),
  defaultJobOptions: { attempts: 5, backoff: { type: 'exponential', delay: 500 }, removeOnComplete: true },
});

const server = createServer();
const io = new Server(server, { transports: ['websocket'], serveClient: false });
io.use((socket, next) => {
  const userId = verify(String(socket.handshake.auth['token']));
  if (userId === undefined) return next(new Error('unauthorized'));
  socket.data.userId = userId;
  next();
});
io.on('connection', (socket) => {
  const userId = socket.data.userId as string;
  socket.on('grab', async ({ rainId }: { rainId: string }, acknowledge: (answer: object) => void) => {
    const { packets, claimed, claims } = keysOf(rainId);
    const answer = JSON.parse(String(await redis.evalsha(sha, 3, packets, claimed, claims, userId))) as Answer;
    // If the win were confirmed before it is in the queue, a crash in between would lose it.
    if (answer.code === '0')
      await queue.add(
        'claim',
        { rainId, userId, redPacketId: answer.redPacketId, amount: answer.amount },
        { jobId: `${rainId}-${userId}` },
      );
    acknowledge({ type: 'result', rainId, ...answer });
  });
});
listen(server);
