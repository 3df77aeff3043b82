import type { SlotTable } from '../platform/redis/owner.ts';
import { shardKeys } from '../store/keys.ts';

/**
 * Ids that are drawn for one rain [R10]. With an even number of masters the first is good; with three, each second or
 * third.
 */
export const DRAWS_MAX = 64;

/**
 * An id of a rain or campaign whose shards lie on the masters of a Redis Cluster as evenly as they can. The labels of
 * the shards see to that where the number of masters is a power of two, and their parts of the slots are equal;
 * elsewhere it depends on the id.
 * @param draw a new id
 */
export function drawEvenId(table: SlotTable | undefined, shards: number, draw: () => string): string {
  let best: { id: string; load: number } | undefined;
  for (let draws = 0; draws < DRAWS_MAX; draws++) {
    const id = draw();
    const counts = table && shardsOf(table, id, shards);
    if (!counts || isEven(counts)) return id;
    // A master with many shards weighs more than one with none.
    const load = counts.reduce((sum, count) => sum + count ** 2, 0);
    if (!best || load < best.load) best = { id, load };
  }
  return best!.id;
}

/**
 * A sentence for the operator; `undefined`: they lie as evenly as they can, or there is no Cluster.
 * @param id a rain's, a round's or a campaign's
 */
export function unevenReason(table: SlotTable | undefined, id: string, shards: number): string | undefined {
  const counts = table && shardsOf(table, id, shards);
  if (!counts || isEven(counts)) return undefined;
  return (
    `the ${shards} shards of ${id} are on ${counts.filter((count) => count > 0).length} of ${counts.length} masters of the Redis Cluster, ${Math.max(...counts)} of them on one; ` +
    'that is safe and takes more time of this master. Where a rain or a campaign is created without an id, one is chosen whose shards spread better'
  );
}

/** How many of the shards each master has; `undefined`: the owner of one of them is not known at present. */
function shardsOf({ masters, ownerOf }: SlotTable, id: string, shards: number): number[] | undefined {
  const owners = Array.from({ length: shards }, (_, shard) => ownerOf(shardKeys(id, shard).state));
  return owners.every((owner) => owner !== undefined && masters.includes(owner))
    ? masters.map((master) => owners.filter((owner) => owner === master).length)
    : undefined;
}

function isEven(counts: readonly number[]): boolean {
  return Math.max(...counts) - Math.min(...counts) <= 1;
}
