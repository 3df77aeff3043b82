import calculateSlot from 'cluster-key-slot';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { untilInStep } from './replica.ts';
import { startRedis, type TestRedis } from './redis.ts';

const MASTERS = [0, 1, 2] as const;
const SLOTS = 16_384;

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

/** From which slot on each master owns them. */
const firstSlot = (master: number) => Math.ceil(master * SLOTS / MASTERS.length);

/**
 * A real Redis Cluster of three masters: enough to refuse what crosses slots.
 * @param replicas with one replica of each master, in step with it
 * @param args further words of each server's command line
 */
export async function startCluster({ replicas = false, args = [] }: { replicas?: boolean; args?: readonly string[] } = {}): Promise<TestCluster> {
  const start = () => startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', ...args] });
  const servers = await Promise.all(Array.from({ length: replicas ? 2 * MASTERS.length : MASTERS.length }, start));
  const masters = servers.slice(0, MASTERS.length);
  const stop = async () => void await Promise.all(servers.map((server) => server.stop()));
  const nodes = servers.map(({ url }) => new Redis(url));
  try {
    await Promise.all(MASTERS.map((i) => nodes[i]!.call('CLUSTER', 'ADDSLOTSRANGE', String(firstSlot(i)), String(firstSlot(i + 1) - 1))));
    // Each meets each: what they tell each other of third ones takes seconds.
    for (const [i, node] of nodes.entries()) for (const { port } of servers.slice(i + 1)) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(port));
    await Promise.all(nodes.slice(MASTERS.length).map((replica, i) => follow(replica, nodes[i]!)));
    await eventually(async () => {
      for (const node of nodes) {
        expect(String(await node.call('CLUSTER', 'INFO'))).toMatch(/cluster_state:ok[^]*cluster_slots_ok:16384/);
        // Each range with all its servers: a client asks any of them who is there.
        const ranges = await node.call('CLUSTER', 'SLOTS') as unknown[][];
        expect(ranges.map((range) => range.length - 2)).toEqual(MASTERS.map(() => servers.length / MASTERS.length));
      }
    });
    if (replicas) await Promise.all(masters.map(({ url }, i) => untilInStep(url, ofMaster(i))));
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const node of nodes) node.disconnect();
  }
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters, replicas: servers.slice(MASTERS.length), stop,
    homeOf: (key) => MASTERS.findLast((i) => calculateSlot(key) >= firstSlot(i))!,
  };
}

/** When it has heard of this master, the replica follows it. */
async function follow(replica: Redis, master: Redis): Promise<void> {
  const id = String(await master.call('CLUSTER', 'MYID'));
  await eventually(() => replica.call('CLUSTER', 'REPLICATE', id));
}

/** A key that this master owns from the start. */
function ofMaster(master: number): string {
  for (let i = 0; ; i++) {
    const slot = calculateSlot(`in-step-${i}`);
    if (slot >= firstSlot(master) && slot < firstSlot(master + 1)) return `in-step-${i}`;
  }
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
