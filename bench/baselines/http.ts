// HTTP, the classic flash sale: a lock per user, the stock script, an order row.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { announce, bearer, DATABASE_URL, keysOf, loadScript, REDIS_URL } from './surroundings.ts';
import type { AddressInfo } from 'node:net';

const LOCK_MS = 3_000;
const UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

const redis = new Redis(REDIS_URL);
const stockSha = await loadScript(redis, 'stock.lua');
const unlockSha = String(await redis.script('LOAD', UNLOCK));
const pool = new Pool({ connectionString: DATABASE_URL, max: 20 });
await pool.query(
  'CREATE TABLE IF NOT EXISTS flash_order (rain_id text, user_id text, at timestamptz DEFAULT now(), PRIMARY KEY (rain_id, user_id))',
);

const app = Fastify();
app.post<{ Body: { rainId: string } }>(
  '/grab',
  {
    schema: { body: { type: 'object', required: ['rainId'], properties: { rainId: { type: 'string' } } } },
  },
  async (request, reply) => {
    const userId = bearer(request.headers.authorization);
    if (userId === undefined) return reply.code(401).send({ code: 'unauthorized' });
    const { rainId } = request.body;
    const { stock, buyers } = keysOf(rainId);
    const [lock, mine] = [`lock:${rainId}:${userId}`, randomUUID()];
    if ((await redis.set(lock, mine, 'PX', LOCK_MS, 'NX')) !== 'OK') return reply.code(429).send({ code: '-7' });
    try {
      const sold = Number(await redis.evalsha(stockSha, 2, stock, buyers, userId));
      if (sold === 1) await pool.query('INSERT INTO flash_order (rain_id, user_id) VALUES ($1, $2)', [rainId, userId]);
      return { type: 'result', rainId, code: sold === 1 ? '0' : sold === 2 ? '1' : '-1' };
    } finally {
      await redis.evalsha(unlockSha, 1, lock, mine);
    }
  },
);
await app.listen({ port: 0, host: '127.0.0.1' });
announce((app.server.address() as AddressInfo).port);
