import calculateSlot from 'cluster-key-slot';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { untilInStep } from './replica.ts';
import { startRedis, type TestRedis } from './redis.ts';

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

interface ClusterOptions {
  /** Three are enough to refuse what crosses slots. */
  size?: number;
  /** With one replica of each master, in step with it. */
  replicas?: boolean;
  /** Further words of each server's command line. */
  args?: readonly string[];
}

/** A real Redis Cluster, whose masters own equal parts of the slots, in order. */
export async function startCluster({ size = 3, replicas = false, args = [] }: ClusterOptions = {}): Promise<TestCluster> {
  const places = Array.from({ length: size }, (_, master) => master);
  /** From which slot on each master owns them. */
  const firstSlot = (master: number) => Math.ceil(master * SLOTS / size);
  const start = () => startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--cluster-announce-ip', '127.0.0.1', ...args] });
  const servers = await Promise.all(Array.from({ length: replicas ? 2 * size : size }, start));
  const masters = servers.slice(0, size);
  const stop = async () => void await Promise.all(servers.map((server) => server.stop()));
  const nodes = servers.map(({ url }) => new Redis(url));
  try {
    await Promise.all(places.map((i) => nodes[i]!.call('CLUSTER', 'ADDSLOTSRANGE', String(firstSlot(i)), String(firstSlot(i + 1) - 1))));
    // Each meets each: what they tell each other of third ones takes seconds.
    for (const [i, node] of nodes.entries()) for (const { port } of servers.slice(i + 1)) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(port));
    await Promise.all(nodes.slice(size).map((replica, i) => follow(replica, nodes[i]!)));
    await eventually(async () => {
      for (const node of nodes) {
        expect(String(await node.call('CLUSTER', 'INFO'))).toMatch(/cluster_state:ok[^]*cluster_slots_ok:16384/);
        // Each range with all its servers: a client asks any of them who is there.
        const ranges = await node.call('CLUSTER', 'SLOTS') as unknown[][];
        expect(ranges.map((range) => range.length - 2)).toEqual(places.map(() => servers.length / size));
      }
    });
    if (replicas) await Promise.all(masters.map(({ url }, i) => untilInStep(url, keyBetween(firstSlot(i), firstSlot(i + 1)))));
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const node of nodes) node.disconnect();
  }
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters, replicas: servers.slice(size), stop,
    homeOf: (key) => places.findLast((i) => calculateSlot(key) >= firstSlot(i))!,
  };
}

/** When it has heard of this master, the replica follows it. */
async function follow(replica: Redis, master: Redis): Promise<void> {
  const id = String(await master.call('CLUSTER', 'MYID'));
  await eventually(() => replica.call('CLUSTER', 'REPLICATE', id));
}

function keyBetween(first: number, end: number): string {
  for (let i = 0; ; i++) {
    const slot = calculateSlot(`in-step-${i}`);
    if (slot >= first && slot < end) return `in-step-${i}`;
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
