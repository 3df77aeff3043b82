import { Cluster, type Redis } from 'ioredis';
import type { Durability } from './durability.ts';
import type { RedisClient } from './redis.ts';

/**
 * What this Redis, as it is set up now, does not keep of what was asked for; `undefined` when it does, or does not let
 * itself be asked. It is told, not enforced: both sides may change while everybody goes on.
 */
export async function shortfall(redis: RedisClient, durability: Durability): Promise<string | undefined> {
  const server: Redis | undefined = redis instanceof Cluster ? redis.nodes('master')[0] : redis;
  if (!server) return undefined;
  try {
    if (durability.mode === 'replicas') {
      const present = Number(/^connected_slaves:(\d+)/m.exec(await server.info('replication'))?.[1] ?? 0);
      if (present < durability.replicas) return `${durability.replicas} replicas are to have every win before it is told, ${present} are connected: winners are told "busy" until there are enough`;
    }
    const [, log] = await server.config('GET', 'appendonly') as string[];
    const [, sync] = await server.config('GET', 'appendfsync') as string[];
    if (log !== 'yes') return 'it keeps no log (appendonly no): what it holds does not survive its end';
    if (sync !== 'always' && durability.mode !== 'relaxed') return `it syncs its log "${sync}", not "always": the last wins do not survive a power cut`;
    return undefined;
  } catch {
    return undefined;
  }
}
