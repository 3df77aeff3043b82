/// <reference path="../redis/clusterKeySlot.d.ts" />
import calculateSlot from 'cluster-key-slot';
import { Redis } from 'ioredis';
import { untilTrue } from '../concurrency/untilTrue.ts';
import { untilInStep } from '../redis/inStep.ts';

/** The masters of a Cluster on this machine: enough to refuse what crosses slots, and to elect a successor. */
export const CLUSTER_MASTERS = 3;
const SLOTS = 16_384;
/** They talk every 100 ms; a machine that is busy with other things needs minutes. */
const FORMED_MS_MAX = 600_000;

/** From which slot on each of so many masters owns them: they have equal parts, in order. */
const firstSlot = (master: number, masters: number) => Math.ceil((master * SLOTS) / masters);

/** The place of the master that owns this key from the start. */
export const homeOf = (key: string, masters = CLUSTER_MASTERS): number =>
  placesOf(masters).findLast((i) => calculateSlot(key) >= firstSlot(i, masters))!;

/** A key that this master owns from the start. */
export function keyOf(master: number, masters = CLUSTER_MASTERS): string {
  for (let i = 0; ; i++) if (homeOf(`in-step-${i}`, masters) === master) return `in-step-${i}`;
}

const placesOf = (masters: number) => Array.from({ length: masters }, (_, place) => place);

/**
 * Makes a Cluster of empty servers that run with `cluster-enabled yes` on 127.0.0.1. Resolves when each of them knows
 * all others and each replica has what its master has.
 * @param servers the masters; after them, none or one replica of each, in the same order
 * @throws Error when they have not become a Cluster after FORMED_MS_MAX
 */
export async function formCluster(
  servers: readonly { url: string; port: number }[],
  masters = CLUSTER_MASTERS,
): Promise<void> {
  const [places, perRange] = [placesOf(masters), servers.length / masters];
  const nodes = servers.map(({ url }) => new Redis(url));
  for (const node of nodes) node.on('error', () => {});
  try {
    await Promise.all(
      places.map((i) =>
        nodes[i]!.call(
          'CLUSTER',
          'ADDSLOTSRANGE',
          String(firstSlot(i, masters)),
          String(firstSlot(i + 1, masters) - 1),
        ),
      ),
    );
    // Each meets each: what they tell each other of third ones takes seconds.
    for (const [i, node] of nodes.entries())
      for (const { port } of servers.slice(i + 1)) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(port));
    await Promise.all(nodes.slice(masters).map((replica, i) => follow(replica, nodes[i]!)));
    const untilAll = (serversOfRange: number, what: string) =>
      untilTrue(
        async () => (await Promise.all(nodes.map((node) => knows(node, masters, serversOfRange)))).every(Boolean),
        { what, withinMs: FORMED_MS_MAX },
      );
    await untilAll(1, 'a Cluster whose servers know all masters');
    if (perRange === 1) return;
    // Before: a replica is listed only when it has heard a write, and without one its master is silent for ten seconds.
    await Promise.all(places.map((i) => untilInStep(servers[i]!.url, keyOf(i, masters), FORMED_MS_MAX)));
    await untilAll(perRange, 'a Cluster whose servers know each other');
  } finally {
    for (const node of nodes) node.disconnect();
  }
}

/** Each range with at least so many servers: a client asks any of them who is there. */
async function knows(node: Redis, masters: number, serversOfRange: number): Promise<boolean> {
  if (!/cluster_state:ok[^]*cluster_slots_ok:16384/.test(String(await node.call('CLUSTER', 'INFO')))) return false;
  const ranges = (await node.call('CLUSTER', 'SLOTS')) as unknown[][];
  return ranges.length === masters && ranges.every((range) => range.length - 2 >= serversOfRange);
}

/** When it has heard of this master, the replica follows it. */
async function follow(replica: Redis, master: Redis): Promise<void> {
  const id = String(await master.call('CLUSTER', 'MYID'));
  await untilTrue(async () => (await replica.call('CLUSTER', 'REPLICATE', id)) === 'OK', {
    what: 'a replica that knows its master',
    withinMs: FORMED_MS_MAX,
  });
}
