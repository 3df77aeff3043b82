/// <reference path="./clusterKeySlot.d.ts" />
import calculateSlot from 'cluster-key-slot';
import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './connect.ts';

/** The connection of a client to one server. */
export interface Server {
  /** `host:port` in a Cluster; empty for a single server, which has no other beside it. */
  name: string;
  connection: Redis;
}

/** The slot of a key; its master may change, its slot does not. */
export function slotOf(redis: RedisClient, key: string): number {
  return redis instanceof Cluster ? calculateSlot(key) : 0;
}

/** All masters as far as this client knows them. */
export function mastersOf(redis: RedisClient): Server[] {
  return redis instanceof Cluster ? nodesOf(redis, 'master') : [{ name: '', connection: redis }];
}

/** Masters and their replicas, or the masters only. */
export function nodesOf(redis: Cluster, role: 'all' | 'master' = 'all'): Server[] {
  return redis.nodes(role).map((connection) => ({ name: nameOf(connection), connection }));
}

const nameOf = ({ options: { host, port } }: Redis) => `${host}:${port}`;

/** Which master of a Cluster owns which slot, as a client knows it. */
export interface SlotTable {
  /** Each once, by name; those without a slot too. */
  masters: readonly string[];
  ownerOf(key: string): string | undefined;
}

/** `undefined`: a single server, which owns all. */
export function slotTable(redis: RedisClient): SlotTable | undefined {
  if (!(redis instanceof Cluster)) return undefined;
  return { masters: mastersOf(redis).map(({ name }) => name), ownerOf: (key) => redis.slots[calculateSlot(key)]?.[0] };
}

/**
 * The master of a slot by the client's own table, which may be out of date: a server that is not the owner any more
 * answers MOVED. Commands over this connection are neither redirected nor sent again.
 * @returns `undefined` while the client has no connection to it
 */
export function masterOf(redis: RedisClient, slot: number): Server | undefined {
  if (!(redis instanceof Cluster)) return { name: '', connection: redis };
  const name = redis.slots[slot]?.[0];
  return name === undefined ? undefined : mastersOf(redis).find((master) => master.name === name);
}

/** The slots of one server by the client's own table; none of a single server. */
export function slotsOwnedBy(redis: RedisClient, connection: Redis): number[] {
  if (!(redis instanceof Cluster)) return [];
  const name = nameOf(connection);
  return redis.slots.flatMap((names, slot) => (names[0] === name ? [slot] : []));
}

/**
 * Has the client ask for the owners of all slots anew. It does so by itself only when a command of its own meets MOVED.
 */
export function learnMasters(redis: RedisClient): void {
  if (redis instanceof Cluster) redis.refreshSlotsCache();
}
