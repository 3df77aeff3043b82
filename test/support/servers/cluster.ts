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

interface ClusterOptions {
  /** Masters. Three are enough to refuse what crosses slots. */
  size?: number;
  /** With one replica of each master, in step with it. */
  replicas?: boolean;
  /** Further words of each server's command line. */
  args?: readonly string[];
}

/** A real Redis Cluster, whose masters own equal parts of the slots, in order. */
export async function startCluster({
  size = CLUSTER_MASTERS,
  replicas = false,
  args = [],
}: ClusterOptions = {}): Promise<TestCluster> {
  // A server that has never met another one does not know its address.
  const start = () =>
    startRedis({
      args: [
        '--cluster-enabled',
        'yes',
        '--cluster-node-timeout',
        '2000',
        '--cluster-announce-ip',
        '127.0.0.1',
        ...args,
      ],
    });
  const servers = await Promise.all(Array.from({ length: replicas ? 2 * size : size }, start));
  const masters = servers.slice(0, size);
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    await formCluster(servers, size);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters,
    replicas: servers.slice(size),
    stop,
    homeOf: (key) => homeOf(key, size),
  };
}

/** Asks one server by itself. */
export async function at<T>({ url }: Pick<TestRedis, 'url'>, ask: (node: Redis) => Promise<T>): Promise<T> {
  const node = new Redis(url);
  try {
    return await ask(node);
  } finally {
    node.disconnect();
  }
}
