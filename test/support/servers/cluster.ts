import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { startRedis } from './redis.ts';

export interface TestCluster {
  /** `redis+cluster://…` */
  url: string;
  stop(): Promise<void>;
}

/** A real Redis Cluster of three masters, without replicas: enough to refuse what crosses slots. */
export async function startCluster(): Promise<TestCluster> {
  const servers = await Promise.all([0, 1, 2].map(() => startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'] })));
  const stop = async () => void await Promise.all(servers.map((server) => server.stop()));
  const nodes = servers.map(({ url }) => new Redis(url));
  try {
    await Promise.all(nodes.map((node, i) => node.call('CLUSTER', 'ADDSLOTSRANGE', String(Math.ceil(i * 16384 / 3)), String(Math.ceil((i + 1) * 16384 / 3) - 1))));
    for (const { port } of servers.slice(1)) await nodes[0]!.call('CLUSTER', 'MEET', '127.0.0.1', String(port));
    await eventually(async () => {
      for (const node of nodes) if (!String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) return false;
      return true;
    }, { timeoutMs: 20_000 });
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const node of nodes) node.disconnect();
  }
  return { url: `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, stop };
}
