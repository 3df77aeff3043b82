import { Redis } from 'ioredis';
import { CLUSTER_MASTERS, formCluster, homeOf } from '../../../src/platform/embedded/formCluster.ts';
import { startRedis, type TestRedis } from './redis.ts';

export interface TestCluster {
  /** `redis+cluster://…` */
  url: string;
  masters: TestRedis[];
  /** The replica of each master, in the same order; empty without replicas. */
  replicas: TestRedis[];
  /** The place in `masters` of the one that owns this key from the start. */
  homeOf(key: string): number;
  stop(): Promise<void>;
}

/**
 * A real Redis Cluster of three masters: enough to refuse what crosses slots.
 * @param replicas with one replica of each master, in step with it
 * @param args further words of each server's command line
 */
export async function startCluster({ replicas = false, args = [] }: { replicas?: boolean; args?: readonly string[] } = {}): Promise<TestCluster> {
  const start = () => startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', ...args] });
  const servers = await Promise.all(Array.from({ length: replicas ? 2 * CLUSTER_MASTERS : CLUSTER_MASTERS }, start));
  const masters = servers.slice(0, CLUSTER_MASTERS);
  const stop = async () => void await Promise.all(servers.map((server) => server.stop()));
  try {
    await formCluster(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters, replicas: servers.slice(CLUSTER_MASTERS), stop, homeOf,
  };
}

/** Asks one server by itself. */
export async function at<T>({ url }: TestRedis, ask: (node: Redis) => Promise<T>): Promise<T> {
  const node = new Redis(url);
  try {
    return await ask(node);
  } finally {
    node.disconnect();
  }
}
