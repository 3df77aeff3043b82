import { Redis } from 'ioredis';
import { untilTrue } from '../concurrency/untilTrue.ts';

const ACKNOWLEDGED_MS_MAX = 20_000;

/**
 * Resolves when the replica, online, has acknowledged a write that came after. The server's own word comes too early:
 * after a diskless sync the master sends the replica nothing before its first REPLCONF ACK, up to a second later,
 * although the replica is `online` and both offsets are 0; a replica that is promoted within that second is empty.
 * @param key the written key: in a Cluster, one that this master owns
 * @throws when the only replica has acknowledged nothing within that time, ms
 */
export async function untilInStep(masterUrl: string, key = 'in-step', withinMs = ACKNOWLEDGED_MS_MAX): Promise<void> {
  const redis = new Redis(masterUrl);
  redis.on('error', () => {});
  try {
    await untilTrue(async () => /^slave0:.*state=online/m.test(await redis.info('replication')), {
      what: 'a replica that is online',
      withinMs,
    });
    await redis.multi().set(key, '1').del(key).exec();
    const replicas = await redis.wait(1, withinMs);
    if (replicas !== 1) throw new Error(`replicas that acknowledged a write: ${replicas}, expected 1`);
  } finally {
    redis.disconnect();
  }
}
